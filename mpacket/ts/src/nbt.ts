// NBT, the Named Binary Tag format of Minecraft. nbt_scan.ts checks it, nbt_decode.ts reads it and
// nbt_encode.ts writes it.

/** How the root is written. */
export type NBTForm = typeof NBT_FILE | typeof NBT_NETWORK;
/** The form of files and of packets before 1.20.2: tag, name, then a compound. */
export const NBT_FILE = 0;
/**
 * The form of packets since 1.20.2: tag, then a value of any type without a name. The lone tag 0 is the
 * absent value, undefined here. Text components are NBT in this form.
 */
export const NBT_NETWORK = 1;

// The type of a value on the wire.
export const TAG_END = 0;
export const TAG_BYTE = 1;
export const TAG_SHORT = 2;
export const TAG_INT = 3;
export const TAG_LONG = 4;
export const TAG_FLOAT = 5;
export const TAG_DOUBLE = 6;
export const TAG_BYTE_ARRAY = 7;
export const TAG_STRING = 8;
export const TAG_LIST = 9;
export const TAG_COMPOUND = 10;
export const TAG_INT_ARRAY = 11;
export const TAG_LONG_ARRAY = 12;
export const TAG_COUNT = 13;

/** How deep lists and compounds may nest. */
export const MAX_NBT_DEPTH = 512;
/**
 * How many values one NBT may hold. It bounds the memory of a decoded value, which can be fifty times
 * its bytes.
 */
export const MAX_NBT_VALUES = 1 << 20;

/**
 * The value of a tag: a number (byte, short, int, float, double), a bigint (long), bytes, a string, a
 * list, a compound, or the numbers of an array.
 */
export type NBTValue = number | bigint | string | Uint8Array | NBTList | NBTCompound | Int32Array | BigInt64Array;

/** Values of one type. An empty list may have any tag. */
export class NBTList {
  readonly tag: number;
  readonly values: NBTValue[];

  constructor(tag: number, values: NBTValue[]) {
    this.tag = tag;
    this.values = values;
  }
}

/** One value of a compound. */
export interface NBTField {
  name: string;
  tag: number;
  value: NBTValue;
}

/** Named values. They keep their order, so that what was read is written again byte by byte. */
export class NBTCompound {
  readonly fields: NBTField[];

  constructor(fields: NBTField[] = []) {
    this.fields = fields;
  }

  /** Returns the first value of that name, or undefined. */
  get(name: string): NBTValue | undefined {
    for (const field of this.fields) {
      if (field.name === name) return field.value;
    }
    return undefined;
  }

  /** Adds a value and returns the compound. */
  add(name: string, tag: number, value: NBTValue): this {
    this.fields.push({ name, tag, value });
    return this;
  }
}

/** A value with the name of the root, which is "" in the network form. */
export interface NBT {
  name: string;
  tag: number;
  value: NBTValue;
}

/** The shortest payload of each tag in bytes; of the numbers it is the only one. */
export const NBT_MIN_SIZE: readonly number[] = [0, 1, 2, 4, 8, 4, 8, 4, 2, 5, 1, 4, 4];

/** Reports whether a value of that tag must not be at that depth, which is 1 for the root. */
export function tooDeep(tag: number, depth: number): boolean {
  return depth > MAX_NBT_DEPTH && (tag === TAG_LIST || tag === TAG_COMPOUND);
}
