// Operations on whole packets.
import { FrameDecoder, Reader, Writer } from "../src/index.ts";
import type { Op } from "./harness.ts";
import {
  encodeAll,
  INPUTS,
  int64s,
  type Large,
  larges,
  type Medium,
  mediums,
  ROUND,
  type Small,
  smalls,
} from "./inputs.ts";

export function writeSmall(w: Writer, p: Small): void {
  w.writeVarInt(0x2c);
  w.writeVarInt(p.entity);
  w.writeInt16(p.x);
  w.writeInt16(p.y);
  w.writeInt16(p.z);
  w.writeBool(p.ground);
}

function readSmall(r: Reader): number {
  let sum = r.readVarInt() + r.readVarInt();
  sum += r.readInt16() + r.readInt16() + r.readInt16();
  return r.readBool() ? sum + 1 : sum;
}

export function writeMedium(w: Writer, p: Medium): void {
  w.writeVarInt(0x3b);
  w.writeUUID(p.id);
  w.writePosition(p.at);
  w.writeInt64Parts(p.timeHi, p.timeLo);
  w.writeString(p.text);
}

const id = { a: 0, b: 0, c: 0, d: 0 };
const place = { x: 0, y: 0, z: 0 };

function readMedium(r: Reader): number {
  const sum = r.readVarInt();
  r.readUUID(id);
  r.readPosition(place);
  r.readInt64Parts();
  return sum + id.a + id.d + place.x + place.y + place.z + r.hi + r.lo + r.readStringSpan(256);
}

export function writeLarge(w: Writer, p: Large): void {
  writeMedium(w, p);
  w.writeString(p.name);
  w.writeVarInts(p.counts);
  w.writeBytes(p.data);
}

const counts = new Int32Array(64);
const data = new Uint8Array(512);

function readLarge(r: Reader): number {
  const sum = readMedium(r) + r.readStringSpan(256) + r.readVarInts(counts);
  data.set(r.readBytes());
  return sum + (counts[0] as number) + (data[0] as number);
}

const writer = new Writer(1 << 20);
const reader = new Reader();

/** Returns the mean length of byte strings. */
export function meanLength(all: readonly Uint8Array[]): number {
  return Math.round(all.reduce((sum, bytes) => sum + bytes.length, 0) / all.length);
}

/** Writes a packet and reads it again. */
function cycle<P>(
  name: string,
  packets: readonly P[],
  write: (w: Writer, p: P) => void,
  read: (r: Reader) => number,
): Op {
  let next = 0;
  return {
    name: `${name}Packet`,
    bytes: 2 * meanLength(encodeAll(packets.slice(0, ROUND), write)),
    run(count) {
      let sum = 0;
      for (let i = 0; i < count; i++) {
        writer.clear();
        write(writer, packets[next] as P);
        reader.reset(writer.bytes, 0, writer.length);
        sum = (sum + read(reader)) | 0;
        next = (next + 1) & (packets.length - 1);
      }
      reader.finish();
      return sum;
    },
  };
}

/** One packet of each kind, written, framed, taken apart and read. */
function stress(): Op {
  const decoder = new FrameDecoder();
  const chunk = (i: number): Uint8Array => {
    writer.clear();
    let mark = writer.beginFrame();
    writeSmall(writer, smalls[i] as Small);
    writer.endFrame(mark);
    mark = writer.beginFrame();
    writeMedium(writer, mediums[i] as Medium);
    writer.endFrame(mark);
    mark = writer.beginFrame();
    writeLarge(writer, larges[i] as Large);
    writer.endFrame(mark);
    return writer.content;
  };
  const reads = [readSmall, readMedium, readLarge];
  return {
    name: "StressTest",
    bytes: 2 * chunk(0).length,
    run(count) {
      let sum = 0;
      for (let i = 0; i < count; i++) {
        decoder.push(chunk(i & (larges.length - 1)));
        for (let kind = 0; decoder.next(); kind++) {
          reader.reset(decoder.bytes, decoder.start, decoder.end);
          sum = (sum + (reads[kind] as (r: Reader) => number)(reader)) | 0;
        }
      }
      reader.finish();
      return sum;
    },
  };
}

/** 1,000 numbers an operation, as halves. */
function highVolumeWrites(): Op {
  return {
    name: "HighVolumeWrites",
    bytes: 8000,
    run(count) {
      for (let i = 0; i < count; i++) {
        writer.clear();
        for (let k = 0; k < 1000; k++) writer.writeInt64Parts(k, i);
      }
      return writer.length;
    },
  };
}

function highVolumeReads(): Op {
  const [packet] = encodeAll([int64s.slice(0, 1000)], (w, values) => {
    for (const value of values) w.writeInt64(value);
  });
  return {
    name: "HighVolumeReads",
    bytes: 8000,
    run(count) {
      let sum = 0;
      for (let i = 0; i < count; i++) {
        reader.reset(packet as Uint8Array);
        for (let k = 0; k < 1000; k++) {
          reader.readInt64Parts();
          sum = (sum + reader.hi + reader.lo) | 0;
        }
      }
      return sum;
    },
  };
}

/** Writes medium packets and frames them. */
function encodingOnly(): Op {
  return {
    name: "ThroughputEncodingOnly",
    bytes: meanLength(encodeAll(mediums.slice(0, ROUND), writeMedium)),
    run(count) {
      for (let i = 0; i < count; i++) {
        if (i % ROUND === 0) writer.clear();
        const mark = writer.beginFrame();
        writeMedium(writer, mediums[i & (INPUTS - 1)] as Medium);
        writer.endFrame(mark);
      }
      return writer.length;
    },
  };
}

/** Reads medium packets; the text is checked to be UTF-8. */
function decodingOnly(): Op {
  const packets = encodeAll(mediums.slice(0, INPUTS / 8), writeMedium);
  return {
    name: "ThroughputDecodingOnly",
    bytes: meanLength(packets),
    run(count) {
      let sum = 0;
      for (let i = 0; i < count; i++) {
        reader.reset(packets[i & (packets.length - 1)] as Uint8Array);
        sum = (sum + readMedium(reader)) | 0;
      }
      reader.finish();
      return sum;
    },
  };
}

export const packetOps: (() => Op)[] = [
  () => cycle("Small", smalls, writeSmall, readSmall),
  () => cycle("Medium", mediums, writeMedium, readMedium),
  () => cycle("Large", larges, writeLarge, readLarge),
  stress,
  highVolumeWrites,
  highVolumeReads,
  encodingOnly,
  decodingOnly,
];
