import type { Consumed } from "./consumed.ts";
import {
  type NBT,
  NBT_FILE,
  NBTCompound,
  type NBTField,
  type NBTForm,
  NBTList,
  type NBTValue,
  TAG_BYTE,
  TAG_BYTE_ARRAY,
  TAG_DOUBLE,
  TAG_END,
  TAG_FLOAT,
  TAG_INT,
  TAG_INT_ARRAY,
  TAG_LIST,
  TAG_LONG,
  TAG_LONG_ARRAY,
  TAG_SHORT,
  TAG_STRING,
} from "./nbt.ts";
import { skipNBT } from "./nbt_scan.ts";
import { decodeModifiedUTF8 } from "./nbt_text.ts";

/**
 * Reads an NBT value from bytes[at, end), into memory of its own; undefined is the absent value. n is that
 * of skipNBT.
 */
export function consumeNBT(got: Consumed, bytes: Uint8Array, at: number, end: number, form: NBTForm): NBT | undefined {
  got.n = skipNBT(bytes, at, end, form);
  if (got.n <= 0) return undefined;
  const decoder = new Decoder(bytes, at, got.n);
  const tag = decoder.tag();
  if (tag === TAG_END) return undefined;
  return { name: form === NBT_FILE ? decoder.text() : "", tag, value: decoder.payload(tag) };
}

/** Decoder decodes NBT that skipNBT has passed. */
class Decoder {
  private readonly bytes: Uint8Array;
  private readonly view: DataView;
  private at = 0;

  constructor(bytes: Uint8Array, at: number, length: number) {
    this.bytes = bytes.subarray(at, at + length);
    this.view = new DataView(bytes.buffer, bytes.byteOffset + at, length);
  }

  /** Returns where the next count bytes start, and moves past them. */
  private take(count: number): number {
    const at = this.at;
    this.at = at + count;
    return at;
  }

  tag(): number {
    return this.view.getUint8(this.take(1));
  }

  text(): string {
    const length = this.view.getUint16(this.take(2));
    const at = this.take(length);
    return decodeModifiedUTF8(this.bytes, at, at + length);
  }

  payload(tag: number): NBTValue {
    switch (tag) {
      case TAG_BYTE:
        return this.view.getInt8(this.take(1));
      case TAG_SHORT:
        return this.view.getInt16(this.take(2));
      case TAG_INT:
        return this.view.getInt32(this.take(4));
      case TAG_LONG:
        return this.view.getBigInt64(this.take(8));
      case TAG_FLOAT:
        return this.view.getFloat32(this.take(4));
      case TAG_DOUBLE:
        return this.view.getFloat64(this.take(8));
      case TAG_BYTE_ARRAY:
        return this.byteArray();
      case TAG_STRING:
        return this.text();
      case TAG_LIST:
        return this.list();
      case TAG_INT_ARRAY:
        return this.ints();
      case TAG_LONG_ARRAY:
        return this.longs();
      default:
        return this.compound();
    }
  }

  private count(): number {
    return this.view.getInt32(this.take(4));
  }

  private byteArray(): Uint8Array {
    const count = this.count();
    const at = this.take(count);
    // Not slice: that of a Node Buffer would not copy.
    return new Uint8Array(this.bytes.subarray(at, at + count));
  }

  private list(): NBTList {
    const tag = this.tag();
    const values: NBTValue[] = [];
    for (let left = this.count(); left > 0; left--) values.push(this.payload(tag));
    return new NBTList(tag, values);
  }

  private compound(): NBTCompound {
    const fields: NBTField[] = [];
    for (let tag = this.tag(); tag !== TAG_END; tag = this.tag()) {
      const name = this.text();
      fields.push({ name, tag, value: this.payload(tag) });
    }
    return new NBTCompound(fields);
  }

  private ints(): Int32Array {
    const ints = new Int32Array(this.count());
    for (let i = 0; i < ints.length; i++) ints[i] = this.view.getInt32(this.take(4));
    return ints;
  }

  private longs(): BigInt64Array {
    const longs = new BigInt64Array(this.count());
    for (let i = 0; i < longs.length; i++) longs[i] = this.view.getBigInt64(this.take(8));
    return longs;
  }
}
