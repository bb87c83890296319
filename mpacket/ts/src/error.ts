/**
 * The kinds of errors in their order: a consume function that fails leaves -index as its n. Names and
 * texts are those of the Go package.
 */
const TEXTS = {
  short: "the input ends inside it; wait for more bytes or reject the packet",
  "too-long": "it runs on past its longest form; reject the input",
  padded: "it is longer than its value needs; reject it or leave strict mode",
  "extra-bits": "its last byte has bits that do not fit; reject it or leave strict mode",
  negative: "it is below zero; reject the input",
  "over-limit": "it is above its limit; reject the input or raise the limit",
  empty: "it has no payload; reject it or allow empty frames",
  trailing: "bytes are left over here; reject the packet or read them too",
  "bad-utf8": "it is not valid UTF-8; reject it or read it with a lossy function",
  "bad-bool": "it is neither 0 nor 1; reject it or leave strict mode",
  "bad-identifier": "it is not of the form namespace:path in a-z 0-9 _ - . (and / in the path); correct it",
  "bad-nbt": "its tag is unknown or not allowed here; reject the input",
  "bad-zlib": "it is not intact zlib data; close the connection",
  "size-mismatch": "it does not inflate to the size it claims; close the connection",
  "below-threshold": "its size is on the wrong side of the threshold; reject it or leave strict mode",
  budget: "the connection inflates far more than it sends; close it or raise burst and ratio",
  "bad-packet": "it is not what the protocol expects here; close the connection",
  "out-of-range": "its type cannot hold it; correct the value",
} as const;

/** What is wrong with a value. */
export type Kind = keyof typeof TEXTS;

/** All kinds; the n of a consume function that failed is minus the index of its kind. */
export const KINDS = Object.keys(TEXTS) as readonly Kind[];

// The indexes of the kinds. ERR_SHORT is 0: nothing was read yet, and more input may help. Functions
// inside the package that judge a value return it for "nothing wrong", which no whole value can be.
export const ERR_SHORT = 0;
export const ERR_TOO_LONG = 1;
export const ERR_PADDED = 2;
export const ERR_EXTRA_BITS = 3;
export const ERR_NEGATIVE = 4;
export const ERR_OVER_LIMIT = 5;
export const ERR_EMPTY = 6;
export const ERR_TRAILING = 7;
export const ERR_BAD_UTF8 = 8;
export const ERR_BAD_BOOL = 9;
export const ERR_BAD_IDENTIFIER = 10;
export const ERR_BAD_NBT = 11;
export const ERR_BAD_ZLIB = 12;
export const ERR_SIZE_MISMATCH = 13;
export const ERR_BELOW_THRESHOLD = 14;
export const ERR_BUDGET = 15;
export const ERR_BAD_PACKET = 16;
export const ERR_OUT_OF_RANGE = 17;

/** The offset of an error that has no place in a packet or stream. */
export const NO_OFFSET = -1;

/** Bytes that break the format, or a value that the format cannot hold: what is wrong, and where. */
export class MpacketError extends Error {
  override readonly name = "MpacketError";
  readonly kind: Kind;
  /** The value that is wrong, such as "frame length". */
  readonly what: string;
  /** Byte at which that value starts, from the start of the packet or stream; NO_OFFSET without a place. */
  readonly offset: number;

  constructor(kind: Kind, what: string, offset: number) {
    super(`mpacket: ${what}${offset === NO_OFFSET ? "" : ` at byte ${offset}`}: ${TEXTS[kind]}`);
    this.kind = kind;
    this.what = what;
    this.offset = offset;
  }
}

/** Returns the error with that index in KINDS. */
export function errorOf(code: number, what: string, offset: number): MpacketError {
  return new MpacketError(KINDS[code] as Kind, what, offset);
}

/** Returns the error for the n of a consume function, undefined when it is above 0. */
export function parseError(n: number): MpacketError | undefined {
  return n > 0 ? undefined : errorOf(-n, "value", NO_OFFSET);
}
