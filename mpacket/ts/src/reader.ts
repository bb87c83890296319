import { consumeCount, consumeVarInts } from "./array.ts";
import { BitSet, consumeBitSet } from "./bitset.ts";
import { consumeSpan } from "./bytes.ts";
import { ERR_NEGATIVE, ERR_SHORT } from "./error.ts";
import { int32LEAt } from "./fixed_le.ts";
import { consumeIdentifier } from "./identifier.ts";
import { MAX_STRING_UNITS } from "./limits.ts";
import type { NBT, NBTForm } from "./nbt.ts";
import { consumeNBT } from "./nbt_decode.ts";
import { skipNBT } from "./nbt_scan.ts";
import { joinSigned } from "./parts.ts";
import { type Position, unpackPosition } from "./position.ts";
import { FAILED, FixedReader, ZEROS } from "./reader_fixed.ts";
import { consumeString, consumeStringLossy, consumeStringSpan } from "./string.ts";
import { fillUUID, type UUID, UUID_LEN } from "./uuid.ts";
import { consumeVarInt, consumeVarIntStrict, gather7, MORE } from "./varint.ts";
import { consumeVarLongParts, consumeVarLongPartsStrict } from "./varlong.ts";

const NOTHING = new Uint8Array(0);
/** No limit but that of the type. */
const INT32_MAX = 0x7fff_ffff;

/** Reads one value, as the methods of a Reader do. */
export type Read<T> = (reader: Reader) => T;

/**
 * Reader reads the values of one packet in order. The first failure sticks: from then on every read
 * returns a zero value, and error says what went wrong and where. So read all fields first and check
 * once, with finish. reset makes a Reader ready for another packet.
 *
 * Results called views are parts of the packet, not copies, and change with it. A read that makes no
 * garbage leaves what does not fit a number in fields: 64-bit integers in hi and lo, spans of bytes in
 * spanStart and spanEnd.
 */
export class Reader extends FixedReader {
  /** What was read by a Span method is packet[spanStart, spanEnd), packet being what reset was given. */
  spanStart = 0;
  spanEnd = 0;

  /** Moves past what a consume function read, or fails with what it left. */
  private advance(what: string): boolean {
    if (this.n <= 0) {
      this.fail(-this.n, what);
      return false;
    }
    this.at = (this.at + this.n) | 0;
    return true;
  }

  /** Fails when strict and the VarInt in front of the value has another encoding than the usual. */
  private prefixOK(what: string): boolean {
    if (this.strict) {
      consumeVarIntStrict(this, this.bytes, this.at, this.end);
      if (this.n <= 0) this.fail(-this.n, what);
    }
    return this.end !== FAILED;
  }

  /** Reads a VarInt: a signed 32-bit integer. */
  readVarInt(): number {
    // Four bytes at once, even where the packet ends within them, and no branch on how many of them count:
    // for mixed values no branch predictor can guess it.
    const at = this.at;
    const bytes = this.bytes;
    if (at + 4 <= bytes.length && !this.strict) {
      const x = int32LEAt(bytes, at);
      const stops = ~x & MORE;
      const stop = stops & -stops; // the top bit of the last byte; 0 when there is none
      const next = (at + ((32 - Math.clz32(stop)) >>> 3)) | 0;
      if (stops !== 0 && next <= this.end) {
        this.at = next;
        return gather7(x & (stop - 1));
      }
    }
    return this.readVarIntTail();
  }

  /** A VarInt of five bytes or at the end of the memory, or a bad one, or any when strict. */
  private readVarIntTail(): number {
    const consume = this.strict ? consumeVarIntStrict : consumeVarInt;
    const value = consume(this, this.bytes, this.at, this.end);
    return this.advance("VarInt") ? value : 0;
  }

  /** Reads a VarLong: a signed 64-bit integer. */
  readVarLong(): bigint {
    this.readVarLongParts();
    return joinSigned(this.hi, this.lo);
  }

  /** Reads a VarLong into hi and lo. */
  readVarLongParts(): void {
    const consume = this.strict ? consumeVarLongPartsStrict : consumeVarLongParts;
    consume(this, this.bytes, this.at, this.end);
    if (this.advance("VarLong")) return;
    this.hi = 0;
    this.lo = 0;
  }

  /** Reads a string of at most limitUnits UTF-16 code units. */
  readString(limitUnits = MAX_STRING_UNITS): string {
    if (!this.prefixOK("string")) return "";
    const text = consumeString(this, this.bytes, this.at, this.end, limitUnits);
    return this.advance("string") ? text : "";
  }

  /** Reads a string of at most limitUnits UTF-16 code units; what is not valid UTF-8 becomes U+FFFD. */
  readStringLossy(limitUnits = MAX_STRING_UNITS): string {
    if (!this.prefixOK("string")) return "";
    const text = consumeStringLossy(this, this.bytes, this.at, this.end, limitUnits);
    return this.advance("string") ? text : "";
  }

  /** Reads a string of at most limitUnits UTF-16 code units as a view of valid UTF-8. */
  readStringView(limitUnits = MAX_STRING_UNITS): Uint8Array {
    return this.viewOf(this.readStringSpan(limitUnits));
  }

  /** readStringView without a view: leaves its place in spanStart and spanEnd and returns its length in bytes. */
  readStringSpan(limitUnits = MAX_STRING_UNITS): number {
    if (!this.prefixOK("string")) return this.span(0);
    const length = consumeStringSpan(this, this.bytes, this.at, this.end, limitUnits);
    return this.span(this.advance("string") ? length : 0);
  }

  /** Reads an identifier in the form in which it was sent. */
  readIdentifier(): string {
    if (!this.prefixOK("identifier")) return "";
    const text = consumeIdentifier(this, this.bytes, this.at, this.end);
    return this.advance("identifier") ? text : "";
  }

  /** Reads at most limit length-prefixed bytes as a view. */
  readBytes(limit = INT32_MAX): Uint8Array {
    return this.viewOf(this.readBytesSpan(limit));
  }

  /** Reads at most limit length-prefixed bytes into memory of their own. */
  readBytesCopy(limit = INT32_MAX): Uint8Array {
    return new Uint8Array(this.readBytes(limit));
  }

  /** readBytes without a view: leaves their place in spanStart and spanEnd and returns their length. */
  readBytesSpan(limit = INT32_MAX): number {
    if (!this.prefixOK("bytes")) return this.span(0);
    const length = consumeSpan(this, this.bytes, this.at, this.end, limit);
    return this.span(this.advance("bytes") ? length : 0);
  }

  /** Reads count bytes that have no length prefix, as a view. A negative count fails. */
  readRaw(count: number): Uint8Array {
    return this.viewOf(this.readRawSpan(count));
  }

  /** readRaw without a view. */
  readRawSpan(count: number): number {
    if (count < 0) this.fail(ERR_NEGATIVE, "raw bytes");
    else if (count > this.remaining) this.fail(ERR_SHORT, "raw bytes");
    else this.at = (this.at + count) | 0;
    return this.span(this.end === FAILED ? 0 : count);
  }

  /** Takes all bytes that are left, as a view. */
  rest(): Uint8Array {
    return this.readRaw(this.remaining);
  }

  /** Says that the last length bytes that were read are the span. */
  private span(length: number): number {
    this.spanEnd = this.at;
    this.spanStart = this.spanEnd - length;
    return length;
  }

  private viewOf(length: number): Uint8Array {
    return length === 0 ? NOTHING : this.bytes.subarray(this.at - length, this.at);
  }

  /** Reads 16 bytes into into. */
  readUUID(into: UUID = { a: 0, b: 0, c: 0, d: 0 }): UUID {
    const at = this.take(UUID_LEN);
    fillUUID(at < 0 ? ZEROS : this.bytes, Math.max(0, at), into);
    return into;
  }

  /** Reads eight bytes as the place of a block, into into. */
  readPosition(into: Position = { x: 0, y: 0, z: 0 }): Position {
    this.readInt64Parts();
    unpackPosition(this.hi, this.lo, into);
    return into;
  }

  /** Reads a set of at most limitWords 64-bit words into into. */
  readBitSet(limitWords: number, into = new BitSet()): BitSet {
    if (!this.prefixOK("bit set")) {
      into.resize(0);
      return into;
    }
    consumeBitSet(this, this.bytes, this.at, this.end, limitWords, into);
    this.advance("bit set");
    return into;
  }

  /** Reads an NBT value; undefined is the absent one. A text component is one in network form. */
  readNBT(form: NBTForm): NBT | undefined {
    const value = consumeNBT(this, this.bytes, this.at, this.end, form);
    return this.advance("NBT") ? value : undefined;
  }

  /** Checks an NBT value and returns it undecoded, as a view. */
  readNBTView(form: NBTForm): Uint8Array {
    return this.viewOf(this.readNBTSpan(form));
  }

  /** readNBTView without a view. */
  readNBTSpan(form: NBTForm): number {
    this.n = skipNBT(this.bytes, this.at, this.end, form);
    return this.span(this.advance("NBT") ? this.n : 0);
  }

  /**
   * Reads the VarInt count of an array of at most limit elements of which each takes a byte at least: a
   * count above the bytes left fails as short, before anything is allocated for it.
   */
  readLen(limit: number): number {
    if (!this.prefixOK("count")) return 0;
    const count = consumeCount(this, this.bytes, this.at, this.end, limit);
    return this.advance("count") ? count : 0;
  }

  /**
   * Reads an array of VarInts into the memory of into and returns how many there are, at most its
   * length. After a failure it returns 0.
   */
  readVarInts(into: Int32Array): number {
    if (!this.strict) {
      const whole = consumeVarInts(this, this.bytes, this.at, this.end, into);
      return this.advance("array of VarInts") ? whole : 0;
    }
    const count = this.readLen(into.length);
    for (let i = 0; i < count; i++) into[i] = this.readVarInt();
    return this.end === FAILED ? 0 : count;
  }

  /** Passes over count bytes. A negative count fails. */
  skip(count: number): void {
    this.readRawSpan(count);
  }

  /** Passes over a VarInt. */
  skipVarInt(): void {
    this.readVarInt();
  }

  /** Passes over length-prefixed bytes or a string, whose text is not looked at. */
  skipBytes(): void {
    this.readBytesSpan();
  }

  /** Passes over an NBT value, which is checked. */
  skipNBT(form: NBTForm): void {
    this.readNBTSpan(form);
  }
}

/**
 * Reads an array of at most limit values, each with read, as in readArray(reader, 100, (r) => r.readVarInt()).
 * After a failure it returns an empty one.
 */
export function readArray<T>(reader: Reader, limit: number, read: Read<T>): T[] {
  const values: T[] = [];
  for (let left = reader.readLen(limit); left > 0; left--) {
    const value = read(reader);
    if (reader.failed) return [];
    values.push(value);
  }
  return values;
}

/** Reads a bool and, when it is true, a value with read; undefined otherwise and after a failure. */
export function readOptional<T>(reader: Reader, read: Read<T>): T | undefined {
  if (!reader.readBool()) return undefined;
  const value = read(reader);
  return reader.failed ? undefined : value;
}
