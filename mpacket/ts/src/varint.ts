/** The longest encoding of a VarInt in bytes. */
export const MAX_VARINT_LENGTH = 5;

/**
 * Returns how many bytes the minimal encoding of value takes, 1 to 5. Values are 32-bit integers;
 * negative ones take 5.
 */
export function varIntLength(value: number): number {
  // Seven bits a byte: ceil(bits / 7) for 1 to 32 bits, without a division.
  return ((38 - Math.clz32(value | 1)) * 37) >> 8;
}

/**
 * Writes the minimal encoding of value, a 32-bit integer, to bytes from offset at on, and returns
 * the offset after it. The caller provides the room: varIntLength(value) bytes.
 */
export function putVarInt(bytes: Uint8Array, at: number, value: number): number {
  let rest = value >>> 0;
  let next = at;
  while (rest >= 0x80) {
    bytes[next++] = rest | 0x80;
    rest >>>= 7;
  }
  bytes[next++] = rest;
  return next;
}

/**
 * Returns how many bytes the VarInt at offset at of bytes takes, more than it must when it is
 * padded; 0 when the bytes end inside it, and -1 when it runs on past five bytes.
 *
 * Measuring and reading are two steps because one function cannot return both without making an
 * object for each value.
 */
export function measureVarInt(bytes: Uint8Array, at = 0): number {
  const end = Math.min(bytes.length, at + MAX_VARINT_LENGTH);
  for (let next = at; next < end; next++) {
    if ((bytes[next] as number) < 0x80) return next + 1 - at;
  }
  return end - at === MAX_VARINT_LENGTH ? -1 : 0;
}

/**
 * Returns the value of the VarInt at offset at of bytes, -2,147,483,648 to 2,147,483,647; bits
 * beyond the 32nd are dropped. The VarInt must be whole: measureVarInt returned more than 0 for it.
 */
export function readVarInt(bytes: Uint8Array, at = 0): number {
  let value = 0;
  for (let i = 0; i < MAX_VARINT_LENGTH; i++) {
    const byte = bytes[at + i] as number;
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) break;
  }
  return value;
}
