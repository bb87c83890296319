import type { Consumed } from "./consumed.ts";
import { ERR_BAD_IDENTIFIER } from "./error.ts";
import { appendString, consumeString } from "./string.ts";

/** The namespace of an identifier that names none. */
export const DEFAULT_NAMESPACE = "minecraft";

const FORM = /^(?:[a-z0-9_.-]*:)?[a-z0-9_./-]+$/;

/** Reports whether text is an identifier: [namespace:]path of a-z 0-9 _ - . and, in the path, /. */
export function isIdentifier(text: string): boolean {
  return FORM.test(text);
}

/**
 * Takes an identifier apart: "stone", ":stone" and "minecraft:stone" all give "minecraft" and "stone".
 * Returns undefined when text is no identifier.
 */
export function splitIdentifier(text: string): { namespace: string; path: string } | undefined {
  if (!isIdentifier(text)) return undefined;
  const colon = text.indexOf(":");
  return { namespace: text.slice(0, Math.max(0, colon)) || DEFAULT_NAMESPACE, path: text.slice(colon + 1) };
}

/** Appends an identifier as a string. It does not check; a Writer does. */
export const appendIdentifier = appendString;

/**
 * Reads an identifier, in the form in which it was sent. n is that of consumeString, and
 * -ERR_BAD_IDENTIFIER when the string is no identifier.
 */
export function consumeIdentifier(got: Consumed, bytes: Uint8Array, at = 0, end = bytes.length): string {
  const text = consumeString(got, bytes, at, end);
  if (got.n <= 0 || isIdentifier(text)) return text;
  got.n = -ERR_BAD_IDENTIFIER;
  return "";
}
