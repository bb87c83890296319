import { putVarInt, varIntLength } from "./varint.ts";

/** Capacity of an output buffer that was given none, and what clear keeps of a larger one. */
const DEFAULT_CAPACITY = 64 * 1024;

/**
 * Up to this payload size a loop over bytes is faster than a native copy, which needs a view of the
 * source: a view costs about as much as looping over 40 to 60 bytes on V8 and JavaScriptCore.
 */
const LOOP_MAX = 48;

/**
 * OutputBuffer gathers bytes to be sent. It grows as needed and is meant to be reused: append, hand
 * bytes.subarray(0, length) or (bytes, 0, length) to the socket, clear.
 */
export class OutputBuffer {
  /** The memory; the first length bytes of it are the content. Replaced when it grows. */
  bytes: Uint8Array<ArrayBuffer>;
  /** Bytes gathered so far. */
  length = 0;

  constructor(capacity = DEFAULT_CAPACITY) {
    this.bytes = new Uint8Array(capacity);
  }

  /** The content, as a view that is valid until the next append or clear. */
  get content(): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(0, this.length);
  }

  /** Appends value, a 32-bit integer, as a minimal VarInt. */
  appendVarInt(value: number): void {
    this.reserve(varIntLength(value));
    this.length = putVarInt(this.bytes, this.length, value);
  }

  /** Appends source[start, end) as it is. */
  appendBytes(source: Uint8Array, start = 0, end = source.length): void {
    this.reserve(end - start);
    this.copy(source, start, end);
  }

  /**
   * Appends a frame: the length of source[start, end) as a minimal VarInt, then these bytes. It does
   * not check: peers reject a payload that is empty or longer than MAX_FRAME_LENGTH.
   */
  appendFrame(source: Uint8Array, start = 0, end = source.length): void {
    const length = end - start;
    this.reserve(varIntLength(length) + length);
    this.length = putVarInt(this.bytes, this.length, length);
    this.copy(source, start, end);
  }

  /** Empties the buffer. Its memory stays for reuse, unless it had grown beyond 64 KiB. */
  clear(): void {
    this.length = 0;
    if (this.bytes.length > DEFAULT_CAPACITY) this.bytes = new Uint8Array(DEFAULT_CAPACITY);
  }

  /** Makes room for count more bytes, at least doubling the memory when it does not suffice. */
  private reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, 2 * this.bytes.length));
    grown.set(this.content);
    this.bytes = grown;
  }

  private copy(source: Uint8Array, start: number, end: number): void {
    const bytes = this.bytes;
    let at = this.length;
    if (end - start > LOOP_MAX) {
      bytes.set(source.subarray(start, end), at);
      this.length = at + end - start;
      return;
    }
    for (let i = start; i < end; i++) bytes[at++] = source[i] as number;
    this.length = at;
  }
}
