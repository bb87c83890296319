import { type Kind, MpacketError } from "./error.ts";

/** The largest payload of a frame in bytes: what a three-byte VarInt can say. */
export const MAX_FRAME_LENGTH = 2_097_151;
/** The longest length prefix of a frame in bytes. */
export const MAX_FRAME_HEADER_LENGTH = 3;

/** The first buffer for a split frame, in bytes, unless the frame is shorter. */
const FIRST_HELD = 512;
/** What a decoder keeps for the next split frame while it waits, in bytes. */
const IDLE_HELD_MAX = 64 * 1024;

const NOTHING = new Uint8Array(0);

/** What a FrameDecoder accepts. */
export interface FrameOptions {
  /** Longest payload in bytes; 0 and anything above MAX_FRAME_LENGTH mean MAX_FRAME_LENGTH. */
  maxLength?: number;
  /** Reject length prefixes that are longer than they must be. */
  strict?: boolean;
  /** Pass over frames of length zero instead of rejecting them. */
  skipEmpty?: boolean;
}

/**
 * FrameDecoder cuts a byte stream into frames. Chunks may be split anywhere; every split of the same
 * bytes gives the same frames and the same error.
 *
 *     decoder.push(chunk);
 *     while (decoder.next()) use(decoder.bytes, decoder.start, decoder.end);
 *
 * Its memory is bounded: a frame that is whole in its chunk is shown where it lies; any other is
 * gathered in a buffer that grows with the bytes that came, never with the length that was claimed,
 * to at most maxLength. A frame is three fields rather than an object or a view, because either
 * would be garbage for each frame.
 */
export class FrameDecoder {
  /** The payload of the current frame is bytes[start, end), valid until next or push is called. */
  bytes: Uint8Array = NOTHING;
  start = 0;
  end = 0;

  private readonly maxLength: number;
  private readonly strict: boolean;
  private readonly skipEmpty: boolean;

  private chunk: Uint8Array = NOTHING;
  private at = 0; // bytes of chunk that were taken
  private chunkOffset = 0; // where chunk starts in the stream

  private prefix = 0; // length of the current frame, as far as its prefix was read
  private prefixBytes = 0;
  private want = 0; // length of the current frame once it is known, else 0
  private held: Uint8Array = NOTHING; // payload of a frame that began in an earlier chunk
  private heldLength = 0;
  private fault: MpacketError | undefined;

  constructor({ maxLength = 0, strict = false, skipEmpty = false }: FrameOptions = {}) {
    this.maxLength = maxLength > 0 ? Math.min(maxLength, MAX_FRAME_LENGTH) : MAX_FRAME_LENGTH;
    this.strict = strict;
    this.skipEmpty = skipEmpty;
  }

  /** Bytes of an unfinished frame, its prefix included. Not 0 at the end of a stream: truncated. */
  get buffered(): number {
    return this.prefixBytes + this.heldLength;
  }

  /**
   * Gives the next bytes of the stream to the decoder, which reads them in place until next returns
   * false. Throws a RangeError when frames of the previous chunk are still to be taken. After an
   * error the bytes are ignored.
   */
  push(chunk: Uint8Array): void {
    if (this.fault !== undefined) return;
    if (this.at < this.chunk.length) {
      throw new RangeError("mpacket: push before the previous chunk was used up; call next until it returns false");
    }
    this.chunkOffset += this.at;
    this.chunk = chunk;
    this.at = 0;
  }

  /**
   * Moves to the next frame. It returns false when that needs more bytes; the chunk is then the
   * caller's again.
   *
   * Throws an MpacketError whose offset counts from the start of the stream: too-long, empty,
   * over-limit or, when strict, padded. The stream can then no longer be followed; next throws the
   * same error until reset.
   */
  next(): boolean {
    if (this.want === 0 && !this.readPrefix()) return this.wait();
    const want = this.want;
    const more = Math.min(want - this.heldLength, this.chunk.length - this.at);
    if (more === want) {
      this.bytes = this.chunk;
      this.start = this.at;
      this.at += more;
      this.end = this.at;
    } else {
      this.hold(more);
      if (this.heldLength < want) return this.wait();
      this.bytes = this.held;
      this.start = 0;
      this.end = want;
      this.heldLength = 0;
    }
    this.prefixBytes = 0;
    this.want = 0;
    return true;
  }

  /** Forgets the chunk, the unfinished frame and the error: a new stream begins. */
  reset(): void {
    this.fault = undefined;
    this.prefix = 0;
    this.prefixBytes = 0;
    this.want = 0;
    this.heldLength = 0;
    this.at = this.chunk.length;
    this.wait();
    this.chunkOffset = 0;
  }

  /**
   * Reads on in the length prefix, one byte at a time and in its own fields, so that where the chunks
   * are split cannot matter. Returns whether the length is known.
   */
  private readPrefix(): boolean {
    if (this.fault !== undefined) throw this.fault;
    while (this.at < this.chunk.length) {
      const byte = this.chunk[this.at++] as number;
      this.prefix |= (byte & 0x7f) << (7 * this.prefixBytes++);
      if (byte >= 0x80) {
        // A negative length has five bytes, so it ends here too.
        if (this.prefixBytes === MAX_FRAME_HEADER_LENGTH) this.fail("too-long");
        continue;
      }
      const length = this.prefix;
      if (this.strict && byte === 0 && this.prefixBytes > 1) this.fail("padded");
      if (length > this.maxLength) this.fail("over-limit");
      this.prefix = 0;
      if (length > 0) {
        this.want = length;
        return true;
      }
      if (!this.skipEmpty) this.fail("empty");
      this.prefixBytes = 0;
    }
    return false;
  }

  private fail(kind: Kind): never {
    this.fault = new MpacketError(kind, "frame length", this.chunkOffset + this.at - this.prefixBytes);
    throw this.fault;
  }

  /**
   * Copies count bytes of the chunk to the held ones. The buffer at most doubles, so that a peer has
   * to send half of what it makes us hold.
   */
  private hold(count: number): void {
    const length = this.heldLength + count;
    if (length > this.held.length) {
      const grown = new Uint8Array(Math.min(this.want, Math.max(2 * this.held.length, length, FIRST_HELD)));
      grown.set(this.held.subarray(0, this.heldLength));
      this.held = grown;
    }
    this.held.set(this.chunk.subarray(this.at, this.at + count), this.heldLength);
    this.heldLength = length;
    this.at += count;
  }

  /** Lets go of what an idle decoder must not keep alive. Always false: there is no frame. */
  private wait(): false {
    this.chunkOffset += this.at;
    this.chunk = NOTHING;
    this.at = 0;
    this.bytes = NOTHING;
    this.start = 0;
    this.end = 0;
    if (this.heldLength === 0 && this.held.length > IDLE_HELD_MAX) this.held = NOTHING;
    return false;
  }
}
