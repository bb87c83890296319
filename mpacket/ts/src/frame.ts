import type { Consumed } from "./consumed.ts";
import {
  ERR_EMPTY,
  ERR_OVER_LIMIT,
  ERR_SHORT,
  ERR_TOO_LONG,
  errorOf,
  type Kind,
  MpacketError,
  NO_OFFSET,
} from "./error.ts";
import { MAX_FRAME_HEADER_LEN, MAX_FRAME_LEN } from "./limits.ts";
import type { OutputBuffer } from "./output.ts";
import { putVarInt, sizeVarInt } from "./varint.ts";

/** The first buffer for a split frame, in bytes, unless the frame is shorter. */
const FIRST_HELD = 512;
/** What a decoder keeps for the next split frame while it waits, in bytes. */
const IDLE_HELD_MAX = 64 * 1024;

const NOTHING = new Uint8Array(0);

/** Appends a frame: the length of payload[start, end) and these bytes, which are not checked. */
export function appendFrame(out: OutputBuffer, payload: Uint8Array, start = 0, end = payload.length): void {
  out.appendFrame(payload, start, end);
}

/**
 * Starts a frame whose payload is not known yet: append the payload, then call endFrame with the mark
 * that this returns.
 */
export function beginFrame(out: OutputBuffer): number {
  return out.extend(1);
}

/**
 * Completes the frame that began at mark: the length prefix is written, minimal, and the payload moved
 * behind it. Throws an MpacketError, empty or over-limit, when no peer would accept the payload.
 */
export function endFrame(out: OutputBuffer, mark: number): void {
  const code = tryEndFrame(out, mark);
  if (code !== ERR_SHORT) throw errorOf(code, "frame", NO_OFFSET);
}

/** endFrame that returns the index of the error, ERR_SHORT for none, in place of throwing. */
export function tryEndFrame(out: OutputBuffer, mark: number): number {
  const length = out.length - mark - 1;
  if (length <= 0) return ERR_EMPTY;
  if (length > MAX_FRAME_LEN) return ERR_OVER_LIMIT;
  const size = sizeVarInt(length);
  if (size > 1) {
    out.extend(size - 1);
    out.bytes.copyWithin(mark + size, mark + 1, mark + 1 + length);
  }
  putVarInt(out.bytes, mark, length);
  return ERR_SHORT;
}

/**
 * Reads the length prefix of a frame from bytes[at, end): 1 to MAX_FRAME_LEN. n is 1 to 3, more than needed
 * when the prefix is padded; 0 when the bytes end inside it, -ERR_TOO_LONG when it does not end within
 * three bytes, as every negative length does not, and -ERR_EMPTY when it says zero.
 */
export function consumeFrameLen(got: Consumed, bytes: Uint8Array, at = 0, end = bytes.length): number {
  let length = 0;
  got.n = 0;
  for (let i = 0; i < MAX_FRAME_HEADER_LEN; i++) {
    if (at + i >= end) return 0;
    const byte = bytes[at + i] as number;
    length |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      got.n = length === 0 ? -ERR_EMPTY : i + 1;
      return length;
    }
  }
  got.n = -ERR_TOO_LONG;
  return 0;
}

/** What a FrameDecoder accepts. */
export interface FrameOptions {
  /** Longest payload in bytes; 0 and anything above MAX_FRAME_LEN mean MAX_FRAME_LEN. */
  maxLen?: number;
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
 * to at most maxLen. A frame is three fields rather than an object or a view, because either
 * would be garbage for each frame.
 */
export class FrameDecoder {
  /** The payload of the current frame is bytes[start, end), valid until next or push is called. */
  bytes: Uint8Array = NOTHING;
  start = 0;
  end = 0;

  private readonly maxLen: number;
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
  private lastOffset = 0;
  private fault: MpacketError | undefined;

  constructor({ maxLen = 0, strict = false, skipEmpty = false }: FrameOptions = {}) {
    this.maxLen = maxLen > 0 ? Math.min(maxLen, MAX_FRAME_LEN) : MAX_FRAME_LEN;
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
    this.lastOffset = this.chunkOffset + this.at - want - this.prefixBytes;
    this.prefixBytes = 0;
    this.want = 0;
    return true;
  }

  /** Where the frame that next found last starts in the stream, its prefix included. */
  get frameOffset(): number {
    return this.lastOffset;
  }

  /** Replaces the bytes that were not taken yet by what transform makes of them: as many bytes. */
  transformRest(transform: (rest: Uint8Array) => Uint8Array): void {
    if (this.at === this.chunk.length) return;
    this.chunkOffset += this.at;
    this.chunk = transform(this.chunk.subarray(this.at));
    this.at = 0;
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
        if (this.prefixBytes === MAX_FRAME_HEADER_LEN) this.fail("too-long");
        continue;
      }
      const length = this.prefix;
      if (this.strict && byte === 0 && this.prefixBytes > 1) this.fail("padded");
      if (length > this.maxLen) this.fail("over-limit");
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
