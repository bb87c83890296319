import type { Consumed } from "./consumed.ts";
import { ERR_BAD_PACKET, ERR_OUT_OF_RANGE, ERR_OVER_LIMIT, ERR_SHORT } from "./error.ts";
import { badText } from "./string.ts";
import type { Writer } from "./writer.ts";

// The ping of clients before 1.7. It has no frames, and its text is UTF-16, big endian. Servers of today
// still answer it.

const LEGACY_PING_ID = 0xfe; // first byte of a request
const LEGACY_KICK_ID = 0xff; // first byte of the answer
// These begin what clients of 1.6 add to their request.
const LEGACY_PLUGIN_ID = 0xfa;
const LEGACY_CHANNEL = "MC|PingHost";
const PROTOCOL_1_6_4 = 78;
const MAX_LEGACY_UNITS = 1024;

/** The answer to a legacy ping. */
export interface LegacyStatus {
  /** 0 when the server is older than 1.4. */
  protocol: number;
  /** "" when the server is older than 1.4. */
  version: string;
  description: string;
  online: number;
  max: number;
}

/** Writes the request of a 1.6 client, which every older and newer server answers. */
export function writeLegacyPing(writer: Writer, host: string, port: number): void {
  writer.writeUint8(LEGACY_PING_ID);
  writer.writeUint8(1);
  writer.writeUint8(LEGACY_PLUGIN_ID);
  writeUTF16(writer, LEGACY_CHANNEL);
  writer.writeUint16(7 + 2 * host.length);
  writer.writeUint8(PROTOCOL_1_6_4);
  writeUTF16(writer, host);
  writer.writeUint32(port);
}

/**
 * Writes the answer to a ping of 1.4 to 1.6 clients. Text with a NUL character, which separates the fields,
 * fails as out-of-range, an answer above 1,024 UTF-16 units as over-limit.
 */
export function writeLegacyStatus(writer: Writer, status: LegacyStatus): void {
  const { protocol, version, description, online, max } = status;
  if (`${version}${description}`.includes("\0")) {
    writer.fail(ERR_OUT_OF_RANGE, "legacy status");
    return;
  }
  const text = ["§1", protocol, version, description, online, max].join("\0");
  const code = badText(text, MAX_LEGACY_UNITS);
  if (code !== ERR_SHORT) {
    writer.fail(code, "legacy status");
    return;
  }
  writer.writeUint8(LEGACY_KICK_ID);
  writeUTF16(writer, text);
}

/** Writes text with the number of its UTF-16 units in two bytes. */
function writeUTF16(writer: Writer, text: string): void {
  writer.writeUint16(text.length);
  for (let i = 0; i < text.length; i++) writer.writeUint16(text.charCodeAt(i));
}

/**
 * Reads an answer. n is 0 and the result undefined when the bytes are too few, -ERR_BAD_PACKET when they
 * are no answer and -ERR_OVER_LIMIT when it is longer than 1,024 UTF-16 units.
 */
export function consumeLegacyStatus(
  got: Consumed,
  bytes: Uint8Array,
  at = 0,
  end = bytes.length,
): LegacyStatus | undefined {
  got.n = at < end && bytes[at] !== LEGACY_KICK_ID ? -ERR_BAD_PACKET : 0;
  if (got.n < 0 || end - at < 3) return undefined;
  const unitAt = (i: number) => ((bytes[i] as number) << 8) | (bytes[i + 1] as number);
  const count = unitAt(at + 1);
  if (count > MAX_LEGACY_UNITS) got.n = -ERR_OVER_LIMIT;
  if (got.n < 0 || end - at < 3 + 2 * count) return undefined;
  const units = Array.from({ length: count }, (_, i) => unitAt(at + 3 + 2 * i));
  const status = parseLegacyText(String.fromCharCode(...units).toWellFormed());
  got.n = status === undefined ? -ERR_BAD_PACKET : 3 + 2 * count;
  return status;
}

/** Takes both forms apart: that of 1.4, with NUL between its fields, and the older one, with §. */
function parseLegacyText(text: string): LegacyStatus | undefined {
  const modern = text.startsWith("§1\0");
  const fields = modern ? text.slice(3).split("\0") : text.split("§");
  if (fields.length !== (modern ? 5 : 3)) return undefined;
  const [protocol, version, description, online, max] = modern ? fields : ["0", "", ...fields];
  const numbers = [protocol, online, max];
  if (!numbers.every((number) => /^[+-]?[0-9]+$/.test(number as string) && Number.isSafeInteger(Number(number)))) {
    return undefined;
  }
  return {
    protocol: Number(protocol),
    version: version as string,
    description: description as string,
    online: Number(online),
    max: Number(max),
  };
}
