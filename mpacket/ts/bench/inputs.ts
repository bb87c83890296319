// Inputs are many and random, because a branch predictor learns a few by heart, and the same in each run.
import { type Position, type UUID, Writer } from "../src/index.ts";
import { randomBytes, randomFrom } from "../src/testing.ts";

/** How many values of each kind there are; a power of two. */
export const INPUTS = 1 << 15;
/** How many are written before the buffer is used anew. */
export const ROUND = 512;

/** Returns INPUTS values, made with a random source. */
function values<T>(seed: number, make: (random: (limit: number) => number, i: number) => T): T[] {
  const random = randomFrom(seed);
  return Array.from({ length: INPUTS }, (_, i) => make(random, i));
}

/** Any 32-bit integers. */
export const int32s = values(11, (random) => random(2 ** 32) | 0);
/** Any 64-bit integers. */
export const int64s = values(12, (random) =>
  BigInt.asIntN(64, (BigInt(random(2 ** 32)) << 32n) | BigInt(random(2 ** 32))),
);
/** Numbers that take one byte as a VarInt. */
export const smallInts = values(13, (random) => random(128));
/** Numbers whose VarInts have every length equally often. */
export const mixedInts = values(14, (random) => {
  const bits = [7, 14, 21, 28, 32][random(5)] as number;
  return (random(2 ** 32) >>> (32 - bits)) | (1 << (bits - 1));
});
/** Strings of 4 to 28 characters, one in eight not ASCII. */
export const words = values(15, (random, i) => {
  const letters = Array.from({ length: 4 + random(25) }, () => String.fromCharCode(97 + random(26)));
  if (i % 8 === 0) letters[0] = "ä";
  return letters.join("");
});

/** Returns 256 KiB of payloads of one length. */
export function payloads(length: number): Uint8Array[] {
  const all = randomBytes(randomFrom(length), 256 * 1024);
  return Array.from({ length: all.length / length }, (_, i) => all.subarray(i * length, (i + 1) * length));
}

/** A movement. */
export interface Small {
  entity: number;
  x: number;
  y: number;
  z: number;
  ground: boolean;
}
export const smalls: Small[] = values(16, (random, i) => ({
  entity: (mixedInts[i] as number) & 0x1f_ffff,
  x: random(65_536) - 32_768,
  y: random(65_536) - 32_768,
  z: random(65_536) - 32_768,
  ground: random(2) === 1,
}));

/** A chat line. */
export interface Medium {
  id: UUID;
  at: Position;
  timeHi: number;
  timeLo: number;
  text: string;
}
export const mediums: Medium[] = values(17, (random, i) => ({
  id: { a: random(2 ** 32) | 0, b: i, c: 0, d: random(2 ** 32) | 0 },
  at: { x: random(2 ** 26) - 2 ** 25, y: random(4096) - 2048, z: random(2 ** 26) - 2 ** 25 },
  timeHi: int32s[i] as number,
  timeLo: random(2 ** 32) | 0,
  text: [words[i], words[(i + 7) % INPUTS], words[(i + 77) % INPUTS]].join(" "),
}));

/** A block of data with names. */
export interface Large extends Medium {
  name: string;
  counts: number[];
  data: Uint8Array;
}
const blocks = payloads(512);
export const larges: Large[] = mediums.slice(0, INPUTS / 8).map((medium, i) => ({
  ...medium,
  name: words[i] as string,
  counts: mixedInts.slice(i, i + 32),
  data: blocks[i % blocks.length] as Uint8Array,
}));

/** Returns the payloads of packets. */
export function encodeAll<P>(packets: readonly P[], write: (writer: Writer, packet: P) => void): Uint8Array[] {
  const writer = new Writer();
  return packets.map((packet) => {
    writer.clear();
    write(writer, packet);
    return writer.content.slice();
  });
}
