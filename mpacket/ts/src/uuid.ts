import type { Consumed } from "./consumed.ts";
import { take } from "./fixed.ts";
import type { OutputBuffer } from "./output.ts";

/** A 128-bit identifier: 16 bytes, most significant first. */
export type UUID = Uint8Array;

/** The length of a UUID in bytes. */
export const UUID_LEN = 16;

/** Appends the 16 bytes of value. */
export function appendUUID(out: OutputBuffer, value: UUID): void {
  out.appendRaw(value, 0, UUID_LEN);
}

/** Reads 16 bytes, which are copied to into. n is 0 when the input is too short. */
export function consumeUUID(
  got: Consumed,
  bytes: Uint8Array,
  at = 0,
  end = bytes.length,
  into: UUID = new Uint8Array(UUID_LEN),
): UUID {
  if (take(got, UUID_LEN, at, end)) {
    for (let i = 0; i < UUID_LEN; i++) into[i] = bytes[at + i] as number;
  }
  return into;
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
/** The bytes in front of which the usual form of a UUID has a dash. */
const DASHES = new Set([4, 6, 8, 10]);

/** Returns the lower-case form with dashes, 36 characters. */
export function uuidString(value: UUID): string {
  let text = "";
  for (let i = 0; i < UUID_LEN; i++) text += (DASHES.has(i) ? "-" : "") + HEX[value[i] as number];
  return text;
}

/** Reads 32 hexadecimal digits, with or without dashes in their usual places. Throws a RangeError. */
export function parseUUID(text: string): UUID {
  const groups = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/i.exec(text) ?? [];
  const digits = groups.slice(1).join("");
  if (digits.length !== 2 * UUID_LEN || (text.length !== 32 && text.length !== 36)) {
    const shown = JSON.stringify(text.slice(0, 40));
    throw new RangeError(`mpacket: ${shown} is no UUID: write 32 hexadecimal digits, with or without dashes`);
  }
  const value = new Uint8Array(UUID_LEN);
  for (let i = 0; i < UUID_LEN; i++) value[i] = Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16);
  return value;
}
