// 64-bit integers as two halves and as BigInt. The halves travel through eight bytes of scratch memory,
// because shifting and masking a BigInt makes a new one at each step.

const scratch = new DataView(new ArrayBuffer(8));

/** Takes the lower 64 bits of value apart: highOf and lowOf then return its halves. */
export function split(value: bigint): void {
  scratch.setBigUint64(0, value);
}

/** Returns the upper half of what was split last, as a signed 32-bit integer. */
export function highOf(): number {
  return scratch.getInt32(0);
}

/** Returns the lower half of what was split last, as a signed 32-bit integer. */
export function lowOf(): number {
  return scratch.getInt32(4);
}

/** Returns the signed 64-bit integer of two halves. */
export function joinSigned(hi: number, lo: number): bigint {
  scratch.setInt32(0, hi);
  scratch.setInt32(4, lo);
  return scratch.getBigInt64(0);
}

/** Returns the unsigned 64-bit integer of two halves. */
export function joinUnsigned(hi: number, lo: number): bigint {
  scratch.setInt32(0, hi);
  scratch.setInt32(4, lo);
  return scratch.getBigUint64(0);
}

/** Returns the float of four bytes that came as a 32-bit integer. */
export function float32Of(bits: number): number {
  scratch.setInt32(0, bits);
  return scratch.getFloat32(0);
}

/** Returns the float of eight bytes that came as two halves. */
export function float64Of(hi: number, lo: number): number {
  scratch.setInt32(0, hi);
  scratch.setInt32(4, lo);
  return scratch.getFloat64(0);
}
