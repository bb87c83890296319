import type { Consumed } from "./consumed.ts";
import { ERR_EXTRA_BITS, ERR_PADDED, ERR_TOO_LONG } from "./error.ts";
import type { OutputBuffer } from "./output.ts";
import { highOf, joinSigned, lowOf, split } from "./parts.ts";
import { putVarInt, sizeVarInt } from "./varint.ts";

/** The longest encoding of a VarLong in bytes. */
export const MAX_VARLONG_LEN = 10;

/** Returns how many bytes the minimal encoding of a signed 64-bit integer takes, 1 to 10. */
export function sizeVarLong(value: bigint): number {
  split(value);
  const hi = highOf();
  return hi === 0 ? sizeVarInt(lowOf()) : Math.floor((70 - Math.clz32(hi)) / 7);
}

/** Appends a signed 64-bit integer in 1 to 10 bytes. */
export function appendVarLong(out: OutputBuffer, value: bigint): void {
  split(value);
  appendVarLongParts(out, highOf(), lowOf());
}

/** appendVarLong for a value in two 32-bit halves. */
export function appendVarLongParts(out: OutputBuffer, hi: number, lo: number): void {
  out.reserve(MAX_VARLONG_LEN);
  const bytes = out.bytes;
  let at = out.length;
  let high = hi >>> 0;
  let low = lo >>> 0;
  while (high !== 0) {
    bytes[at++] = low | 0x80;
    low = ((high << 25) | (low >>> 7)) >>> 0;
    high >>>= 7;
  }
  out.length = putVarInt(bytes, at, low);
}

/** Reads a VarLong as a signed 64-bit integer. n is that of consumeVarLongParts. */
export function consumeVarLong(got: Consumed, bytes: Uint8Array, at = 0, end = bytes.length): bigint {
  consumeVarLongParts(got, bytes, at, end);
  return got.n > 0 ? joinSigned(got.hi, got.lo) : 0n;
}

/**
 * Reads a VarLong from bytes[at, end) into got.hi and got.lo. Bits of a tenth byte that do not fit are
 * dropped. n is 0 when the bytes end inside it and -ERR_TOO_LONG when it runs on past ten bytes.
 */
export function consumeVarLongParts(got: Consumed, bytes: Uint8Array, at = 0, end = bytes.length): void {
  let hi = 0;
  let lo = 0;
  got.n = 0;
  for (let i = 0; i < MAX_VARLONG_LEN; i++) {
    if (at + i >= end) return;
    const byte = bytes[at + i] as number;
    const bits = byte & 0x7f;
    if (i < 5) lo |= bits << (7 * i);
    if (i === 4) hi = bits >> 4;
    else if (i > 4) hi |= bits << (7 * i - 32);
    if (byte < 0x80) {
      got.hi = hi;
      got.lo = lo;
      got.n = i + 1;
      return;
    }
  }
  got.n = -ERR_TOO_LONG;
}

/** consumeVarLong for callers who accept one encoding a value only: n is also -ERR_PADDED or -ERR_EXTRA_BITS. */
export function consumeVarLongStrict(got: Consumed, bytes: Uint8Array, at = 0, end = bytes.length): bigint {
  consumeVarLongPartsStrict(got, bytes, at, end);
  return got.n > 0 ? joinSigned(got.hi, got.lo) : 0n;
}

/** consumeVarLongParts for callers who accept one encoding a value only. */
export function consumeVarLongPartsStrict(got: Consumed, bytes: Uint8Array, at = 0, end = bytes.length): void {
  consumeVarLongParts(got, bytes, at, end);
  const last = bytes[at + got.n - 1] as number;
  if (got.n > 1 && last === 0) got.n = -ERR_PADDED;
  else if (got.n === MAX_VARLONG_LEN && last > 0x01) got.n = -ERR_EXTRA_BITS;
}
