import type { Consumed } from "./consumed.ts";
import { int32At, take } from "./fixed.ts";
import type { OutputBuffer } from "./output.ts";

/**
 * A 128-bit identifier in four signed 32-bit integers, most significant first. Bytes would be a typed
 * array, which costs ten times as much to make, on Deno a hundred times.
 */
export interface UUID {
  a: number;
  b: number;
  c: number;
  d: number;
}

/** The length of a UUID in bytes. */
export const UUID_LEN = 16;

/** Appends 16 bytes. */
export function appendUUID(out: OutputBuffer, { a, b, c, d }: UUID): void {
  const at = out.extend(UUID_LEN);
  const { view } = out;
  view.setInt32(at, a);
  view.setInt32(at + 4, b);
  view.setInt32(at + 8, c);
  view.setInt32(at + 12, d);
}

/** Reads 16 bytes into into. n is 0 when the input is too short. */
export function consumeUUID(
  got: Consumed,
  bytes: Uint8Array,
  at = 0,
  end = bytes.length,
  into: UUID = { a: 0, b: 0, c: 0, d: 0 },
): UUID {
  if (take(got, UUID_LEN, at, end)) fillUUID(bytes, at, into);
  return into;
}

/** Reads a UUID that is whole in bytes. */
export function fillUUID(bytes: Uint8Array, at: number, into: UUID): void {
  into.a = int32At(bytes, at);
  into.b = int32At(bytes, at + 4);
  into.c = int32At(bytes, at + 8);
  into.d = int32At(bytes, at + 12);
}

/** Returns the lower-case form with dashes, 36 characters. */
export function uuidString({ a, b, c, d }: UUID): string {
  const digits = [a, b, c, d].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** Reads 32 hexadecimal digits, with or without dashes in their usual places. Throws a RangeError. */
export function parseUUID(text: string): UUID {
  const dashed = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
  if (!dashed.test(text) && !/^[0-9a-f]{32}$/i.test(text)) {
    const shown = JSON.stringify(text.slice(0, 40));
    throw new RangeError(`mpacket: ${shown} is no UUID: write 32 hexadecimal digits, with or without dashes`);
  }
  const digits = text.replaceAll("-", "");
  const word = (i: number) => Number.parseInt(digits.slice(8 * i, 8 * i + 8), 16) | 0;
  return { a: word(0), b: word(1), c: word(2), d: word(3) };
}
