// Operations on single values. Each has a loop of its own: one loop for all, with a function for each value,
// would measure the calls of that function, which no compiler can inline.
import { Reader, Writer } from "../../mpacket/ts/src/index.ts";
import {
  NOTHING,
  NUMBERS_PER_OPERATION,
  type Operation,
  outputsOf,
  tail,
  VALUES,
  VALUES_PER_ROUND,
} from "./codec-operation.ts";
import { many, type Source } from "./codec-samples.ts";

/** Writes values[from, to). */
type Write<L> = (writer: Writer, values: L, from: number, to: number) => void;
/** Reads a round of values and returns what they come to. */
type Read = (reader: Reader) => number;

/** Room for what a round of any operation here writes. */
const CAPACITY = 64 * VALUES_PER_ROUND;

function writing<L>(draw: (source: Source) => L, write: Write<L>): (source: Source) => Operation {
  return (source) => writingRounds(VALUES_PER_ROUND, draw(source), write);
}

function writingRounds<L>(perRound: number, values: L, write: Write<L>): Operation {
  const writer = new Writer(CAPACITY);
  return {
    rounds: Math.floor(VALUES / perRound),
    round(i) {
      writer.clear();
      write(writer, values, i * perRound, (i + 1) * perRound);
      return tail(writer.bytes, writer.length);
    },
    output: () => writer.content,
  };
}

/** Returns a packet for each round of values. */
function encoded<L>(perRound: number, values: L, write: Write<L>): Uint8Array[] {
  return outputsOf(writingRounds(perRound, values, write));
}

/** Returns sum, unless the reader met an error: then something that is never right by chance alone. */
export function done(reader: Reader, sum: number): number {
  return reader.error === undefined && reader.remaining === 0 ? sum | 0 : ~sum;
}

function reading<L>(draw: (source: Source) => L, write: Write<L>, read: Read): (source: Source) => Operation {
  return (source) => readingRounds(encoded(VALUES_PER_ROUND, draw(source), write), read);
}

function readingRounds(packets: Uint8Array[], read: Read): Operation {
  const reader = new Reader();
  return {
    rounds: packets.length,
    round(i) {
      reader.reset(packets[i] as Uint8Array);
      return done(reader, read(reader));
    },
    output: () => NOTHING,
  };
}

const writeBytes: Write<Int32Array> = (w, values, from, to) => {
  for (let i = from; i < to; i++) w.writeByte((values[i] as number) & 0xff);
};
const writeInt16s: Write<Int32Array> = (w, values, from, to) => {
  for (let i = from; i < to; i++) w.writeInt16(((values[i] as number) << 16) >> 16);
};
const writeInt32s: Write<Int32Array> = (w, values, from, to) => {
  for (let i = from; i < to; i++) w.writeInt32(values[i] as number);
};
/** 64-bit numbers are written as halves, so that none becomes an object. */
const writeInt64s: Write<Int32Array> = (w, values, from, to) => {
  for (let i = 2 * from; i < 2 * to; i += 2) w.writeInt64Parts(values[i] as number, values[i + 1] as number);
};
const writeVarInts: Write<Int32Array> = (w, values, from, to) => {
  for (let i = from; i < to; i++) w.writeVarInt(values[i] as number);
};
const writeStrings: Write<string[]> = (w, values, from, to) => {
  for (let i = from; i < to; i++) w.writeString(values[i] as string);
};

const readBytes: Read = (r) => {
  let sum = 0;
  for (let i = 0; i < VALUES_PER_ROUND; i++) sum = (sum + r.readByte()) | 0;
  return sum;
};
const readInt16s: Read = (r) => {
  let sum = 0;
  for (let i = 0; i < VALUES_PER_ROUND; i++) sum = (sum + r.readInt16()) | 0;
  return sum;
};
const readInt32s: Read = (r) => {
  let sum = 0;
  for (let i = 0; i < VALUES_PER_ROUND; i++) sum = (sum + r.readInt32()) | 0;
  return sum;
};
const readVarInts: Read = (r) => {
  let sum = 0;
  for (let i = 0; i < VALUES_PER_ROUND; i++) sum = (sum + r.readVarInt()) | 0;
  return sum;
};

/** Returns what reads that many 64-bit numbers as halves. */
function readInt64s(count: number): Read {
  return (r) => {
    let x = 0;
    for (let i = 0; i < count; i++) {
      r.readInt64Parts();
      x ^= r.hi ^ r.lo;
    }
    return x;
  };
}

/** Makes a string of each text and keeps the last ones, as a program that needs them would. */
function readingStrings(source: Source): Operation {
  const packets = encoded(VALUES_PER_ROUND, strings(source), writeStrings);
  const texts = new Array<string>(VALUES_PER_ROUND).fill("");
  const utf8 = new TextEncoder();
  const operation = readingRounds(packets, (r) => {
    let sum = 0;
    for (let i = 0; i < VALUES_PER_ROUND; i++) {
      const text = r.readString();
      texts[i] = text;
      sum = (sum + text.charCodeAt(text.length - 1)) | 0;
    }
    return sum;
  });
  return { ...operation, output: () => utf8.encode(texts.join("")) };
}

const int32s = (source: Source): Int32Array => source.int32s(VALUES);
const int64s = (source: Source): Int32Array => source.int32s(2 * VALUES);
const varInts = (source: Source): Int32Array => source.varInts(VALUES);
const strings = (source: Source): string[] => many(VALUES, () => source.text());

export const valueOperations: Record<string, (source: Source) => Operation> = {
  WriteByte: writing(int32s, writeBytes),
  WriteInt16: writing(int32s, writeInt16s),
  WriteInt32: writing(int32s, writeInt32s),
  WriteInt64: writing(int64s, writeInt64s),
  WriteVarInt: writing(varInts, writeVarInts),
  WriteString: writing(strings, writeStrings),
  ReadByte: reading(int32s, writeBytes, readBytes),
  ReadInt16: reading(int32s, writeInt16s, readInt16s),
  ReadInt32: reading(int32s, writeInt32s, readInt32s),
  ReadInt64: reading(int64s, writeInt64s, readInt64s(VALUES_PER_ROUND)),
  ReadVarInt: reading(varInts, writeVarInts, readVarInts),
  ReadString: readingStrings,
  "High volume writes (1000×)": (source) => writingRounds(NUMBERS_PER_OPERATION, int64s(source), writeInt64s),
  "High volume reads (1000×)": (source) =>
    readingRounds(encoded(NUMBERS_PER_OPERATION, int64s(source), writeInt64s), readInt64s(NUMBERS_PER_OPERATION)),
};
