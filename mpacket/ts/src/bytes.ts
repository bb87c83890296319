import type { Consumed } from "./consumed.ts";
import { MAX_FRAME_LEN } from "./limits.ts";
import type { OutputBuffer } from "./output.ts";
import { appendVarInt, consumeLen } from "./varint.ts";

/** The limit of length-prefixed bytes where the caller names none. */
export const MAX_BYTES_LEN = MAX_FRAME_LEN;

const NOTHING = new Uint8Array(0);

/** Appends the length of value as a VarInt, then value. */
export function appendBytes(out: OutputBuffer, value: Uint8Array): void {
  appendVarInt(out, value.length);
  out.appendRaw(value);
}

/**
 * Reads length-prefixed bytes of at most limit bytes, as a view. n is 0 when the input is too short,
 * -ERR_TOO_LONG, -ERR_NEGATIVE or -ERR_OVER_LIMIT when the length is bad.
 */
export function consumeBytes(
  got: Consumed,
  bytes: Uint8Array,
  at = 0,
  end = bytes.length,
  limit = MAX_BYTES_LEN,
): Uint8Array {
  const length = consumeSpan(got, bytes, at, end, limit);
  return got.n > 0 ? bytes.subarray(at + got.n - length, at + got.n) : NOTHING;
}

/** consumeBytes without a view: returns the length of the bytes, which are the last of the n that were read. */
export function consumeSpan(got: Consumed, bytes: Uint8Array, at: number, end: number, limit: number): number {
  const length = consumeLen(got, bytes, at, end, limit);
  if (got.n <= 0) return 0;
  if (end - at - got.n < length) got.n = 0;
  else got.n += length;
  return length;
}
