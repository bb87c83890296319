// The AES block cipher, encryption only, in plain JavaScript: two of the three runtimes have no CFB8, and
// a call into their ECB for each byte costs ten times as much as a block here. It looks up tables by
// secret values and therefore does not hide its key from who can time it on the same machine.

/** The length of a block in bytes. */
export const BLOCK_LEN = 16;

/** Multiplies by x in the field of AES. */
function times2(v: number): number {
  return ((v << 1) ^ (v & 0x80 ? 0x11b : 0)) & 0xff;
}

/** The S-box, made of the powers of a generator (3) and their inverses. */
function makeSBox(): Uint8Array {
  const box = new Uint8Array(256);
  let p = 1;
  let inverse = 1;
  do {
    p ^= times2(p);
    // The inverse of 3 is 0xf6: division by 3 is multiplication by it.
    inverse ^= inverse << 1;
    inverse ^= inverse << 2;
    inverse ^= inverse << 4;
    inverse = (inverse ^ (inverse & 0x80 ? 0x09 : 0)) & 0xff;
    const twice = inverse | (inverse << 8);
    box[p] = inverse ^ (twice >> 7) ^ (twice >> 6) ^ (twice >> 5) ^ (twice >> 4) ^ 0x63;
  } while (p !== 1);
  box[0] = 0x63;
  return box;
}

const SBOX = makeSBox();
/** What a byte does to its column in a round; the other three tables are this one, rotated. */
const COLUMN = Int32Array.from(SBOX, (s) => {
  const double = times2(s);
  return (double << 24) | (s << 16) | (s << 8) | (double ^ s);
});
const COLUMN8 = COLUMN.map((v) => (v >>> 8) | (v << 24));
const COLUMN16 = COLUMN.map((v) => (v >>> 16) | (v << 16));
const COLUMN24 = COLUMN.map((v) => (v >>> 24) | (v << 8));

/** Substitutes each byte of a word. */
function substitute(word: number): number {
  return (
    ((SBOX[word >>> 24] as number) << 24) |
    ((SBOX[(word >>> 16) & 0xff] as number) << 16) |
    ((SBOX[(word >>> 8) & 0xff] as number) << 8) |
    (SBOX[word & 0xff] as number)
  );
}

/** Returns the words of all round keys of a key of 16, 24 or 32 bytes. */
export function expandKey(key: Uint8Array): Int32Array {
  const words = key.length / 4;
  const schedule = new Int32Array(4 * (words + 7));
  const view = new DataView(key.buffer, key.byteOffset, key.length);
  let round = 1;
  for (let i = 0; i < schedule.length; i++) {
    if (i < words) {
      schedule[i] = view.getInt32(4 * i);
      continue;
    }
    let word = schedule[i - 1] as number;
    if (i % words === 0) {
      word = substitute((word << 8) | (word >>> 24)) ^ (round << 24);
      round = times2(round);
    } else if (words > 6 && i % words === 4) {
      word = substitute(word);
    }
    schedule[i] = (schedule[i - words] as number) ^ word;
  }
  return schedule;
}

/**
 * Encrypts a block of four words, most significant byte first, and returns the first byte of the result,
 * the only one that CFB8 needs.
 */
export function firstByte(schedule: Int32Array, a: number, b: number, c: number, d: number): number {
  let s0 = a ^ (schedule[0] as number);
  let s1 = b ^ (schedule[1] as number);
  let s2 = c ^ (schedule[2] as number);
  let s3 = d ^ (schedule[3] as number);
  const last = schedule.length - 4;
  for (let k = 4; k < last; k += 4) {
    const t0 = mix(s0, s1, s2, s3) ^ (schedule[k] as number);
    const t1 = mix(s1, s2, s3, s0) ^ (schedule[k + 1] as number);
    const t2 = mix(s2, s3, s0, s1) ^ (schedule[k + 2] as number);
    s3 = mix(s3, s0, s1, s2) ^ (schedule[k + 3] as number);
    s0 = t0;
    s1 = t1;
    s2 = t2;
  }
  return (SBOX[s0 >>> 24] as number) ^ ((schedule[last] as number) >>> 24);
}

/** Returns a column after a round, but for the key. */
function mix(a: number, b: number, c: number, d: number): number {
  return (
    (COLUMN[a >>> 24] as number) ^
    (COLUMN8[(b >>> 16) & 0xff] as number) ^
    (COLUMN16[(c >>> 8) & 0xff] as number) ^
    (COLUMN24[d & 0xff] as number)
  );
}
