import { appendBitSet, type BitSet } from "./bitset.ts";
import { appendBytes } from "./bytes.ts";
import { ERR_BAD_IDENTIFIER, ERR_OUT_OF_RANGE, ERR_SHORT, errorOf, type MpacketError } from "./error.ts";
import {
  appendBool,
  appendFloat32,
  appendFloat64,
  appendInt16,
  appendInt32,
  appendInt64,
  appendInt64Parts,
  appendUint8,
  appendUint16,
  appendUint32,
  appendUint64,
} from "./fixed.ts";
import {
  appendFloat32LE,
  appendFloat64LE,
  appendInt16LE,
  appendInt32LE,
  appendInt64LE,
  appendInt64PartsLE,
  appendUint16LE,
  appendUint32LE,
  appendUint64LE,
} from "./fixed_le.ts";
import { beginFrame, tryEndFrame } from "./frame.ts";
import { isIdentifier } from "./identifier.ts";
import { MAX_STRING_UNITS } from "./limits.ts";
import type { NBT, NBTForm } from "./nbt.ts";
import { tryAppendNBT } from "./nbt_encode.ts";
import { OutputBuffer } from "./output.ts";
import { appendPosition, type Position, positionFits } from "./position.ts";
import { appendString, badText } from "./string.ts";
import { appendUUID, type UUID } from "./uuid.ts";
import { appendVarInt } from "./varint.ts";
import { appendVarLong, appendVarLongParts } from "./varlong.ts";

/** Writes one value, as the methods of a Writer do. */
export type Write<T> = (writer: Writer, value: T) => void;

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
const UINT64_MAX = 2n ** 64n - 1n;

/**
 * Writer builds packets in a buffer that it reuses. It checks what the append functions take on trust:
 * the first value that does not fit its type sticks as the error, and from then on content throws it, so
 * that no damaged packet is sent. clear makes it ready for the next packet.
 *
 * 64-bit integers are written as bigint or, without making one, as two 32-bit halves (Parts).
 */
export class Writer extends OutputBuffer {
  private code = ERR_SHORT; // none
  private what = "";
  private place = 0;

  /** The first failure, with the offset at which it would have been written, or undefined. */
  get error(): MpacketError | undefined {
    return this.code === ERR_SHORT ? undefined : errorOf(this.code, this.what, this.place);
  }

  /** What was written, as a view that is valid until the next write or clear. Throws the first failure. */
  override get content(): Uint8Array<ArrayBuffer> {
    if (this.error !== undefined) throw this.error;
    return super.content;
  }

  /** Forgets what was written, and the error. The memory stays, unless it had grown beyond 64 KiB. */
  override clear(): void {
    this.code = ERR_SHORT;
    super.clear();
  }

  /** Fails at the current place, unless a write failed before, with the kind of that index. */
  fail(code: number, what: string): void {
    if (this.code !== ERR_SHORT) return;
    this.code = code;
    this.what = what;
    this.place = this.length;
  }

  /** Appends 1 for true and 0 for false. */
  writeBool(value: boolean): void {
    appendBool(this, value);
  }

  writeInt8(value: number): void {
    if ((value << 24) >> 24 === value) appendUint8(this, value);
    else this.fail(ERR_OUT_OF_RANGE, "int8");
  }

  writeUint8(value: number): void {
    if ((value & 0xff) === value) appendUint8(this, value);
    else this.fail(ERR_OUT_OF_RANGE, "uint8");
  }

  /** The same as writeUint8. */
  writeByte(value: number): void {
    this.writeUint8(value);
  }

  /** Appends a direction in 1/256 turns, 0 to 255. */
  writeAngle(value: number): void {
    this.writeUint8(value);
  }

  // Most significant byte first.

  writeInt16(value: number): void {
    if ((value << 16) >> 16 === value) appendInt16(this, value);
    else this.fail(ERR_OUT_OF_RANGE, "int16");
  }

  writeUint16(value: number): void {
    if ((value & 0xffff) === value) appendUint16(this, value);
    else this.fail(ERR_OUT_OF_RANGE, "uint16");
  }

  writeInt32(value: number): void {
    if ((value | 0) === value) appendInt32(this, value);
    else this.fail(ERR_OUT_OF_RANGE, "int32");
  }

  writeUint32(value: number): void {
    if (value >>> 0 === value) appendUint32(this, value);
    else this.fail(ERR_OUT_OF_RANGE, "uint32");
  }

  writeInt64(value: bigint): void {
    if (value >= INT64_MIN && value <= INT64_MAX) appendInt64(this, value);
    else this.fail(ERR_OUT_OF_RANGE, "int64");
  }

  writeUint64(value: bigint): void {
    if (value >= 0n && value <= UINT64_MAX) appendUint64(this, value);
    else this.fail(ERR_OUT_OF_RANGE, "uint64");
  }

  /** Appends a 64-bit integer of two halves, of which the lower 32 bits count. */
  writeInt64Parts(hi: number, lo: number): void {
    appendInt64Parts(this, hi, lo);
  }

  writeFloat32(value: number): void {
    appendFloat32(this, value);
  }

  writeFloat64(value: number): void {
    appendFloat64(this, value);
  }

  // Least significant byte first.

  writeInt16LE(value: number): void {
    if ((value << 16) >> 16 === value) appendInt16LE(this, value);
    else this.fail(ERR_OUT_OF_RANGE, "int16");
  }

  writeUint16LE(value: number): void {
    if ((value & 0xffff) === value) appendUint16LE(this, value);
    else this.fail(ERR_OUT_OF_RANGE, "uint16");
  }

  writeInt32LE(value: number): void {
    if ((value | 0) === value) appendInt32LE(this, value);
    else this.fail(ERR_OUT_OF_RANGE, "int32");
  }

  writeUint32LE(value: number): void {
    if (value >>> 0 === value) appendUint32LE(this, value);
    else this.fail(ERR_OUT_OF_RANGE, "uint32");
  }

  writeInt64LE(value: bigint): void {
    if (value >= INT64_MIN && value <= INT64_MAX) appendInt64LE(this, value);
    else this.fail(ERR_OUT_OF_RANGE, "int64");
  }

  writeUint64LE(value: bigint): void {
    if (value >= 0n && value <= UINT64_MAX) appendUint64LE(this, value);
    else this.fail(ERR_OUT_OF_RANGE, "uint64");
  }

  /** Appends a 64-bit integer of two halves, of which the lower 32 bits count. */
  writeInt64PartsLE(hi: number, lo: number): void {
    appendInt64PartsLE(this, hi, lo);
  }

  writeFloat32LE(value: number): void {
    appendFloat32LE(this, value);
  }

  writeFloat64LE(value: number): void {
    appendFloat64LE(this, value);
  }

  /** Appends a signed 32-bit integer in 1 to 5 bytes. */
  writeVarInt(value: number): void {
    if ((value | 0) === value) appendVarInt(this, value);
    else this.fail(ERR_OUT_OF_RANGE, "VarInt");
  }

  /** Appends a signed 64-bit integer in 1 to 10 bytes. */
  writeVarLong(value: bigint): void {
    if (value >= INT64_MIN && value <= INT64_MAX) appendVarLong(this, value);
    else this.fail(ERR_OUT_OF_RANGE, "VarLong");
  }

  /** writeVarLong for two 32-bit halves. */
  writeVarLongParts(hi: number, lo: number): void {
    appendVarLongParts(this, hi, lo);
  }

  /** Appends text with its length. It must be well formed and of at most limitUnits UTF-16 code units. */
  writeString(text: string, limitUnits = MAX_STRING_UNITS): void {
    const code = badText(text, limitUnits);
    if (code === ERR_SHORT) appendString(this, text);
    else this.fail(code, "string");
  }

  /** Appends text, which must be an identifier. */
  writeIdentifier(text: string): void {
    if (isIdentifier(text)) this.writeString(text);
    else this.fail(ERR_BAD_IDENTIFIER, "identifier");
  }

  /** Appends the length of value as a VarInt, then value. */
  writeBytes(value: Uint8Array): void {
    appendBytes(this, value);
  }

  /** Appends source[start, end) without a length. */
  writeRaw(source: Uint8Array, start = 0, end = source.length): void {
    this.appendRaw(source, start, end);
  }

  /** Appends 16 bytes. */
  writeUUID(value: UUID): void {
    appendUUID(this, value);
  }

  /** Appends 8 bytes. Coordinates that do not fit fail as out-of-range. */
  writePosition(value: Position): void {
    if (positionFits(value)) appendPosition(this, value);
    else this.fail(ERR_OUT_OF_RANGE, "position");
  }

  /** Appends the number of words, then the words. */
  writeBitSet(value: BitSet): void {
    appendBitSet(this, value);
  }

  /** Appends an NBT value; undefined is the absent one. It fails as appendNBT does. */
  writeNBT(form: NBTForm, value: NBT | undefined): void {
    const code = tryAppendNBT(this, form, value);
    if (code !== ERR_SHORT) this.fail(code, "NBT");
  }

  /** Appends the number of values, then each as a VarInt. */
  writeVarInts(values: ArrayLike<number>): void {
    this.writeVarInt(values.length);
    for (let i = 0; i < values.length; i++) this.writeVarInt(values[i] as number);
  }

  /** Starts a frame whose payload is what is written until endFrame is called with the mark that it returns. */
  beginFrame(): number {
    return beginFrame(this);
  }

  /** Writes the length of the frame. An empty payload fails, and one longer than MAX_FRAME_LEN. */
  endFrame(mark: number): void {
    const code = tryEndFrame(this, mark);
    if (code !== ERR_SHORT) this.fail(code, "frame");
  }
}

/** Appends the number of values, then each with write, as in writeArray(writer, ids, (w, id) => w.writeVarInt(id)). */
export function writeArray<T>(writer: Writer, values: readonly T[], write: Write<T>): void {
  writer.writeVarInt(values.length);
  for (const value of values) write(writer, value);
}

/** Appends false for undefined, else true and the value. */
export function writeOptional<T>(writer: Writer, value: T | undefined, write: Write<T>): void {
  writer.writeBool(value !== undefined);
  if (value !== undefined) write(writer, value);
}
