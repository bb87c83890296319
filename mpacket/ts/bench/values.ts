// Operations on single values: the names of the Go benchmarks.
import { Reader, Writer } from "../src/index.ts";
import type { Op } from "./harness.ts";
import { INPUTS, int32s, int64s, mixedInts, payloads, ROUND, smallInts, words } from "./inputs.ts";

const writer = new Writer(1 << 20);

/**
 * Writes values[from, to). Each operation has a loop of its own: one loop for all, with a function for
 * each value, would measure the calls of that function, which no compiler can inline.
 */
type WriteAll<T> = (writer: Writer, values: readonly T[], from: number, to: number) => void;
/** Reads count values and returns a number made of them. */
type ReadAll = (reader: Reader, count: number) => number;

/** Returns the bytes of all values. */
function encoded<T>(values: readonly T[], write: WriteAll<T>): Uint8Array {
  writer.clear();
  write(writer, values, 0, values.length);
  return writer.content.slice();
}

/** Writes one value an operation. */
function writing<T>(name: string, values: readonly T[], write: WriteAll<T>): Op {
  const bytes = Math.round(encoded(values, write).length / values.length);
  const round = Math.min(ROUND, values.length);
  let from = 0;
  return {
    name: `Write${name}`,
    bytes,
    run(count) {
      for (let left = count; left > 0; left -= round) {
        const to = Math.min(from + round, from + left);
        writer.clear();
        write(writer, values, from, to);
        from = (from + round) & (values.length - 1);
      }
      return writer.length;
    },
  };
}

/** Reads one value an operation from a packet of all values. */
function reading<T>(name: string, values: readonly T[], write: WriteAll<T>, read: ReadAll, moves = true): Op {
  const packet = encoded(values, write);
  const reader = new Reader(packet);
  let left = values.length;
  return {
    name: `Read${name}`,
    bytes: moves ? Math.round(packet.length / values.length) : 0,
    run(count) {
      let sum = 0;
      for (let done = 0; done < count; ) {
        if (left === 0) {
          reader.reset(packet);
          left = values.length;
        }
        const part = Math.min(ROUND, left, count - done);
        sum = (sum + read(reader, part)) | 0;
        left -= part;
        done += part;
      }
      if (reader.error !== undefined) throw reader.error;
      return sum;
    },
  };
}

const writeBytes8: WriteAll<number> = (w, values, from, to) => {
  for (let i = from; i < to; i++) w.writeByte(values[i] as number);
};
const writeInt16s: WriteAll<number> = (w, values, from, to) => {
  for (let i = from; i < to; i++) w.writeInt16((values[i] as number) >> 16);
};
const writeInt32s: WriteAll<number> = (w, values, from, to) => {
  for (let i = from; i < to; i++) w.writeInt32(values[i] as number);
};
const writeInt64s: WriteAll<bigint> = (w, values, from, to) => {
  for (let i = from; i < to; i++) w.writeInt64(values[i] as bigint);
};
const writeHalves: WriteAll<number> = (w, values, from, to) => {
  for (let i = from; i < to; i++) w.writeInt64Parts(values[i] as number, values[i] as number);
};
const writeVarInts: WriteAll<number> = (w, values, from, to) => {
  for (let i = from; i < to; i++) w.writeVarInt(values[i] as number);
};
const writeStrings: WriteAll<string> = (w, values, from, to) => {
  for (let i = from; i < to; i++) w.writeString(values[i] as string);
};
const writeKilobytes: WriteAll<Uint8Array> = (w, values, from, to) => {
  for (let i = from; i < to; i++) w.writeBytes(values[i] as Uint8Array);
};
const readBytes8: ReadAll = (r, count) => {
  let sum = 0;
  for (let i = 0; i < count; i++) sum = (sum + r.readByte()) | 0;
  return sum;
};
const readInt16s: ReadAll = (r, count) => {
  let sum = 0;
  for (let i = 0; i < count; i++) sum = (sum + r.readInt16()) | 0;
  return sum;
};
const readInt32s: ReadAll = (r, count) => {
  let sum = 0;
  for (let i = 0; i < count; i++) sum = (sum + r.readInt32()) | 0;
  return sum;
};
const readInt64s: ReadAll = (r, count) => {
  let sum = 0;
  for (let i = 0; i < count; i++) sum = (sum + (r.readInt64() === 0n ? 1 : 2)) | 0;
  return sum;
};
const readHalves: ReadAll = (r, count) => {
  let sum = 0;
  for (let i = 0; i < count; i++) {
    r.readInt64Parts();
    sum = (sum + (r.hi ^ r.lo)) | 0;
  }
  return sum;
};
const readSmallVarInts: ReadAll = (r, count) => {
  let sum = 0;
  for (let i = 0; i < count; i++) sum = (sum + r.readVarInt()) | 0;
  return sum;
};
const readMixedVarInts: ReadAll = (r, count) => {
  let sum = 0;
  for (let i = 0; i < count; i++) sum = (sum + r.readVarInt()) | 0;
  return sum;
};
const readStrings: ReadAll = (r, count) => {
  let sum = 0;
  for (let i = 0; i < count; i++) sum = (sum + r.readString().length) | 0;
  return sum;
};
const readStringSpans: ReadAll = (r, count) => {
  let sum = 0;
  for (let i = 0; i < count; i++) sum = (sum + r.readStringSpan()) | 0;
  return sum;
};
const readSpans: ReadAll = (r, count) => {
  let sum = 0;
  for (let i = 0; i < count; i++) sum = (sum + r.readBytesSpan()) | 0;
  return sum;
};
const own = new Uint8Array(1024);
const readCopies: ReadAll = (r, count) => {
  let sum = 0;
  for (let i = 0; i < count; i++) {
    own.set(r.readBytes());
    sum += own[0] as number;
  }
  return sum;
};
const kilobytes = payloads(1024);

/** Reads arrays of ROUND mixed VarInts, one value an operation. */
function readingArrays(): Op {
  writer.clear();
  for (let at = 0; at < INPUTS; at += ROUND) writer.writeVarInts(mixedInts.slice(at, at + ROUND));
  const packet = writer.content.slice();
  const reader = new Reader(packet);
  const into = new Int32Array(ROUND);
  return {
    name: "ReadVarIntsMix",
    bytes: Math.round(packet.length / INPUTS),
    run(count) {
      let sum = 0;
      for (let i = 0; i < count; i += ROUND) {
        if (reader.remaining === 0) reader.reset(packet);
        sum += reader.readVarInts(into);
      }
      return sum;
    },
  };
}

export const valueOps: (() => Op)[] = [
  () => writing("Byte", smallInts, writeBytes8),
  () => writing("Int16", int32s, writeInt16s),
  () => writing("Int32", int32s, writeInt32s),
  () => writing("Int64", int64s, writeInt64s),
  () => writing("Int64Parts", int32s, writeHalves),
  () => writing("VarInt1Byte", smallInts, writeVarInts),
  () => writing("VarIntMix", mixedInts, writeVarInts),
  () => writing("String", words, writeStrings),
  () => writing("Bytes", kilobytes, writeKilobytes),
  () => reading("Byte", smallInts, writeBytes8, readBytes8),
  () => reading("Int16", int32s, writeInt16s, readInt16s),
  () => reading("Int32", int32s, writeInt32s, readInt32s),
  () => reading("Int64", int64s, writeInt64s, readInt64s),
  () => reading("Int64Parts", int64s, writeInt64s, readHalves),
  () => reading("VarInt1Byte", smallInts, writeVarInts, readSmallVarInts),
  () => reading("VarIntMix", mixedInts, writeVarInts, readMixedVarInts),
  readingArrays,
  () => reading("String", words, writeStrings, readStrings),
  () => reading("StringSpan", words, writeStrings, readStringSpans),
  () => reading("Bytes", kilobytes, writeKilobytes, readSpans, false),
  () => reading("BytesCopied", kilobytes, writeKilobytes, readCopies),
];
