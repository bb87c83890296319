import type { Consumed } from "./consumed.ts";
import { ERR_BAD_BOOL } from "./error.ts";
import type { OutputBuffer } from "./output.ts";
import { float32Of, float64Of, joinSigned, joinUnsigned } from "./parts.ts";

// Fixed-width values, most significant byte first: the order of the network and of the Minecraft
// protocol. The functions whose names end in LE are in fixed_le.ts. Append functions keep the lower bits
// of a number that does not fit. Every consume function leaves n = 0 when the bytes are too few, else
// the width.

/** The bits of the quiet NaN that stands for all: engines do not keep the others. */
export const NAN_32 = 0x7fc0_0000;
/** The upper half of the same for 64 bits; the lower one is 0. */
export const NAN_64_HIGH = 0x7ff8_0000;

/** Leaves the width of a value of that many bytes in got.n, or 0 when it is not whole in [at, end). */
export function take(got: Consumed, width: number, at: number, end: number): boolean {
  const whole = at + width <= end;
  got.n = whole ? width : 0;
  return whole;
}

/** Returns the signed 32-bit integer at bytes[at, at + 4). */
export function int32At(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] as number) << 24) |
    ((bytes[at + 1] as number) << 16) |
    ((bytes[at + 2] as number) << 8) |
    (bytes[at + 3] as number)
  );
}

/** Appends 1 for true and 0 for false. */
export function appendBool(out: OutputBuffer, value: boolean): void {
  // A condition would be a branch, which no branch predictor can guess for mixed values.
  appendUint8(out, Number(value));
}

/** Reads a bool. Every byte but 0 is true, as real servers have it. */
export function consumeBool(got: Consumed, bytes: Uint8Array, at = 0, end = bytes.length): boolean {
  return consumeUint8(got, bytes, at, end) !== 0;
}

/** Reads a bool that must be 0 or 1: n is also -ERR_BAD_BOOL. */
export function consumeBoolStrict(got: Consumed, bytes: Uint8Array, at = 0, end = bytes.length): boolean {
  const byte = consumeUint8(got, bytes, at, end);
  if (byte > 1) got.n = -ERR_BAD_BOOL;
  return byte === 1;
}

/** Appends value as one byte. */
export function appendInt8(out: OutputBuffer, value: number): void {
  appendUint8(out, value);
}

/** Reads one signed byte. */
export function consumeInt8(got: Consumed, bytes: Uint8Array, at = 0, end = bytes.length): number {
  return (consumeUint8(got, bytes, at, end) << 24) >> 24;
}

/** Appends value as one byte. */
export function appendUint8(out: OutputBuffer, value: number): void {
  const at = out.extend(1);
  out.bytes[at] = value;
}

/** Reads one byte. */
export function consumeUint8(got: Consumed, bytes: Uint8Array, at = 0, end = bytes.length): number {
  return take(got, 1, at, end) ? (bytes[at] as number) : 0;
}

/** Appends value as 2 bytes, big endian. */
export function appendInt16(out: OutputBuffer, value: number): void {
  appendUint16(out, value);
}

/** Reads 2 bytes, big endian, signed. */
export function consumeInt16(got: Consumed, bytes: Uint8Array, at = 0, end = bytes.length): number {
  return take(got, 2, at, end) ? ((((bytes[at] as number) << 8) | (bytes[at + 1] as number)) << 16) >> 16 : 0;
}

/** Appends value as 2 bytes, big endian. */
export function appendUint16(out: OutputBuffer, value: number): void {
  const at = out.extend(2);
  const { bytes } = out;
  // On Deno two bytes are stored three times as fast as through a DataView, elsewhere as fast.
  bytes[at] = value >> 8;
  bytes[at + 1] = value;
}

/** Reads 2 bytes, big endian, unsigned. */
export function consumeUint16(got: Consumed, bytes: Uint8Array, at = 0, end = bytes.length): number {
  return take(got, 2, at, end) ? ((bytes[at] as number) << 8) | (bytes[at + 1] as number) : 0;
}

/** Appends value as 4 bytes, big endian. */
export function appendInt32(out: OutputBuffer, value: number): void {
  const at = out.extend(4);
  out.view.setInt32(at, value);
}

/** Reads 4 bytes, big endian, signed. */
export function consumeInt32(got: Consumed, bytes: Uint8Array, at = 0, end = bytes.length): number {
  return take(got, 4, at, end) ? int32At(bytes, at) : 0;
}

/** Appends value as 4 bytes, big endian. */
export function appendUint32(out: OutputBuffer, value: number): void {
  const at = out.extend(4);
  out.view.setUint32(at, value);
}

/** Reads 4 bytes, big endian, unsigned. */
export function consumeUint32(got: Consumed, bytes: Uint8Array, at = 0, end = bytes.length): number {
  return take(got, 4, at, end) ? int32At(bytes, at) >>> 0 : 0;
}

/** Appends a signed 64-bit integer as 8 bytes, big endian. */
export function appendInt64(out: OutputBuffer, value: bigint): void {
  const at = out.extend(8);
  out.view.setBigInt64(at, value);
}

/** Reads 8 bytes, big endian, signed. */
export function consumeInt64(got: Consumed, bytes: Uint8Array, at = 0, end = bytes.length): bigint {
  consumeInt64Parts(got, bytes, at, end);
  return got.n > 0 ? joinSigned(got.hi, got.lo) : 0n;
}

/** Appends an unsigned 64-bit integer as 8 bytes, big endian. */
export function appendUint64(out: OutputBuffer, value: bigint): void {
  const at = out.extend(8);
  out.view.setBigUint64(at, value);
}

/** Reads 8 bytes, big endian, unsigned. */
export function consumeUint64(got: Consumed, bytes: Uint8Array, at = 0, end = bytes.length): bigint {
  consumeInt64Parts(got, bytes, at, end);
  return got.n > 0 ? joinUnsigned(got.hi, got.lo) : 0n;
}

/** Appends a 64-bit integer that is given as two 32-bit halves, big endian. */
export function appendInt64Parts(out: OutputBuffer, hi: number, lo: number): void {
  const at = out.extend(8);
  out.view.setInt32(at, hi);
  out.view.setInt32(at + 4, lo);
}

/** Reads 8 bytes, big endian, into got.hi and got.lo. */
export function consumeInt64Parts(got: Consumed, bytes: Uint8Array, at = 0, end = bytes.length): void {
  if (!take(got, 8, at, end)) return;
  got.hi = int32At(bytes, at);
  got.lo = int32At(bytes, at + 4);
}

/** Appends value as 4 bytes, big endian, IEEE 754. Every NaN becomes the one that JavaScript knows. */
export function appendFloat32(out: OutputBuffer, value: number): void {
  const at = out.extend(4);
  if (Number.isNaN(value)) out.view.setInt32(at, NAN_32);
  else out.view.setFloat32(at, value);
}

/** Reads 4 bytes, big endian, IEEE 754. */
export function consumeFloat32(got: Consumed, bytes: Uint8Array, at = 0, end = bytes.length): number {
  return take(got, 4, at, end) ? float32Of(int32At(bytes, at)) : 0;
}

/** Appends value as 8 bytes, big endian, IEEE 754. Every NaN becomes the one that JavaScript knows. */
export function appendFloat64(out: OutputBuffer, value: number): void {
  if (Number.isNaN(value)) {
    appendInt64Parts(out, NAN_64_HIGH, 0);
    return;
  }
  const at = out.extend(8);
  out.view.setFloat64(at, value);
}

/** Reads 8 bytes, big endian, IEEE 754. */
export function consumeFloat64(got: Consumed, bytes: Uint8Array, at = 0, end = bytes.length): number {
  return take(got, 8, at, end) ? float64Of(int32At(bytes, at), int32At(bytes, at + 4)) : 0;
}
