import { Consumed } from "./consumed.ts";
import { ERR_BAD_BOOL, ERR_SHORT, ERR_TRAILING, errorOf, type MpacketError } from "./error.ts";
import { int32At } from "./fixed.ts";
import { int32LEAt } from "./fixed_le.ts";

const NOTHING = new Uint8Array(0);
/** What a read of up to sixteen bytes reads after a failure. */
export const ZEROS = new Uint8Array(16);
/** The end of a packet after a failure: no value fits in front of it. */
export const FAILED = -1;
/** Bools by bit: picking one is no branch, which no branch predictor could guess for mixed values. */
const BOOLS = [false, true] as const;

/** FixedReader is the part of Reader that knows its state and the values of a fixed width. */
export class FixedReader extends Consumed {
  /** Accept one encoding a value: no padded VarInt, no extra bits, no bool of 2. */
  strict = false;

  // All that count bytes are written as … | 0, although they are whole numbers without it: newer V8 (Deno's)
  // would otherwise keep them as doubles in memory of their own, and everything here took twice as long.
  protected bytes: Uint8Array = NOTHING;
  protected at = 0; // where the next value starts, or the failure was
  protected end = 0; // where the packet ends, or FAILED
  private start = 0; // where the packet starts
  private code = ERR_SHORT;
  private what = "";
  // Made when a value first needs it, and kept for all packets in the same memory, because making one
  // costs as much as reading ten fields. Places in it count from base.
  private view: DataView = new DataView(NOTHING.buffer);
  private base = 0;
  private viewed = false; // view and base are those of bytes

  constructor(packet: Uint8Array = NOTHING, start = 0, end = packet.length) {
    super();
    this.reset(packet, start, end);
  }

  /** Begins anew with packet[start, end), which must lie in the first 2 GiB of packet. strict stays. */
  reset(packet: Uint8Array, start = 0, end = packet.length): void {
    if ((start | 0) !== start || (end | 0) !== end) {
      throw new RangeError(`mpacket: no packet is ${start} to ${end}: give whole numbers below 2 GiB`);
    }
    if (packet !== this.bytes) {
      this.bytes = packet;
      this.viewed = false;
    }
    this.start = start | 0;
    this.at = start | 0;
    this.end = end | 0;
  }

  /** Returns the view of the packet's memory. */
  private memory(): DataView {
    if (!this.viewed) {
      const { buffer, byteOffset } = this.bytes;
      if (buffer !== this.view.buffer) this.view = new DataView(buffer);
      this.base = byteOffset;
      this.viewed = true;
    }
    return this.view;
  }

  /** The first failure, with its offset from the start of the packet, or undefined. */
  get error(): MpacketError | undefined {
    return this.end === FAILED ? errorOf(this.code, this.what, this.offset) : undefined;
  }

  /** Throws the first failure, or a trailing error when bytes of the packet are left over. */
  finish(): void {
    if (this.at === this.end) return;
    this.fail(ERR_TRAILING, "packet"); // no news after a failure
    throw this.error;
  }

  /** Whether a read failed. */
  get failed(): boolean {
    return this.end === FAILED;
  }

  /** How many bytes were read, or where the first failure was. */
  get offset(): number {
    return this.at - this.start;
  }

  /** How many bytes are left, 0 after a failure. */
  get remaining(): number {
    return this.end === FAILED ? 0 : this.end - this.at;
  }

  /** Fails at the current place, unless a read failed before, with the kind of that index. */
  fail(code: number, what: string): void {
    if (this.end === FAILED) return;
    this.code = code;
    this.what = what;
    this.end = FAILED;
  }

  /** What a fixed-width read returns when the packet ends too early. */
  protected short(): number {
    this.fail(ERR_SHORT, "value");
    return 0;
  }

  protected shortBig(): bigint {
    return BigInt(this.short());
  }

  /** Moves past the next count bytes and returns where they start, or fails and returns -1. */
  protected take(count: number): number {
    const at = this.at;
    if (at + count > this.end) {
      this.short();
      return -1;
    }
    this.at = (at + count) | 0;
    return at;
  }

  /** Reads one byte. Every byte but 0 is true; when strict, 2 and more fail with bad-bool. */
  readBool(): boolean {
    const byte = this.readUint8();
    if (byte > 1 && this.strict) {
      this.at--;
      this.fail(ERR_BAD_BOOL, "bool");
      return false;
    }
    return BOOLS[-byte >>> 31] as boolean;
  }

  readInt8(): number {
    return (this.readUint8() << 24) >> 24;
  }

  /** The same as readUint8. */
  readByte(): number {
    return this.readUint8();
  }

  readUint8(): number {
    const at = this.at;
    if (at >= this.end) return this.short();
    this.at = (at + 1) | 0;
    return this.bytes[at] as number;
  }

  /** Reads a direction in 1/256 turns. */
  readAngle(): number {
    return this.readUint8();
  }

  // Most significant byte first.

  readInt16(): number {
    const at = this.at;
    if (at + 2 > this.end) return this.short();
    this.at = (at + 2) | 0;
    const bytes = this.bytes;
    return (((bytes[at] as number) << 24) >> 16) | (bytes[at + 1] as number);
  }

  readUint16(): number {
    const at = this.at;
    if (at + 2 > this.end) return this.short();
    this.at = (at + 2) | 0;
    const bytes = this.bytes;
    return ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
  }

  readInt32(): number {
    const at = this.at;
    if (at + 4 > this.end) return this.short();
    this.at = (at + 4) | 0;
    return int32At(this.bytes, at);
  }

  readUint32(): number {
    const at = this.at;
    if (at + 4 > this.end) return this.short();
    this.at = (at + 4) | 0;
    return int32At(this.bytes, at) >>> 0;
  }

  readInt64(): bigint {
    const at = this.at;
    if (at + 8 > this.end) return this.shortBig();
    this.at = (at + 8) | 0;
    return this.memory().getBigInt64(this.base + at);
  }

  readUint64(): bigint {
    const at = this.at;
    if (at + 8 > this.end) return this.shortBig();
    this.at = (at + 8) | 0;
    return this.memory().getBigUint64(this.base + at);
  }

  readFloat32(): number {
    const at = this.at;
    if (at + 4 > this.end) return this.short();
    this.at = (at + 4) | 0;
    return this.memory().getFloat32(this.base + at);
  }

  readFloat64(): number {
    const at = this.at;
    if (at + 8 > this.end) return this.short();
    this.at = (at + 8) | 0;
    return this.memory().getFloat64(this.base + at);
  }

  // Least significant byte first.

  readInt16LE(): number {
    const at = this.at;
    if (at + 2 > this.end) return this.short();
    this.at = (at + 2) | 0;
    const bytes = this.bytes;
    return (bytes[at] as number) | (((bytes[at + 1] as number) << 24) >> 16);
  }

  readUint16LE(): number {
    const at = this.at;
    if (at + 2 > this.end) return this.short();
    this.at = (at + 2) | 0;
    const bytes = this.bytes;
    return (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
  }

  readInt32LE(): number {
    const at = this.at;
    if (at + 4 > this.end) return this.short();
    this.at = (at + 4) | 0;
    return int32LEAt(this.bytes, at);
  }

  readUint32LE(): number {
    const at = this.at;
    if (at + 4 > this.end) return this.short();
    this.at = (at + 4) | 0;
    return int32LEAt(this.bytes, at) >>> 0;
  }

  readInt64LE(): bigint {
    const at = this.at;
    if (at + 8 > this.end) return this.shortBig();
    this.at = (at + 8) | 0;
    return this.memory().getBigInt64(this.base + at, true);
  }

  readUint64LE(): bigint {
    const at = this.at;
    if (at + 8 > this.end) return this.shortBig();
    this.at = (at + 8) | 0;
    return this.memory().getBigUint64(this.base + at, true);
  }

  readFloat32LE(): number {
    const at = this.at;
    if (at + 4 > this.end) return this.short();
    this.at = (at + 4) | 0;
    return this.memory().getFloat32(this.base + at, true);
  }

  readFloat64LE(): number {
    const at = this.at;
    if (at + 8 > this.end) return this.short();
    this.at = (at + 8) | 0;
    return this.memory().getFloat64(this.base + at, true);
  }

  /** Reads eight bytes into hi and lo, most significant first. */
  readInt64Parts(): void {
    const at = this.take(8);
    const bytes = at < 0 ? ZEROS : this.bytes;
    const from = Math.max(0, at);
    this.hi = int32At(bytes, from);
    this.lo = int32At(bytes, from + 4);
  }

  /** Reads eight bytes into hi and lo, least significant first. */
  readInt64PartsLE(): void {
    const at = this.take(8);
    const bytes = at < 0 ? ZEROS : this.bytes;
    const from = Math.max(0, at);
    this.lo = int32LEAt(bytes, from);
    this.hi = int32LEAt(bytes, from + 4);
  }
}
