import { decodeUTF8, isASCII, isLowSurrogate } from "./text.ts";

// Text in NBT is Java's modified UTF-8: each UTF-16 code unit on its own in one to three bytes. So NUL
// takes two, c0 80, and a character above U+FFFF is a pair of surrogates of three bytes each.

const PIECE_UNITS = 4096;

/** Returns the length of the code unit at bytes[at], 1 to 3, or 0 when it is invalid or cut off. */
function unitLen(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return 1;
  const length = (first & 0xe0) === 0xc0 ? 2 : (first & 0xf0) === 0xe0 ? 3 : 0;
  if (length === 0 || at + length > end) return 0;
  for (let i = 1; i < length; i++) {
    if (((bytes[at + i] as number) & 0xc0) !== 0x80) return 0;
  }
  const unit = unitAt(bytes, at);
  return unit >= (length === 2 ? 0x80 : 0x800) || (length === 2 && unit === 0) ? length : 0;
}

/** Decodes the code unit at bytes[at], which is valid. */
function unitAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return first;
  const second = (bytes[at + 1] as number) & 0x3f;
  if (first < 0xe0) return ((first & 0x1f) << 6) | second;
  return ((first & 0x0f) << 12) | (second << 6) | ((bytes[at + 2] as number) & 0x3f);
}

/**
 * Reports whether bytes[start, end) can be decoded. A plain NUL byte can, as in Java; overlong forms other
 * than that of NUL, surrogates without their other half and forms of four bytes cannot.
 */
export function isModifiedUTF8(bytes: Uint8Array, start: number, end: number): boolean {
  if (isASCII(bytes, start, end)) return true;
  let high = false; // the unit before was the first half of a pair
  for (let at = start; at < end; ) {
    const n = unitLen(bytes, at, end);
    if (n === 0) return false;
    const unit = unitAt(bytes, at);
    if (isLowSurrogate(unit) !== high) return false;
    high = unit >= 0xd800 && unit < 0xdc00;
    at += n;
  }
  return !high;
}

/** Decodes valid modified UTF-8. */
export function decodeModifiedUTF8(bytes: Uint8Array, start: number, end: number): string {
  if (isASCII(bytes, start, end)) return decodeUTF8(bytes, start, end) as string;
  const units: number[] = [];
  let text = "";
  for (let at = start; at < end; ) {
    const first = bytes[at] as number;
    units.push(unitAt(bytes, at));
    at += first < 0x80 ? 1 : first < 0xe0 ? 2 : 3;
    if (units.length === PIECE_UNITS) text += String.fromCharCode(...units.splice(0));
  }
  return text + String.fromCharCode(...units);
}

/** Returns the length of text in modified UTF-8. */
export function modifiedUTF8Len(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x80 || unit === 0) length++;
    if (unit >= 0x800) length++;
  }
  return length;
}

/** Writes text to bytes from offset at on. The caller provides the room: modifiedUTF8Len(text) bytes. */
export function encodeModifiedUTF8(text: string, bytes: Uint8Array, at: number): void {
  let next = at;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80 && unit !== 0) {
      bytes[next++] = unit;
      continue;
    }
    if (unit < 0x800) {
      bytes[next++] = 0xc0 | (unit >> 6);
    } else {
      bytes[next++] = 0xe0 | (unit >> 12);
      bytes[next++] = 0x80 | ((unit >> 6) & 0x3f);
    }
    bytes[next++] = 0x80 | (unit & 0x3f);
  }
}
