import { consumeSpan } from "./bytes.ts";
import type { Consumed } from "./consumed.ts";
import { ERR_BAD_UTF8, ERR_OVER_LIMIT, ERR_SHORT, errorOf, type MpacketError, NO_OFFSET } from "./error.ts";
import { MAX_STRING_UNITS } from "./limits.ts";
import type { OutputBuffer } from "./output.ts";
import { decodeUTF8, decodeUTF8Lossy, encodeUTF8, isUTF8, LOOP_MAX_UNITS, utf8Len, utf16Len } from "./text.ts";
import { MAX_VARINT_LEN, putVarInt, sizeVarInt } from "./varint.ts";

const NOTHING = new Uint8Array(0);

/** Returns the most bytes that a text of limitUnits takes: UTF-8 needs up to three for one UTF-16 code unit. */
function stringBytes(limitUnits: number): number {
  return 3 * limitUnits;
}

/**
 * Appends the length of text in UTF-8 bytes as a VarInt, then text. It does not check: half a surrogate
 * pair becomes U+FFFD. Use checkString first, or a Writer, where text comes from outside.
 */
export function appendString(out: OutputBuffer, text: string): void {
  if (text.length <= LOOP_MAX_UNITS) appendShort(out, text);
  else appendLong(out, text);
}

function appendShort(out: OutputBuffer, text: string): void {
  const units = text.length;
  const start = out.length;
  out.reserve(1 + 3 * units);
  const bytes = out.bytes;
  let at = start + 1;
  for (let i = 0; i < units; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x80) {
      at = encodeUTF8(text.slice(i), bytes, at);
      break;
    }
    bytes[at++] = unit;
  }
  bytes[start] = at - start - 1;
  out.length = at | 0;
}

/** Encodes behind a prefix as long as that of ASCII, and moves the text where it needs a longer one. */
function appendLong(out: OutputBuffer, text: string): void {
  out.reserve(MAX_VARINT_LEN + stringBytes(text.length));
  const { bytes, length: start } = out;
  const guess = sizeVarInt(text.length);
  const end = encodeUTF8(text, bytes, start + guess);
  const length = end - start - guess;
  const shift = sizeVarInt(length) - guess;
  if (shift > 0) bytes.copyWithin(start + guess + shift, start + guess, end);
  putVarInt(bytes, start, length);
  out.length = (end + shift) | 0;
}

/**
 * Returns the error, bad-utf8 or over-limit, when text may not be written as a string of at most
 * limitUnits UTF-16 code units. Half a surrogate pair has no valid UTF-8.
 */
export function checkString(text: string, limitUnits = MAX_STRING_UNITS): MpacketError | undefined {
  const code = badText(text, limitUnits);
  return code === ERR_SHORT ? undefined : errorOf(code, "string", NO_OFFSET);
}

/** Returns the index of what is wrong with a text to be written, ERR_SHORT for nothing. */
export function badText(text: string, limitUnits: number): number {
  if (text.length > limitUnits && (utf8Len(text) > stringBytes(limitUnits) || text.isWellFormed()))
    return ERR_OVER_LIMIT;
  return text.isWellFormed() ? ERR_SHORT : ERR_BAD_UTF8;
}

/**
 * Reads a string of at most limitUnits UTF-16 code units. n is 0 when the input is too short; a bad
 * string gives -ERR_TOO_LONG, -ERR_NEGATIVE, -ERR_OVER_LIMIT or -ERR_BAD_UTF8. A length that no string
 * within the limit can have is rejected before its bytes have come.
 */
export function consumeString(
  got: Consumed,
  bytes: Uint8Array,
  at = 0,
  end = bytes.length,
  limitUnits = MAX_STRING_UNITS,
): string {
  const length = consumeSpan(got, bytes, at, end, stringBytes(limitUnits));
  if (got.n <= 0) return "";
  const text = decodeUTF8(bytes, at + got.n - length, at + got.n);
  if (text === undefined) got.n = -ERR_BAD_UTF8;
  else if (text.length > limitUnits) got.n = -ERR_OVER_LIMIT;
  else return text;
  return "";
}

/** consumeString without making a string: returns its valid UTF-8 as a view. */
export function consumeStringView(
  got: Consumed,
  bytes: Uint8Array,
  at = 0,
  end = bytes.length,
  limitUnits = MAX_STRING_UNITS,
): Uint8Array {
  const length = consumeStringSpan(got, bytes, at, end, limitUnits);
  return got.n > 0 ? bytes.subarray(at + got.n - length, at + got.n) : NOTHING;
}

/** consumeStringView without a view: returns the length of the text, which ends the n bytes that were read. */
export function consumeStringSpan(
  got: Consumed,
  bytes: Uint8Array,
  at: number,
  end: number,
  limitUnits: number,
): number {
  const length = consumeSpan(got, bytes, at, end, stringBytes(limitUnits));
  if (got.n <= 0) return 0;
  const start = at + got.n - length;
  if (!isUTF8(bytes, start, start + length)) got.n = -ERR_BAD_UTF8;
  else if (length > limitUnits && utf16Len(bytes, start, start + length) > limitUnits) got.n = -ERR_OVER_LIMIT;
  return length;
}

/**
 * consumeString for callers who would rather read damaged text than none: each run of bytes that is not
 * valid UTF-8 becomes one U+FFFD. The limit holds for the result.
 */
export function consumeStringLossy(
  got: Consumed,
  bytes: Uint8Array,
  at = 0,
  end = bytes.length,
  limitUnits = MAX_STRING_UNITS,
): string {
  const length = consumeSpan(got, bytes, at, end, stringBytes(limitUnits));
  if (got.n <= 0) return "";
  const start = at + got.n - length;
  const text = decodeUTF8(bytes, start, start + length) ?? decodeUTF8Lossy(bytes, start, start + length);
  if (text.length <= limitUnits) return text;
  got.n = -ERR_OVER_LIMIT;
  return "";
}
