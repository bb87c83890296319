import type { Consumed } from "./consumed.ts";
import { appendInt64Parts, consumeInt64Parts } from "./fixed.ts";
import type { OutputBuffer } from "./output.ts";

/** The place of a block. x and z have 26 bits, y has 12, all signed. */
export interface Position {
  x: number;
  y: number;
  z: number;
}

/** Reports whether the protocol can express a position: integers, x and z in ±33,554,432, y in ±2,048. */
export function positionFits({ x, y, z }: Position): boolean {
  return (x << 6) >> 6 === x && (y << 20) >> 20 === y && (z << 6) >> 6 === z;
}

/**
 * Appends value as 8 bytes: x, z, y from the top. Coordinates that do not fit lose their upper bits; a
 * Writer rejects them.
 */
export function appendPosition(out: OutputBuffer, { x, y, z }: Position): void {
  // z spans both halves: 6 of its bits end the upper one, 20 begin the lower one.
  appendInt64Parts(out, (x << 6) | ((z >> 20) & 0x3f), (z << 12) | (y & 0xfff));
}

/** Reads 8 bytes into into. n is 0 when the input is too short. */
export function consumePosition(
  got: Consumed,
  bytes: Uint8Array,
  at = 0,
  end = bytes.length,
  into: Position = { x: 0, y: 0, z: 0 },
): Position {
  consumeInt64Parts(got, bytes, at, end);
  if (got.n > 0) unpackPosition(got.hi, got.lo, into);
  return into;
}

/** Shifts each field to the top and back, which extends its sign. */
export function unpackPosition(hi: number, lo: number, into: Position): void {
  into.x = hi >> 6;
  into.y = (lo << 20) >> 20;
  into.z = (((hi & 0x3f) << 26) >> 6) | (lo >>> 12);
}
