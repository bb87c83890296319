// UTF-8 and UTF-16. No part of the language turns one into the other, so what runtimes have for it is
// declared here, in as much as it is used.

interface Encoder {
  encodeInto(source: string, target: Uint8Array): { read: number; written: number };
}
interface Decoder {
  decode(bytes: Uint8Array): string;
}
const runtime = globalThis as unknown as {
  TextEncoder: new () => Encoder;
  TextDecoder: new (label: string, options: { ignoreBOM: boolean }) => Decoder;
  Buffer?: {
    prototype: {
      utf8Slice?: (this: Uint8Array, start: number, end: number) => string;
      utf8Write?: (this: Uint8Array, text: string, at: number) => number;
    };
  };
  Bun?: unknown;
  Deno?: unknown;
};
const encoder = new runtime.TextEncoder();
// A fatal decoder costs three times as much on Deno. This one writes U+FFFD for what is invalid, and
// only text with that in it has to be looked at again.
const decoder = new runtime.TextDecoder("utf-8", { ignoreBOM: true });
const REPLACEMENT = "\uFFFD";
/** What Buffers decode with, where there are any: it takes any bytes, needs no view and is twice as fast. */
const utf8Slice = runtime.Buffer?.prototype.utf8Slice;
/** What Buffers encode with: needs no view either. Deno's is slower than encodeInto with one. */
const utf8Write = runtime.Deno === undefined ? runtime.Buffer?.prototype.utf8Write : undefined;

/** Up to this many bytes of ASCII are decoded here: all else takes a while to get going. Measured. */
const SHORT_ASCII_MAX = runtime.Bun === undefined ? 16 : 8;

/**
 * Up to this many UTF-16 units are encoded one by one: all else takes a while to get going. They take 126
 * bytes at most, so that their length is one byte and can be written last.
 */
export const LOOP_MAX_UNITS = utf8Write === undefined ? 42 : 20;

const fromUnits = String.fromCharCode;

/** Reports whether bytes[at, end) are ASCII. */
export function isASCII(bytes: Uint8Array, at: number, end: number): boolean {
  let seen = 0;
  for (let i = at; i < end; i++) seen |= bytes[i] as number;
  return seen < 0x80;
}

/** Decodes ASCII, in as few pieces as possible: joining them is what costs. */
function decodeShort(b: Uint8Array, start: number, end: number): string {
  let text = "";
  let at = start;
  for (; end - at >= 16; at += 16) {
    text += fromUnits(
      b[at] as number,
      b[at + 1] as number,
      b[at + 2] as number,
      b[at + 3] as number,
      b[at + 4] as number,
      b[at + 5] as number,
      b[at + 6] as number,
      b[at + 7] as number,
      b[at + 8] as number,
      b[at + 9] as number,
      b[at + 10] as number,
      b[at + 11] as number,
      b[at + 12] as number,
      b[at + 13] as number,
      b[at + 14] as number,
      b[at + 15] as number,
    );
  }
  if (end - at >= 8) {
    text += fromUnits(
      b[at] as number,
      b[at + 1] as number,
      b[at + 2] as number,
      b[at + 3] as number,
      b[at + 4] as number,
      b[at + 5] as number,
      b[at + 6] as number,
      b[at + 7] as number,
    );
    at += 8;
  }
  if (end - at >= 4) {
    text += fromUnits(b[at] as number, b[at + 1] as number, b[at + 2] as number, b[at + 3] as number);
    at += 4;
  }
  if (end - at >= 2) {
    text += fromUnits(b[at] as number, b[at + 1] as number);
    at += 2;
  }
  return at < end ? text + fromUnits(b[at] as number) : text;
}

/** Decodes UTF-8, or returns undefined when bytes[start, end) is not valid UTF-8. */
export function decodeUTF8(bytes: Uint8Array, start: number, end: number): string | undefined {
  if (end - start <= SHORT_ASCII_MAX && isASCII(bytes, start, end)) return decodeShort(bytes, start, end);
  const text = utf8Slice === undefined ? decoder.decode(bytes.subarray(start, end)) : utf8Slice.call(bytes, start, end);
  return text.includes(REPLACEMENT) && !isUTF8(bytes, start, end) ? undefined : text;
}

/** Decodes UTF-8; each run of bytes that is not valid becomes one U+FFFD. */
export function decodeUTF8Lossy(bytes: Uint8Array, start: number, end: number): string {
  let text = "";
  let at = start;
  while (at < end) {
    const good = at;
    for (let n = charLen(bytes, at, end); n > 0; n = charLen(bytes, at, end)) at += n;
    text += decoder.decode(bytes.subarray(good, at));
    const bad = at;
    while (at < end && charLen(bytes, at, end) === 0) at++;
    if (at > bad) text += REPLACEMENT;
  }
  return text;
}

/** Reports whether bytes[start, end) is valid UTF-8. */
export function isUTF8(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; ) {
    if ((bytes[at] as number) < 0x80) {
      at++;
      continue;
    }
    const n = charLen(bytes, at, end);
    if (n === 0) return false;
    at += n;
  }
  return true;
}

/** The least second byte after the first byte of a character: overlong forms have less. */
function leastSecond(first: number): number {
  return first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
}

/** The greatest second byte: surrogates and characters above U+10FFFF have more. */
function greatestSecond(first: number): number {
  return first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
}

/** Returns the length of the UTF-8 character at bytes[at], 0 when it is invalid or cut off by end. */
function charLen(bytes: Uint8Array, at: number, end: number): number {
  if (at >= end) return 0;
  const first = bytes[at] as number;
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length === 0 || at + length > end) return 0;
  const second = bytes[at + 1] as number;
  if (second < leastSecond(first) || second > greatestSecond(first)) return 0;
  for (let i = 2; i < length; i++) {
    if (((bytes[at + i] as number) & 0xc0) !== 0x80) return 0;
  }
  return length;
}

/**
 * Returns the length of valid UTF-8 in UTF-16 code units: one for each byte that starts a character and
 * one more for each character of four bytes.
 */
export function utf16Len(bytes: Uint8Array, start: number, end: number): number {
  let units = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if ((byte & 0xc0) !== 0x80) units++;
    if (byte >= 0xf0) units++;
  }
  return units;
}

/** Returns the length of text in UTF-8 bytes; half a surrogate pair counts three. */
export function utf8Len(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x80) length++;
    if (unit >= 0x800) length++;
    // A pair takes four bytes; its two units count as two, and this adds the other two.
    if (unit >= 0xd800 && unit < 0xdc00 && isLowSurrogate(text.charCodeAt(i + 1))) i++;
  }
  return length;
}

/** Reports whether unit is the second half of a surrogate pair. */
export function isLowSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xdc00;
}

/** Writes text as UTF-8 to bytes from offset at on, where 3 × text.length bytes fit, and returns the offset after it. */
export function encodeUTF8(text: string, bytes: Uint8Array, at: number): number {
  if (utf8Write !== undefined) return (at + utf8Write.call(bytes, text, at)) | 0;
  return (at + encoder.encodeInto(text, bytes.subarray(at)).written) | 0;
}
