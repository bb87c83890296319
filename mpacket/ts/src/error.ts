const TEXTS = {
  "too-long": "it runs on past its longest form; reject the input",
  padded: "it is longer than its value needs; reject it or leave strict mode",
  "over-limit": "it is above its limit; reject the input or raise the limit",
  empty: "it has no payload; reject it or allow empty frames",
} as const;

/** What is wrong with a value. The names and their texts are those of the Go package. */
export type Kind = keyof typeof TEXTS;

/** Bytes that break the format: what is wrong, with which value, and where. */
export class MpacketError extends Error {
  override readonly name = "MpacketError";
  readonly kind: Kind;
  /** The value that is wrong, such as "frame length". */
  readonly what: string;
  /** Byte at which that value starts, from the start of the stream. */
  readonly offset: number;

  constructor(kind: Kind, what: string, offset: number) {
    super(`mpacket: ${what} at byte ${offset}: ${TEXTS[kind]}`);
    this.kind = kind;
    this.what = what;
    this.offset = offset;
  }
}
