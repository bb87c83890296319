/**
 * mpacket/stream turns packets into the bytes of a connection and back: compressed, framed, encrypted. It
 * needs node:zlib and node:crypto, which all three runtimes have.
 *
 * @module
 */
import { type CFB8, newCFB8Decrypter, newCFB8Encrypter } from "./cipher.ts";
import { MpacketError } from "./error.ts";
import { beginFrame, endFrame, FrameDecoder, type FrameOptions } from "./frame.ts";
import type { OutputBuffer } from "./output.ts";
import { Deflater, type InflateOptions, Inflater } from "./zlib.ts";

/**
 * Encoder turns packets into the bytes of one direction of a connection: compressed once setCompression
 * was called, framed, encrypted once setKey was called. Its packets must be sent in the order in which
 * they were made.
 */
export class Encoder {
  private readonly level: number;
  private deflater: Deflater | undefined;
  private cipher: CFB8 | undefined;

  /** level is that of compression, as in DeflateOptions. */
  constructor(level = 0) {
    this.level = level;
  }

  /** Turns compression on, for packets of threshold bytes or more, or off when threshold is negative. */
  setCompression(threshold: number): void {
    this.deflater = threshold < 0 ? undefined : new Deflater({ threshold, level: this.level });
  }

  /** Turns encryption on for all packets that follow. secret has 16 bytes. */
  setKey(secret: Uint8Array): void {
    this.cipher = newCFB8Encrypter(secret, secret);
  }

  /**
   * Appends packet[start, end), its ID and its fields, as it goes over the wire. Throws an MpacketError,
   * empty or over-limit, and then appended nothing: the next packet may be.
   */
  appendPacket(out: OutputBuffer, packet: Uint8Array, start = 0, end = packet.length): void {
    const mark = beginFrame(out);
    try {
      if (this.deflater === undefined) out.appendRaw(packet, start, end);
      else this.deflater.appendPayload(out, packet, start, end);
      endFrame(out, mark);
    } catch (error) {
      out.length = mark;
      throw error;
    }
    if (this.cipher !== undefined) {
      out.bytes.set(this.cipher.update(out.bytes.subarray(mark, out.length)), mark);
    }
  }
}

/**
 * Decoder turns the bytes of one direction of a connection into packets: the inverse of an Encoder. It is
 * used like a FrameDecoder:
 *
 *     decoder.push(chunk);
 *     while (decoder.next()) use(decoder.bytes, decoder.start, decoder.end);
 */
export class Decoder {
  /** The current packet is bytes[start, end), valid until next or push is called. */
  bytes: Uint8Array = new Uint8Array(0);
  start = 0;
  end = 0;

  private readonly frames: FrameDecoder;
  private readonly inflater: Inflater;
  private inflates = false;
  private cipher: CFB8 | undefined;
  private fault: MpacketError | undefined;

  constructor(frames: FrameOptions = {}, inflate: InflateOptions = {}) {
    this.frames = new FrameDecoder(frames);
    this.inflater = new Inflater(inflate);
  }

  /** Bytes of an unfinished frame, its prefix included. Not 0 at the end of a stream: truncated. */
  get buffered(): number {
    return this.frames.buffered;
  }

  /** Says that the peer turned compression on, from threshold bytes, or off when threshold is negative. */
  setCompression(threshold: number): void {
    this.inflates = threshold >= 0;
    this.inflater.threshold = threshold;
  }

  /** Says that all bytes after the current packet are encrypted. secret has 16 bytes. */
  setKey(secret: Uint8Array): void {
    const cipher = newCFB8Decrypter(secret, secret);
    this.cipher = cipher;
    this.frames.transformRest((rest) => cipher.update(rest));
  }

  /** Gives the next bytes of the stream to the decoder, as FrameDecoder.push does. */
  push(chunk: Uint8Array): void {
    this.frames.push(this.cipher === undefined ? chunk : this.cipher.update(chunk));
  }

  /**
   * Moves to the next packet. It returns false when that needs more bytes. Throws the MpacketError of
   * FrameDecoder.next or of Inflater.inflate, with the offset of the frame in the stream. It sticks: the
   * connection must be closed.
   */
  next(): boolean {
    if (this.fault !== undefined) throw this.fault;
    try {
      if (!this.frames.next()) return false;
      this.show();
      return true;
    } catch (error) {
      if (!(error instanceof MpacketError)) throw error;
      this.fault = new MpacketError(error.kind, error.what, this.offsetOf(error));
      throw this.fault;
    }
  }

  private show(): void {
    const from = this.inflates ? this.inflater : this.frames;
    if (this.inflates) this.inflater.inflate(this.frames.bytes, this.frames.start, this.frames.end);
    this.bytes = from.bytes;
    this.start = from.start;
    this.end = from.end;
  }

  /** An error of the frames has its place; one of the inflater counts from the frame's payload. */
  private offsetOf(error: MpacketError): number {
    return error.what === "frame length" ? error.offset : this.frames.frameOffset;
  }
}
