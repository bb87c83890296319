import type { Consumed } from "./consumed.ts";
import { NAN_32, NAN_64_HIGH, take } from "./fixed.ts";
import type { OutputBuffer } from "./output.ts";
import { float32Of, float64Of, joinSigned, joinUnsigned } from "./parts.ts";

// Fixed-width values, least significant byte first; fixed.ts says the rest.

/** Returns the signed 32-bit integer at bytes[at, at + 4), least significant byte first. */
export function int32LEAt(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  );
}

/** Appends value as 2 bytes, little endian. */
export function appendInt16LE(out: OutputBuffer, value: number): void {
  appendUint16LE(out, value);
}

/** Reads 2 bytes, little endian, signed. */
export function consumeInt16LE(got: Consumed, bytes: Uint8Array, at = 0, end = bytes.length): number {
  return take(got, 2, at, end) ? ((((bytes[at + 1] as number) << 8) | (bytes[at] as number)) << 16) >> 16 : 0;
}

/** Appends value as 2 bytes, little endian. */
export function appendUint16LE(out: OutputBuffer, value: number): void {
  const at = out.extend(2);
  const { bytes } = out;
  bytes[at] = value;
  bytes[at + 1] = value >> 8;
}

/** Reads 2 bytes, little endian, unsigned. */
export function consumeUint16LE(got: Consumed, bytes: Uint8Array, at = 0, end = bytes.length): number {
  return take(got, 2, at, end) ? ((bytes[at + 1] as number) << 8) | (bytes[at] as number) : 0;
}

/** Appends value as 4 bytes, little endian. */
export function appendInt32LE(out: OutputBuffer, value: number): void {
  const at = out.extend(4);
  out.view.setInt32(at, value, true);
}

/** Reads 4 bytes, little endian, signed. */
export function consumeInt32LE(got: Consumed, bytes: Uint8Array, at = 0, end = bytes.length): number {
  return take(got, 4, at, end) ? int32LEAt(bytes, at) : 0;
}

/** Appends value as 4 bytes, little endian. */
export function appendUint32LE(out: OutputBuffer, value: number): void {
  const at = out.extend(4);
  out.view.setUint32(at, value, true);
}

/** Reads 4 bytes, little endian, unsigned. */
export function consumeUint32LE(got: Consumed, bytes: Uint8Array, at = 0, end = bytes.length): number {
  return take(got, 4, at, end) ? int32LEAt(bytes, at) >>> 0 : 0;
}

/** Appends a signed 64-bit integer as 8 bytes, little endian. */
export function appendInt64LE(out: OutputBuffer, value: bigint): void {
  const at = out.extend(8);
  out.view.setBigInt64(at, value, true);
}

/** Reads 8 bytes, little endian, signed. */
export function consumeInt64LE(got: Consumed, bytes: Uint8Array, at = 0, end = bytes.length): bigint {
  consumeInt64PartsLE(got, bytes, at, end);
  return got.n > 0 ? joinSigned(got.hi, got.lo) : 0n;
}

/** Appends an unsigned 64-bit integer as 8 bytes, little endian. */
export function appendUint64LE(out: OutputBuffer, value: bigint): void {
  const at = out.extend(8);
  out.view.setBigUint64(at, value, true);
}

/** Reads 8 bytes, little endian, unsigned. */
export function consumeUint64LE(got: Consumed, bytes: Uint8Array, at = 0, end = bytes.length): bigint {
  consumeInt64PartsLE(got, bytes, at, end);
  return got.n > 0 ? joinUnsigned(got.hi, got.lo) : 0n;
}

/** Appends a 64-bit integer that is given as two 32-bit halves, little endian. */
export function appendInt64PartsLE(out: OutputBuffer, hi: number, lo: number): void {
  const at = out.extend(8);
  out.view.setInt32(at + 4, hi, true);
  out.view.setInt32(at, lo, true);
}

/** Reads 8 bytes, little endian, into got.hi and got.lo. */
export function consumeInt64PartsLE(got: Consumed, bytes: Uint8Array, at = 0, end = bytes.length): void {
  if (!take(got, 8, at, end)) return;
  got.hi = int32LEAt(bytes, at + 4);
  got.lo = int32LEAt(bytes, at);
}

/** Appends value as 4 bytes, little endian, IEEE 754. Every NaN becomes the one that JavaScript knows. */
export function appendFloat32LE(out: OutputBuffer, value: number): void {
  const at = out.extend(4);
  if (Number.isNaN(value)) out.view.setInt32(at, NAN_32, true);
  else out.view.setFloat32(at, value, true);
}

/** Reads 4 bytes, little endian, IEEE 754. */
export function consumeFloat32LE(got: Consumed, bytes: Uint8Array, at = 0, end = bytes.length): number {
  return take(got, 4, at, end) ? float32Of(int32LEAt(bytes, at)) : 0;
}

/** Appends value as 8 bytes, little endian, IEEE 754. Every NaN becomes the one that JavaScript knows. */
export function appendFloat64LE(out: OutputBuffer, value: number): void {
  if (Number.isNaN(value)) {
    appendInt64PartsLE(out, NAN_64_HIGH, 0);
    return;
  }
  const at = out.extend(8);
  out.view.setFloat64(at, value, true);
}

/** Reads 8 bytes, little endian, IEEE 754. */
export function consumeFloat64LE(got: Consumed, bytes: Uint8Array, at = 0, end = bytes.length): number {
  return take(got, 8, at, end) ? float64Of(int32LEAt(bytes, at + 4), int32LEAt(bytes, at)) : 0;
}
