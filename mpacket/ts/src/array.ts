import type { Consumed } from "./consumed.ts";
import { appendBool, consumeBool } from "./fixed.ts";
import { int32LEAt } from "./fixed_le.ts";
import type { OutputBuffer } from "./output.ts";
import { appendVarInt, consumeLen, consumeVarInt, gather7, MORE } from "./varint.ts";

/** Appends one value, as all append functions do. */
export type Append<T> = (out: OutputBuffer, value: T) => void;
/** Reads one value, as all consume functions do. */
export type Consume<T> = (got: Consumed, bytes: Uint8Array, at: number, end: number) => T;

/** Appends the number of values as a VarInt, then each value, as in appendArray(out, ids, appendVarInt). */
export function appendArray<T>(out: OutputBuffer, values: readonly T[], appendValue: Append<T>): void {
  appendVarInt(out, values.length);
  for (const value of values) appendValue(out, value);
}

/**
 * Reads an array of at most limit values, each with consumeValue. n is 0 when the input is too short,
 * which holds for every count above the number of bytes left, else -ERR_TOO_LONG, -ERR_NEGATIVE,
 * -ERR_OVER_LIMIT or what consumeValue left. Nothing is allocated for values that have not come.
 */
export function consumeArray<T>(
  got: Consumed,
  bytes: Uint8Array,
  at: number,
  end: number,
  limit: number,
  consumeValue: Consume<T>,
): T[] {
  const values: T[] = [];
  const count = consumeCount(got, bytes, at, end, limit);
  let size = got.n;
  for (let i = 0; got.n > 0 && i < count; i++) {
    const value = consumeValue(got, bytes, at + size, end);
    if (got.n <= 0) return [];
    values.push(value);
    size += got.n;
  }
  if (got.n > 0) got.n = size;
  return values;
}

/** Reads the count of an array whose values take a byte each at least. */
export function consumeCount(got: Consumed, bytes: Uint8Array, at: number, end: number, limit: number): number {
  const count = consumeLen(got, bytes, at, end, limit);
  if (got.n > 0 && count > end - at - got.n) got.n = 0;
  return got.n > 0 ? count : 0;
}

/** Appends false for undefined, else true and the value. */
export function appendOptional<T>(out: OutputBuffer, value: T | undefined, appendValue: Append<T>): void {
  appendBool(out, value !== undefined);
  if (value !== undefined) appendValue(out, value);
}

/**
 * Reads a bool and, when it is true, a value; undefined otherwise. n is 0 when the input is too short,
 * else what consumeValue left.
 */
export function consumeOptional<T>(
  got: Consumed,
  bytes: Uint8Array,
  at: number,
  end: number,
  consumeValue: Consume<T>,
): T | undefined {
  if (!consumeBool(got, bytes, at, end)) return undefined;
  const value = consumeValue(got, bytes, at + 1, end);
  if (got.n <= 0) return undefined;
  got.n += 1;
  return value;
}

/** Appends the number of values as a VarInt, then each as a VarInt. */
export function appendVarInts(out: OutputBuffer, values: ArrayLike<number>): void {
  appendVarInt(out, values.length);
  for (let i = 0; i < values.length; i++) appendVarInt(out, values[i] as number);
}

/**
 * Reads an array of VarInts into the memory of into and returns how many there are, at most its length.
 * n is that of consumeArray.
 */
export function consumeVarInts(got: Consumed, bytes: Uint8Array, at: number, end: number, into: Int32Array): number {
  const count = consumeCount(got, bytes, at, end, into.length);
  let next = at + got.n;
  for (let i = 0; i < count; i++) {
    // Reader.readVarInt again, because a place in a variable is faster than one in a field.
    if (next + 4 <= end) {
      const x = int32LEAt(bytes, next);
      const stops = ~x & MORE;
      if (stops !== 0) {
        const stop = stops & -stops;
        into[i] = gather7(x & (stop - 1));
        next += (32 - Math.clz32(stop)) >>> 3;
        continue;
      }
    }
    into[i] = consumeVarInt(got, bytes, next, end);
    if (got.n <= 0) return 0;
    next += got.n;
  }
  if (got.n > 0) got.n = next - at;
  return count;
}
