import { MAX_VARINT_LEN, putVarInt } from "./varint.ts";

/** Capacity of an output buffer that was given none, and what clear keeps of a larger one. */
const DEFAULT_CAPACITY = 64 * 1024;
/** The most that counts as a 32-bit integer. */
const MAX_CAPACITY = 2 ** 31 - 1;

/** Up to this size a loop over bytes is faster than a native copy: that takes 12 ns to get going, a loop 1 ns a byte. */
const LOOP_MAX = 12;
/** The same for a part of the source: a native copy needs a view of it, which costs another 30 ns. */
const PART_LOOP_MAX = 40;

/**
 * OutputBuffer gathers bytes to be sent. It grows as needed and is meant to be reused: append, hand
 * content or (bytes, 0, length) to the socket, clear. The append functions of this package write to one;
 * like its methods they check nothing, which a Writer does.
 */
export class OutputBuffer {
  /** The memory; the first length bytes of it are the content. Replaced when it grows. */
  bytes: Uint8Array<ArrayBuffer>;
  /** The same memory. */
  view: DataView<ArrayBuffer>;
  /** Bytes gathered so far. */
  length = 0;

  constructor(capacity = DEFAULT_CAPACITY) {
    this.bytes = new Uint8Array(capacity);
    this.view = new DataView(this.bytes.buffer);
  }

  /** The content, as a view that is valid until the next append or clear. */
  get content(): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(0, this.length);
  }

  /** Appends source[start, end) as it is, without a length. */
  appendRaw(source: Uint8Array, start = 0, end = source.length): void {
    const at = this.extend(end - start); // may replace bytes
    copy(this.bytes, at, source, start, end);
  }

  /**
   * Appends a frame: the length of source[start, end) as a minimal VarInt, then these bytes. It does
   * not check: peers reject a payload that is empty or longer than MAX_FRAME_LEN.
   */
  appendFrame(source: Uint8Array, start = 0, end = source.length): void {
    const length = end - start;
    this.reserve(MAX_VARINT_LEN + length);
    const at = putVarInt(this.bytes, this.length, length);
    this.length = (at + length) | 0;
    copy(this.bytes, at, source, start, end);
  }

  /** Empties the buffer. Its memory stays for reuse, unless it had grown beyond 64 KiB. */
  clear(): void {
    this.length = 0;
    if (this.bytes.length > DEFAULT_CAPACITY) this.replace(new Uint8Array(DEFAULT_CAPACITY));
  }

  /** Makes room for count more bytes, at least doubling the memory when it does not suffice. */
  reserve(count: number): void {
    if (this.length + count > this.bytes.length) this.grow(count);
  }

  /** Makes count more bytes part of the content, for the caller to fill, and returns where they start. */
  extend(count: number): number {
    const at = this.length;
    if (at + count > this.bytes.length) this.grow(count);
    this.length = (at + count) | 0; // or newer V8 keeps a double, in memory of its own
    return at;
  }

  private grow(count: number): void {
    if (this.length + count > MAX_CAPACITY) {
      throw new RangeError("mpacket: an output buffer holds less than 2 GiB; clear it more often");
    }
    const grown = new Uint8Array(Math.min(MAX_CAPACITY, Math.max(this.length + count, 2 * this.bytes.length)));
    grown.set(this.bytes.subarray(0, this.length));
    this.replace(grown);
  }

  private replace(bytes: Uint8Array<ArrayBuffer>): void {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer);
  }
}

/** Copies source[start, end) to target[at, …). */
function copy(target: Uint8Array, at: number, source: Uint8Array, start: number, end: number): void {
  const length = end - start;
  const whole = length === source.length;
  if (length > (whole ? LOOP_MAX : PART_LOOP_MAX)) {
    target.set(whole ? source : source.subarray(start, end), at);
    return;
  }
  const shift = at - start;
  for (let i = start; i < end; i++) target[i + shift] = source[i] as number;
}
