// Helpers of the tests; not part of the package.

/**
 * Returns a source of whole numbers in [0, limit) that repeats itself for the same seed, so that a
 * failing property test can be run again.
 */
export function randomFrom(seed: number): (limit: number) => number {
  let state = seed >>> 0 || 0x9e3779b9; // xorshift32 never leaves 0
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
}

/** Returns length random bytes. */
export function randomBytes(random: (limit: number) => number, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) bytes[i] = random(256);
  return bytes;
}

/** Reads "01 ff" as bytes. */
export function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/[0-9a-f]{2}/g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** Writes bytes as "01ff". */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
