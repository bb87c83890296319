import type { Consumed } from "./consumed.ts";
import { ERR_EXTRA_BITS, ERR_NEGATIVE, ERR_OVER_LIMIT, ERR_PADDED, ERR_TOO_LONG } from "./error.ts";
import type { OutputBuffer } from "./output.ts";

/** The longest encoding of a VarInt in bytes. */
export const MAX_VARINT_LEN = 5;

/**
 * Returns how many bytes the minimal encoding of value takes, 1 to 5. Values are 32-bit integers;
 * negative ones take 5.
 */
export function sizeVarInt(value: number): number {
  // Seven bits a byte: ceil(bits / 7) for 1 to 32 bits, without a division.
  return ((38 - Math.clz32(value | 1)) * 37) >> 8;
}

/**
 * Writes the minimal encoding of value, a 32-bit integer, to bytes from offset at on, and returns
 * the offset after it. The caller provides the room: sizeVarInt(value) bytes.
 */
export function putVarInt(bytes: Uint8Array, at: number, value: number): number {
  const u = value >>> 0;
  if (u < 0x80) {
    bytes[at] = u;
    return at + 1;
  }
  return putLongVarInt(bytes, at, u);
}

/** Unrolled: each byte is shifted from the value itself, so that none waits for the one before. */
function putLongVarInt(bytes: Uint8Array, at: number, u: number): number {
  bytes[at] = u | 0x80;
  if (u < 0x4000) {
    bytes[at + 1] = u >>> 7;
    return at + 2;
  }
  bytes[at + 1] = (u >>> 7) | 0x80;
  if (u < 0x20_0000) {
    bytes[at + 2] = u >>> 14;
    return at + 3;
  }
  bytes[at + 2] = (u >>> 14) | 0x80;
  if (u < 0x1000_0000) {
    bytes[at + 3] = u >>> 21;
    return at + 4;
  }
  bytes[at + 3] = (u >>> 21) | 0x80;
  bytes[at + 4] = u >>> 28;
  return at + 5;
}

/** The continuation bits of four bytes. */
export const MORE = 0x80808080;

/** Appends value, a 32-bit integer, in 1 to 5 bytes. */
export function appendVarInt(out: OutputBuffer, value: number): void {
  const at = out.length;
  if (at + MAX_VARINT_LEN > out.bytes.length) out.reserve(MAX_VARINT_LEN);
  // Without a branch on the length, which no branch predictor can guess for mixed values: all five bytes
  // are written, of which those after the length are the next value's. A short cut for one byte would save
  // half a nanosecond where all values have one, and cost several where not.
  const size = sizeVarInt(value);
  const spread = (value & 0x7f) | ((value & 0x3f80) << 1) | ((value & 0x1f_c000) << 2) | ((value & 0xfe0_0000) << 3);
  const unused = 4 * (5 - size); // half of the bits, because JavaScript cannot shift by 32
  out.view.setInt32(at, spread | ((MORE >>> unused) >>> unused), true);
  out.bytes[at + 4] = value >>> 28;
  out.length = (at + size) | 0;
}

/**
 * Reads a VarInt from bytes[at, end): a signed 32-bit integer. Its n exceeds the minimal length when
 * it is padded; bits of a fifth byte that do not fit are dropped. n is 0 when the bytes end inside it
 * and -ERR_TOO_LONG when it runs on past five bytes.
 */
export function consumeVarInt(got: Consumed, bytes: Uint8Array, at = 0, end = bytes.length): number {
  const first = at < end ? (bytes[at] as number) : 0x80;
  if (first >= 0x80) return consumeLongVarInt(got, bytes, at, end);
  got.n = 1;
  return first;
}

function consumeLongVarInt(got: Consumed, bytes: Uint8Array, at: number, end: number): number {
  let value = 0;
  for (let i = 0; i < MAX_VARINT_LEN; i++) {
    if (at + i >= end) {
      got.n = 0;
      return 0;
    }
    const byte = bytes[at + i] as number;
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      got.n = i + 1;
      return value;
    }
  }
  got.n = -ERR_TOO_LONG;
  return 0;
}

/** Joins the lower seven bits of four bytes, lowest first. */
export function gather7(x: number): number {
  return (x & 0x7f) | ((x >>> 1) & 0x3f80) | ((x >>> 2) & 0x1f_c000) | ((x >>> 3) & 0xfe0_0000);
}

/** consumeVarInt for callers who accept one encoding a value only: n is also -ERR_PADDED or -ERR_EXTRA_BITS. */
export function consumeVarIntStrict(got: Consumed, bytes: Uint8Array, at = 0, end = bytes.length): number {
  const value = consumeVarInt(got, bytes, at, end);
  const last = bytes[at + got.n - 1] as number;
  if (got.n > 1 && last === 0) got.n = -ERR_PADDED;
  else if (got.n === MAX_VARINT_LEN && last > 0x0f) got.n = -ERR_EXTRA_BITS;
  return got.n > 0 ? value : 0;
}

/** Reads the VarInt length or count in front of a value, 0 to limit. */
export function consumeLen(got: Consumed, bytes: Uint8Array, at: number, end: number, limit: number): number {
  const length = consumeVarInt(got, bytes, at, end);
  if (got.n <= 0) return 0;
  if (length < 0) got.n = -ERR_NEGATIVE;
  else if (length > limit) got.n = -ERR_OVER_LIMIT;
  return length;
}
