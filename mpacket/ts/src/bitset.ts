import type { Consumed } from "./consumed.ts";
import { int32At } from "./fixed.ts";
import type { OutputBuffer } from "./output.ts";
import { highOf, joinUnsigned, lowOf, split } from "./parts.ts";
import { appendVarInt, consumeLen } from "./varint.ts";

/** A set of small numbers, in 64-bit words: bit i % 64 of word i / 64 says whether i is in it. */
export class BitSet {
  /** How many 64-bit words the set has. Words of zeros count. */
  wordCount = 0;
  /** The lower half of each word, then its upper half; bit i % 32 of entry i / 32 is that of number i. */
  private halves = new Uint32Array(2);

  /** Returns a set of these words, unsigned 64-bit integers. */
  static of(words: readonly bigint[]): BitSet {
    const set = new BitSet();
    set.resize(words.length);
    for (const [i, word] of words.entries()) {
      split(word);
      set.setWord(i, highOf(), lowOf());
    }
    return set;
  }

  /** The words, as unsigned 64-bit integers. */
  get words(): bigint[] {
    return Array.from({ length: this.wordCount }, (_, i) => joinUnsigned(this.high(i), this.low(i)));
  }

  /** Reports whether i is in the set. Numbers past its end are not, nor are negative ones. */
  has(i: number): boolean {
    return i >= 0 && i < 64 * this.wordCount && ((this.halves[i >>> 5] as number) & (1 << (i & 31))) !== 0;
  }

  /** Adds i, a whole number of 0 or more, and returns the set, extended where it must be. */
  with(i: number): this {
    const word = Math.floor(i / 64);
    if (word >= this.wordCount) this.resize(word + 1);
    const half = i >>> 5;
    this.halves[half] = (this.halves[half] as number) | (1 << (i & 31));
    return this;
  }

  /** Returns the upper half of a word, unsigned. */
  high(word: number): number {
    return this.halves[2 * word + 1] as number;
  }

  /** Returns the lower half of a word, unsigned. */
  low(word: number): number {
    return this.halves[2 * word] as number;
  }

  /** Replaces a word by two halves. */
  setWord(word: number, hi: number, lo: number): void {
    this.halves[2 * word] = lo;
    this.halves[2 * word + 1] = hi;
  }

  /** Cuts the set to that many words, or extends it by words of zeros. The memory is reused. */
  resize(wordCount: number): void {
    if (2 * wordCount > this.halves.length) {
      const grown = new Uint32Array(Math.max(2 * wordCount, 2 * this.halves.length));
      grown.set(this.halves.subarray(0, 2 * this.wordCount));
      this.halves = grown;
    } else if (wordCount > this.wordCount) {
      this.halves.fill(0, 2 * this.wordCount, 2 * wordCount);
    }
    this.wordCount = wordCount;
  }
}

/** Appends the number of words as a VarInt, then the words, big endian. */
export function appendBitSet(out: OutputBuffer, set: BitSet): void {
  appendVarInt(out, set.wordCount);
  const at = out.extend(8 * set.wordCount);
  for (let i = 0; i < set.wordCount; i++) {
    out.view.setUint32(at + 8 * i, set.high(i));
    out.view.setUint32(at + 8 * i + 4, set.low(i));
  }
}

/**
 * Reads a set of at most limitWords words into into. n is 0 when the input is too short, else
 * -ERR_TOO_LONG, -ERR_NEGATIVE or -ERR_OVER_LIMIT when the count is bad. Nothing is allocated for words
 * that have not come.
 */
export function consumeBitSet(
  got: Consumed,
  bytes: Uint8Array,
  at: number,
  end: number,
  limitWords: number,
  into: BitSet = new BitSet(),
): BitSet {
  const count = consumeLen(got, bytes, at, end, limitWords);
  into.resize(0);
  if (got.n <= 0) return into;
  if (end - at - got.n < 8 * count) {
    got.n = 0;
    return into;
  }
  into.resize(count);
  let next = at + got.n;
  for (let i = 0; i < count; i++, next += 8) into.setWord(i, int32At(bytes, next), int32At(bytes, next + 4));
  got.n += 8 * count;
  return into;
}
