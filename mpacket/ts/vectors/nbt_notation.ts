import {
  type NBT,
  NBTCompound,
  NBTList,
  type NBTValue,
  TAG_BYTE_ARRAY,
  TAG_COMPOUND,
  TAG_DOUBLE,
  TAG_FLOAT,
  TAG_INT_ARRAY,
  TAG_LIST,
  TAG_LONG,
  TAG_LONG_ARRAY,
} from "../src/index.ts";
import { fromHex, toHex } from "../src/testing.ts";
import { floatBits, fromFloatBits } from "./notation.ts";

/** A value as the vectors write it. */
interface Shown {
  name?: string;
  tag?: string;
  of?: string;
  value: unknown;
}

const TAGS = "end byte short int long float double byte_array string list compound int_array long_array".split(" ");

/** Writes a root in the notation of the vectors. */
export function showNBT(nbt: NBT | undefined, named: boolean): unknown {
  if (nbt === undefined) return null;
  const root = { tag: TAGS[nbt.tag], ...show(nbt.tag, nbt.value) };
  return named ? { name: nbt.name, root } : { root };
}

function show(tag: number, value: NBTValue): { of?: string | undefined; value: unknown } {
  if (value instanceof NBTList) {
    return { of: TAGS[value.tag], value: value.values.map((element) => show(value.tag, element)) };
  }
  if (value instanceof NBTCompound) {
    return { value: value.fields.map((f) => ({ name: f.name, tag: TAGS[f.tag], ...show(f.tag, f.value) })) };
  }
  if (value instanceof Uint8Array) return { value: toHex(value) };
  if (value instanceof Int32Array) return { value: Array.from(value) };
  if (value instanceof BigInt64Array) return { value: Array.from(value, String) };
  if (typeof value === "bigint") return { value: String(value) };
  if (tag === TAG_FLOAT) return { value: floatBits(value as number, 4) };
  return { value: tag === TAG_DOUBLE ? floatBits(value as number, 8) : value };
}

/** Reads a root in the notation of the vectors. */
export function parseNBT(text: unknown): NBT | undefined {
  if (text === null) return undefined;
  const { name = "", root } = text as { name?: string; root: Shown };
  const tag = tagNamed(root.tag);
  return { name, tag, value: parse(tag, root) };
}

function parse(tag: number, { of, value }: Shown): NBTValue {
  switch (tag) {
    case TAG_LONG:
      return BigInt(value as string);
    case TAG_FLOAT:
    case TAG_DOUBLE:
      return fromFloatBits(value);
    case TAG_BYTE_ARRAY:
      return fromHex(value as string);
    case TAG_INT_ARRAY:
      return Int32Array.from(value as number[]);
    case TAG_LONG_ARRAY:
      return BigInt64Array.from((value as string[]).map(BigInt));
    case TAG_LIST: {
      const elementTag = tagNamed(of);
      return new NBTList(
        elementTag,
        (value as Shown[]).map((element) => parse(elementTag, element)),
      );
    }
    case TAG_COMPOUND:
      return new NBTCompound(
        (value as Shown[]).map((field) => {
          const fieldTag = tagNamed(field.tag);
          return { name: field.name as string, tag: fieldTag, value: parse(fieldTag, field) };
        }),
      );
    default:
      return value as number | string;
  }
}

function tagNamed(name: string | undefined): number {
  const tag = TAGS.indexOf(name as string);
  if (tag < 0) throw new Error(`unknown NBT tag ${name}`);
  return tag;
}
