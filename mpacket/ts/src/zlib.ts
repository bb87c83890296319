/**
 * mpacket/zlib reads and writes the payloads of frames once compression is on. It needs node:zlib, which
 * all three runtimes have.
 *
 * @module
 */
import { deflateSync, inflateRawSync, inflateSync } from "node:zlib";
import { Consumed } from "./consumed.ts";
import {
  ERR_BAD_ZLIB,
  ERR_BELOW_THRESHOLD,
  ERR_BUDGET,
  ERR_EMPTY,
  ERR_NEGATIVE,
  ERR_OUT_OF_RANGE,
  ERR_OVER_LIMIT,
  ERR_SHORT,
  ERR_SIZE_MISMATCH,
  ERR_TRAILING,
  errorOf,
  NO_OFFSET,
} from "./error.ts";
import type { OutputBuffer } from "./output.ts";
import { appendVarInt, consumeVarInt, consumeVarIntStrict } from "./varint.ts";

/** The largest packet in bytes that may come compressed. */
export const MAX_INFLATED_LEN = 1 << 23;
/** How many bytes a connection may inflate for each byte it sends. */
export const DEFAULT_INFLATE_RATIO = 128;
/** How many bytes a connection may inflate beyond that ratio. */
export const DEFAULT_INFLATE_BURST = 2 * MAX_INFLATED_LEN;

/** What deflate reaches at best: a claim above it is a lie. */
const ZLIB_MAX_RATIO = 1032;
const ZLIB_HEADER_LEN = 2;
const DEFAULT_LEVEL = 6;
const NOTHING = new Uint8Array(0);

/** How a Deflater compresses. */
export interface DeflateOptions {
  /** Packets shorter than this, in bytes, are sent as they are. */
  threshold?: number;
  /** 1 (fastest) to 9 (smallest); 0 means zlib's usual level, 6. */
  level?: number;
}

/** Deflater writes the payloads of frames once compression is on. */
export class Deflater {
  private readonly threshold: number;
  private readonly level: number;

  /** Throws an MpacketError, out-of-range, for a level that zlib does not have. */
  constructor({ threshold = 0, level = 0 }: DeflateOptions = {}) {
    if (!Number.isInteger(level) || level < 0 || level > 9) {
      throw errorOf(ERR_OUT_OF_RANGE, "compression level", NO_OFFSET);
    }
    this.threshold = threshold;
    this.level = level === 0 ? DEFAULT_LEVEL : level;
  }

  /**
   * Appends the payload of a frame with packet[start, end): its size as a VarInt and the packet in zlib
   * form, or a zero and the packet as it is. Throws an MpacketError: empty or, above MAX_INFLATED_LEN,
   * over-limit.
   */
  appendPayload(out: OutputBuffer, packet: Uint8Array, start = 0, end = packet.length): void {
    const length = end - start;
    if (length === 0) throw errorOf(ERR_EMPTY, "packet", NO_OFFSET);
    if (length > MAX_INFLATED_LEN) throw errorOf(ERR_OVER_LIMIT, "packet", NO_OFFSET);
    if (length < this.threshold) {
      appendVarInt(out, 0);
      out.appendRaw(packet, start, end);
      return;
    }
    const data = deflateSync(packet.subarray(start, end), { level: this.level });
    appendVarInt(out, length);
    out.appendRaw(data);
  }
}

/** What an Inflater accepts. */
export interface InflateOptions {
  /** Largest inflated packet in bytes; 0 means MAX_INFLATED_LEN. */
  maxLen?: number;
  /** Bytes that may be inflated for each byte received; 0 means DEFAULT_INFLATE_RATIO. */
  ratio?: number;
  /** Bytes that may be inflated beyond that; 0 means DEFAULT_INFLATE_BURST. */
  burst?: number;
  /** Size from which the peer must compress; looked at when strict. */
  threshold?: number;
  /** Reject padded sizes and packets on the wrong side of the threshold. */
  strict?: boolean;
}

/**
 * Inflater reads the payloads of frames once compression is on: a VarInt with the size of the packet, then
 * the packet in zlib form, or a zero and the packet as it is.
 *
 * Its limits hold before anything is inflated or allocated: the size that is claimed must be within
 * maxLen, possible for the bytes that came, and within the budget of the connection, a bucket of burst
 * bytes that drains by ratio for each byte received.
 */
export class Inflater {
  /** The packet of the last payload is bytes[start, end): a part of the payload, or memory of its own. */
  bytes: Uint8Array = NOTHING;
  start = 0;
  end = 0;
  /** Size from which the peer must compress; looked at when strict. */
  threshold: number;

  private readonly maxLen: number;
  private readonly ratio: number;
  private readonly burst: number;
  private readonly strict: boolean;
  private readonly got = new Consumed();
  private owed = 0; // bytes inflated beyond the ratio

  constructor({ maxLen = 0, ratio = 0, burst = 0, threshold = 0, strict = false }: InflateOptions = {}) {
    this.maxLen = maxLen > 0 ? maxLen : MAX_INFLATED_LEN;
    this.ratio = ratio > 0 ? ratio : DEFAULT_INFLATE_RATIO;
    this.burst = burst > 0 ? burst : DEFAULT_INFLATE_BURST;
    this.threshold = threshold;
    this.strict = strict;
  }

  /**
   * Inflates payload[start, end), the payload of a frame, and shows the packet in bytes, start and end.
   * Throws an MpacketError that counts from the start of the payload: a bad size, bad-zlib, size-mismatch,
   * trailing, budget or empty; when strict also padded, extra-bits and below-threshold.
   */
  inflate(payload: Uint8Array, start = 0, end = payload.length): void {
    const consume = this.strict ? consumeVarIntStrict : consumeVarInt;
    const size = consume(this.got, payload, start, end);
    const n = this.got.n;
    if (n <= 0) throw errorOf(-n, "data length", 0);
    if (size === 0) {
      this.plain(payload, start, end, n);
      return;
    }
    const code = this.admit(size, end - start - n);
    if (code !== ERR_SHORT) throw errorOf(code, "data length", 0);
    this.fill(payload.subarray(start + n, end), size, n);
  }

  /** Passes on a packet that was not worth compressing. */
  private plain(payload: Uint8Array, start: number, end: number, n: number): void {
    const length = end - start - n;
    if (length === 0) throw errorOf(ERR_EMPTY, "packet", n);
    if (this.strict && length >= this.threshold) throw errorOf(ERR_BELOW_THRESHOLD, "packet", n);
    this.owed = Math.max(0, this.owed - length * this.ratio);
    this.bytes = payload;
    this.start = start + n;
    this.end = end;
  }

  /** Decides on the claimed size of a compressed packet and charges it to the budget. ERR_SHORT stands for a good one. */
  private admit(size: number, received: number): number {
    if (size < 0) return ERR_NEGATIVE;
    if (size > this.maxLen) return ERR_OVER_LIMIT;
    if (this.strict && size < this.threshold) return ERR_BELOW_THRESHOLD;
    if (size > received * ZLIB_MAX_RATIO) return ERR_SIZE_MISMATCH;
    const owed = Math.max(0, this.owed + size - received * this.ratio);
    if (owed > this.burst) return ERR_BUDGET;
    this.owed = owed;
    return ERR_SHORT;
  }

  private fill(data: Uint8Array, size: number, n: number): void {
    const packet = isZlibHeader(data) ? inflateExactly(data, size) : ERR_BAD_ZLIB;
    if (typeof packet === "number") throw errorOf(packet, "zlib data", n);
    this.bytes = packet;
    this.start = 0;
    this.end = size;
  }
}

/** What the inflate functions return with the option info, which their types do not know. */
interface Inflated {
  buffer: Uint8Array;
  engine: { bytesWritten: number };
}

/** Inflates all of data into size bytes, or returns the index of what is wrong with it. */
function inflateExactly(data: Uint8Array, size: number): Uint8Array | number {
  // The buffer holds one byte more than is needed, so that zlib sees the end of the data at once.
  const limits = { info: true, maxOutputLength: size, chunkSize: Math.max(64, size + 1) };
  try {
    const { buffer, engine } = inflateSync(data, limits) as unknown as Inflated;
    if (buffer.length !== size) return ERR_SIZE_MISMATCH;
    return engine.bytesWritten === data.length ? buffer : ERR_TRAILING;
  } catch {
    return faultOf(data, size);
  }
}

/**
 * Says what is wrong with data that zlib refused. It takes the zlib form apart itself, because zlib checks
 * the sum before anybody can look at the size.
 */
function faultOf(data: Uint8Array, size: number): number {
  try {
    const limits = { info: true, maxOutputLength: size, chunkSize: Math.max(64, size + 1) };
    const { buffer } = inflateRawSync(data.subarray(ZLIB_HEADER_LEN), limits) as unknown as Inflated;
    return buffer.length === size ? ERR_BAD_ZLIB : ERR_SIZE_MISMATCH;
  } catch (error) {
    return (error as { code?: unknown }).code === "ERR_BUFFER_TOO_LARGE" ? ERR_SIZE_MISMATCH : ERR_BAD_ZLIB;
  }
}

/**
 * Reports whether data starts as RFC 1950 has it: deflate with a window of at most 32 KB, the check bits
 * right, and no preset dictionary.
 */
function isZlibHeader(data: Uint8Array): boolean {
  if (data.length < ZLIB_HEADER_LEN) return false;
  const method = data[0] as number;
  const flags = data[1] as number;
  return (method & 0x0f) === 8 && method >> 4 <= 7 && (flags & 0x20) === 0 && (method * 256 + flags) % 31 === 0;
}
