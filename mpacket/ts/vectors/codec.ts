// What makes the codecs of codecs.ts.
import * as m from "../src/index.ts";
import { fromHex, toHex } from "../src/testing.ts";
import { parseNBT, showNBT } from "./nbt_notation.ts";
import { floatBits, fromFloatBits } from "./notation.ts";

/** How one type is read and written. limit is that of the case, or the usual one. */
export interface Codec {
  consume(got: m.Consumed, bytes: Uint8Array, at: number, end: number, limit: number): unknown;
  read(reader: m.Reader, limit: number): unknown;
  append(out: m.OutputBuffer, value: unknown): void;
  write(writer: m.Writer, value: unknown, limit: number): void;
  /** Has no strict form. */
  lax?: boolean;
  /** Where the codec goes through a number, of which JavaScript has one NaN: how that is shown and written. */
  nan?: { value: string; canonical: string };
  /** The limit where the case names none. */
  limit: number;
}

type Consume<T> = (got: m.Consumed, bytes: Uint8Array, at?: number, end?: number) => T;

/** The codec of a type T that the vectors write as show says. */
export function codec<T>(
  consume: Consume<T>,
  read: (reader: m.Reader) => T,
  append: (out: m.OutputBuffer, value: T) => void,
  write: (writer: m.Writer, value: T) => void,
  show: (value: T) => unknown = (value) => value,
  parse: (shown: unknown) => T = (shown) => shown as T,
): Codec {
  return {
    consume: (got, bytes, at, end) => show(consume(got, bytes, at, end)),
    read: (reader) => show(read(reader)),
    append: (out, value) => append(out, parse(value)),
    write: (writer, value) => write(writer, parse(value)),
    limit: 0,
  };
}

export function big(
  consume: Consume<bigint>,
  read: (reader: m.Reader) => bigint,
  append: (out: m.OutputBuffer, value: bigint) => void,
  write: (writer: m.Writer, value: bigint) => void,
): Codec {
  return codec(consume, read, append, write, String, (shown) => BigInt(shown as string));
}

/** The same for a 64-bit type read and written by its halves. */
export function parts(
  consume: Consume<void>,
  read: (reader: m.Reader) => void,
  append: (out: m.OutputBuffer, hi: number, lo: number) => void,
  write: (writer: m.Writer, hi: number, lo: number) => void,
): Codec {
  const show = ({ hi, lo }: m.Consumed) => String((BigInt(hi) << 32n) | BigInt(lo >>> 0));
  const halves = (value: unknown): [number, number] => {
    const bits = BigInt(value as string);
    return [Number(bits >> 32n), Number(BigInt.asUintN(32, bits))];
  };
  return {
    consume: (got, bytes, at, end) => {
      consume(got, bytes, at, end);
      return show(got);
    },
    read: (reader) => {
      read(reader);
      return show(reader);
    },
    append: (out, value) => append(out, ...halves(value)),
    write: (writer, value) => write(writer, ...halves(value)),
    limit: 0,
  };
}

/** The codec of floats as numbers; bits32 and bits64 keep what a number cannot. */
export function float(
  width: 4 | 8,
  littleEndian: boolean,
  consume: Consume<number>,
  read: (reader: m.Reader) => number,
  append: (out: m.OutputBuffer, value: number) => void,
  write: (writer: m.Writer, value: number) => void,
): Codec {
  const value = width === 4 ? "7fc00000" : "7ff8000000000000";
  const canonical = littleEndian ? toHex(fromHex(value).reverse()) : value;
  const show = (number: number) => (Number.isNaN(number) ? value : floatBits(number, width));
  return { ...codec(consume, read, append, write, show, fromFloatBits), nan: { value, canonical } };
}

export function bits32(
  consume: Consume<number>,
  read: (reader: m.Reader) => number,
  append: (out: m.OutputBuffer, value: number) => void,
  write: (writer: m.Writer, value: number) => void,
): Codec {
  const show = (bits: number) => bits.toString(16).padStart(8, "0");
  return codec(consume, read, append, write, show, (shown) => Number.parseInt(shown as string, 16));
}

export function bits64(
  consume: Consume<bigint>,
  read: (reader: m.Reader) => bigint,
  append: (out: m.OutputBuffer, value: bigint) => void,
  write: (writer: m.Writer, value: bigint) => void,
): Codec {
  const show = (bits: bigint) => bits.toString(16).padStart(16, "0");
  return codec(consume, read, append, write, show, (shown) => BigInt(`0x${shown}`));
}

export function bytes(consume: Codec["consume"], read: Codec["read"]): Codec {
  return {
    consume: (got, b, at, end, limit) => toHex(consume(got, b, at, end, limit) as Uint8Array),
    read: (reader, limit) => toHex(read(reader, limit) as Uint8Array),
    append: (out, value) => m.appendBytes(out, fromHex(value as string)),
    write: (writer, value) => writer.writeBytes(fromHex(value as string)),
    limit: m.MAX_BYTES_LEN,
  };
}

export function text(consume: Codec["consume"], read: Codec["read"]): Codec {
  return {
    consume,
    read,
    append: (out, value) => m.appendString(out, value as string),
    write: (writer, value, limit) => writer.writeString(value as string, limit),
    limit: m.MAX_STRING_UNITS,
  };
}

export function array<T>(consume: m.Consume<T>, read: m.Read<T>, append: m.Append<T>, write: m.Write<T>): Codec {
  return {
    consume: (got, b, at, end, limit) => m.consumeArray(got, b, at, end, limit, consume),
    read: (reader, limit) => m.readArray(reader, limit, read),
    append: (out, values) => m.appendArray(out, values as T[], append),
    write: (writer, values) => m.writeArray(writer, values as T[], write),
    limit: m.MAX_BYTES_LEN,
  };
}

export function optional<T>(consume: m.Consume<T>, read: m.Read<T>, append: m.Append<T>, write: m.Write<T>): Codec {
  return {
    consume: (got, b, at, end) => m.consumeOptional(got, b, at, end, consume) ?? null,
    read: (reader) => m.readOptional(reader, read) ?? null,
    append: (out, value) => m.appendOptional(out, (value ?? undefined) as T | undefined, append),
    write: (writer, value) => m.writeOptional(writer, (value ?? undefined) as T | undefined, write),
    limit: 0,
  };
}

export function nbt(form: m.NBTForm): Codec {
  const named = form === m.NBT_FILE;
  return {
    consume: (got, b, at, end) => showNBT(m.consumeNBT(got, b, at, end, form), named),
    read: (reader) => showNBT(reader.readNBT(form), named),
    append: (out, value) => m.appendNBT(out, form, parseNBT(value)),
    write: (writer, value) => writer.writeNBT(form, parseNBT(value)),
    lax: true,
    limit: 0,
  };
}

const intoInts = new Int32Array(1 << 16);
/** Arrays of VarInts by the functions that fill typed arrays. */
export const varints: Codec = {
  consume: (got, b, at, end, limit) => {
    const into = intoInts.subarray(0, limit);
    return Array.from(into.subarray(0, m.consumeVarInts(got, b, at, end, into)));
  },
  read: (reader, limit) => Array.from(intoInts.subarray(0, reader.readVarInts(intoInts.subarray(0, limit)))),
  append: (out, values) => m.appendVarInts(out, values as number[]),
  write: (writer, values) => writer.writeVarInts(values as number[]),
  limit: intoInts.length,
};

export const bitset: Codec = {
  consume: (got, b, at, end, limit) => m.consumeBitSet(got, b, at, end, limit).words.map(String),
  read: (reader, limit) => reader.readBitSet(limit).words.map(String),
  append: (out, words) => m.appendBitSet(out, m.BitSet.of((words as string[]).map(BigInt))),
  write: (writer, words) => writer.writeBitSet(m.BitSet.of((words as string[]).map(BigInt))),
  limit: m.MAX_BYTES_LEN,
};

/** Decodes what is known to be UTF-8. */
export function asText(utf8: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(utf8);
}
