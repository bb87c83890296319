import { ERR_BAD_NBT, ERR_BAD_UTF8, ERR_OUT_OF_RANGE, ERR_OVER_LIMIT, ERR_SHORT, errorOf, NO_OFFSET } from "./error.ts";
import {
  appendFloat32,
  appendFloat64,
  appendInt16,
  appendInt32,
  appendInt64,
  appendUint8,
  appendUint16,
} from "./fixed.ts";
import {
  type NBT,
  NBT_FILE,
  NBT_NETWORK,
  NBTCompound,
  type NBTForm,
  NBTList,
  type NBTValue,
  TAG_BYTE,
  TAG_BYTE_ARRAY,
  TAG_COMPOUND,
  TAG_COUNT,
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
  tooDeep,
} from "./nbt.ts";
import { encodeModifiedUTF8, modifiedUTF8Len } from "./nbt_text.ts";
import type { OutputBuffer } from "./output.ts";

const MAX_TEXT_LEN = 65_535;

/**
 * Appends value; undefined is the absent one. Throws an MpacketError and appends nothing when it cannot
 * be written: bad-nbt for a value that does not belong to its tag, or a root that the form does not have;
 * bad-utf8; out-of-range for a number that its tag cannot hold; over-limit for text longer than 65,535
 * bytes and past MAX_NBT_DEPTH.
 */
export function appendNBT(out: OutputBuffer, form: NBTForm, value: NBT | undefined): void {
  const code = tryAppendNBT(out, form, value);
  if (code !== ERR_SHORT) throw errorOf(code, "NBT", NO_OFFSET);
}

/** appendNBT that returns the index of the error, ERR_SHORT for none, in place of throwing. */
export function tryAppendNBT(out: OutputBuffer, form: NBTForm, value: NBT | undefined): number {
  const start = out.length;
  const code = root(out, form, value);
  if (code !== ERR_SHORT) out.length = start;
  return code;
}

function root(out: OutputBuffer, form: NBTForm, nbt: NBT | undefined): number {
  if (nbt === undefined && form === NBT_NETWORK) {
    appendUint8(out, TAG_END);
    return ERR_SHORT;
  }
  if (nbt === undefined || (form === NBT_FILE && nbt.tag !== TAG_COMPOUND)) return ERR_BAD_NBT;
  appendUint8(out, nbt.tag);
  const code = form === NBT_FILE ? text(out, nbt.name) : ERR_SHORT;
  return code === ERR_SHORT ? payload(out, nbt.tag, nbt.value, 1) : code;
}

function text(out: OutputBuffer, value: string): number {
  if (!value.isWellFormed()) return ERR_BAD_UTF8;
  const length = modifiedUTF8Len(value);
  if (length > MAX_TEXT_LEN) return ERR_OVER_LIMIT;
  appendUint16(out, length);
  const at = out.extend(length);
  encodeModifiedUTF8(value, out.bytes, at);
  return ERR_SHORT;
}

/** Appends a value; it must be of the type that its tag has. */
function payload(out: OutputBuffer, tag: number, value: NBTValue, depth: number): number {
  if (tooDeep(tag, depth)) return ERR_OVER_LIMIT;
  if (typeof value === "number") return number(out, tag, value);
  if (typeof value === "string") return tag === TAG_STRING ? text(out, value) : ERR_BAD_NBT;
  if (typeof value === "bigint") return tag === TAG_LONG ? long(out, value) : ERR_BAD_NBT;
  if (value instanceof NBTCompound) return tag === TAG_COMPOUND ? compound(out, value, depth) : ERR_BAD_NBT;
  if (value instanceof NBTList) return tag === TAG_LIST ? list(out, value, depth) : ERR_BAD_NBT;
  return array(out, tag, value);
}

function number(out: OutputBuffer, tag: number, value: number): number {
  switch (tag) {
    case TAG_BYTE:
      if ((value << 24) >> 24 !== value) return ERR_OUT_OF_RANGE;
      appendUint8(out, value);
      return ERR_SHORT;
    case TAG_SHORT:
      if ((value << 16) >> 16 !== value) return ERR_OUT_OF_RANGE;
      appendInt16(out, value);
      return ERR_SHORT;
    case TAG_INT:
      if ((value | 0) !== value) return ERR_OUT_OF_RANGE;
      appendInt32(out, value);
      return ERR_SHORT;
    case TAG_FLOAT:
      appendFloat32(out, value);
      return ERR_SHORT;
    case TAG_DOUBLE:
      appendFloat64(out, value);
      return ERR_SHORT;
    default:
      return ERR_BAD_NBT;
  }
}

function long(out: OutputBuffer, value: bigint): number {
  if (BigInt.asIntN(64, value) !== value) return ERR_OUT_OF_RANGE;
  appendInt64(out, value);
  return ERR_SHORT;
}

function array(out: OutputBuffer, tag: number, value: NBTValue): number {
  if (value instanceof Uint8Array && tag === TAG_BYTE_ARRAY) {
    appendInt32(out, value.length);
    out.appendRaw(value);
  } else if (value instanceof Int32Array && tag === TAG_INT_ARRAY) {
    appendInt32(out, value.length);
    for (const int of value) appendInt32(out, int);
  } else if (value instanceof BigInt64Array && tag === TAG_LONG_ARRAY) {
    appendInt32(out, value.length);
    for (const int of value) appendInt64(out, int);
  } else {
    return ERR_BAD_NBT;
  }
  return ERR_SHORT;
}

function list(out: OutputBuffer, { tag, values }: NBTList, depth: number): number {
  if (!isTag(tag) || (tag === TAG_END && values.length > 0)) return ERR_BAD_NBT;
  appendUint8(out, tag);
  appendInt32(out, values.length);
  for (const value of values) {
    const code = payload(out, tag, value, depth + 1);
    if (code !== ERR_SHORT) return code;
  }
  return ERR_SHORT;
}

function compound(out: OutputBuffer, { fields }: NBTCompound, depth: number): number {
  for (const { name, tag, value } of fields) {
    appendUint8(out, tag);
    let code = text(out, name);
    if (code === ERR_SHORT) code = payload(out, tag, value, depth + 1);
    if (code !== ERR_SHORT) return code;
  }
  appendUint8(out, TAG_END);
  return ERR_SHORT;
}

function isTag(tag: number): boolean {
  return Number.isInteger(tag) && tag >= TAG_END && tag < TAG_COUNT;
}
