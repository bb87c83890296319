// Operations on whole packets.
import { FrameDecoder, Reader, Writer } from "../../mpacket/ts/src/index.ts";
import {
  LARGES,
  LARGES_PER_ROUND,
  MEDIUMS,
  NOTHING,
  type Operation,
  PACKETS_PER_ROUND,
  PAYLOAD_ROUND_BYTES,
  SMALLS,
  tail,
} from "./codec-operation.ts";
import { type Large, MEDIUM_ID, type Medium, many, SMALL_ID, type Small, type Source } from "./codec-samples.ts";
import { done } from "./codec-values.ts";

function writeSmall(w: Writer, p: Small): void {
  w.writeVarInt(SMALL_ID);
  w.writeVarInt(p.entity);
  w.writeInt16(p.x);
  w.writeInt16(p.y);
  w.writeInt16(p.z);
  w.writeBool(p.ground);
}

function writeMedium(w: Writer, p: Medium): void {
  w.writeVarInt(MEDIUM_ID);
  w.writeUUID(p.id);
  w.writePosition(p.at);
  w.writeInt64Parts(p.timeHi, p.timeLo);
  w.writeString(p.text);
}

function writeLarge(w: Writer, p: Large): void {
  writeMedium(w, p);
  w.writeString(p.name);
  w.writeVarInts(p.counts);
  w.writeBytes(p.data);
}

function readSmall(r: Reader): number {
  let sum = r.readVarInt() + r.readVarInt();
  sum += r.readInt16() + r.readInt16() + r.readInt16();
  return r.readBool() ? (sum + 1) | 0 : sum | 0;
}

/** The longest text of a packet, in UTF-16 units. */
const TEXT_UNITS_MAX = 256;

// What is read is read into the same objects again and again.
const id = { a: 0, b: 0, c: 0, d: 0 };
const place = { x: 0, y: 0, z: 0 };
const counts = new Int32Array(64);
const data = new Uint8Array(512);

function readMedium(r: Reader): number {
  const packet = r.readVarInt();
  r.readUUID(id);
  r.readPosition(place);
  r.readInt64Parts();
  const sum = packet + (id.a >>> 24) + (id.d & 0xff) + place.x + place.y + place.z + (r.hi ^ r.lo);
  return (sum + r.readStringSpan(TEXT_UNITS_MAX)) | 0;
}

function readLarge(r: Reader): number {
  let sum = readMedium(r) + r.readStringSpan(TEXT_UNITS_MAX);
  const count = r.readVarInts(counts);
  for (let i = 0; i < count; i++) sum = (sum + (counts[i] as number)) | 0;
  data.set(r.readBytes(data.length));
  return (sum + (data[0] as number) + (data[data.length - 1] as number)) | 0;
}

/** A packet is written behind the others and read again from there. */
function cycle<P>(
  packets: P[],
  perRound: number,
  write: (w: Writer, p: P) => void,
  read: (r: Reader) => number,
): Operation {
  const writer = new Writer(2 * PAYLOAD_ROUND_BYTES);
  const reader = new Reader();
  return {
    rounds: packets.length / perRound,
    round(i) {
      let sum = 0;
      writer.clear();
      for (let k = i * perRound; k < (i + 1) * perRound; k++) {
        const from = writer.length;
        write(writer, packets[k] as P);
        reader.reset(writer.bytes, from, writer.length);
        sum = (sum + done(reader, read(reader))) | 0;
      }
      return (sum + tail(writer.bytes, writer.length)) | 0;
    },
    output: () => writer.content,
  };
}

const smalls = (source: Source): Operation =>
  cycle(
    many(SMALLS, () => source.small()),
    PACKETS_PER_ROUND,
    writeSmall,
    readSmall,
  );
const mediums = (source: Source): Operation =>
  cycle(
    many(MEDIUMS, () => source.medium()),
    PACKETS_PER_ROUND,
    writeMedium,
    readMedium,
  );
const larges = (source: Source): Operation =>
  cycle(
    many(LARGES, () => source.large()),
    LARGES_PER_ROUND,
    writeLarge,
    readLarge,
  );

function mediumWrites(source: Source): Operation {
  const packets = many(MEDIUMS, () => source.medium());
  const writer = new Writer(PAYLOAD_ROUND_BYTES);
  return {
    rounds: MEDIUMS / PACKETS_PER_ROUND,
    round(i) {
      writer.clear();
      const end = (i + 1) * PACKETS_PER_ROUND;
      for (let k = i * PACKETS_PER_ROUND; k < end; k++) writeMedium(writer, packets[k] as Medium);
      return tail(writer.bytes, writer.length);
    },
    output: () => writer.content,
  };
}

function encodedMedium(source: Source): Uint8Array {
  return encoded((w) => writeMedium(w, source.medium()));
}

function mediumReads(source: Source): Operation {
  const payloads = many(MEDIUMS, () => encodedMedium(source));
  const reader = new Reader();
  return {
    rounds: MEDIUMS / PACKETS_PER_ROUND,
    round(i) {
      let sum = 0;
      for (let k = i * PACKETS_PER_ROUND; k < (i + 1) * PACKETS_PER_ROUND; k++) {
        reader.reset(payloads[k] as Uint8Array);
        sum = (sum + done(reader, readMedium(reader))) | 0;
      }
      return sum;
    },
    output: () => NOTHING,
  };
}

const encoder = new Writer();

/** Returns what write writes, as bytes of their own. */
function encoded(write: (w: Writer) => void): Uint8Array {
  encoder.clear();
  write(encoder);
  return encoder.content.slice();
}

/** Draws packets as a game server sends them. */
export function mixedPayloads(source: Source, count: number): Uint8Array[] {
  return many(count, () => {
    switch (source.kind()) {
      case "small":
        return encoded((w) => writeSmall(w, source.small()));
      case "medium":
        return encodedMedium(source);
      case "large":
        return encoded((w) => writeLarge(w, source.large()));
    }
  });
}

/** Takes one packet of each kind through writing, framing, taking apart and reading. */
function stress(source: Source): Operation {
  const trios = many(LARGES, () => ({ small: source.small(), medium: source.medium(), large: source.large() }));
  const writer = new Writer(2 * PAYLOAD_ROUND_BYTES);
  const decoder = new FrameDecoder();
  const reader = new Reader();
  const reads = [readSmall, readMedium, readLarge];
  return {
    rounds: LARGES / LARGES_PER_ROUND,
    round(i) {
      writer.clear();
      for (let k = i * LARGES_PER_ROUND; k < (i + 1) * LARGES_PER_ROUND; k++) {
        const { small, medium, large } = trios[k] as (typeof trios)[number];
        let mark = writer.beginFrame();
        writeSmall(writer, small);
        writer.endFrame(mark);
        mark = writer.beginFrame();
        writeMedium(writer, medium);
        writer.endFrame(mark);
        mark = writer.beginFrame();
        writeLarge(writer, large);
        writer.endFrame(mark);
      }
      let sum = tail(writer.bytes, writer.length);
      decoder.push(writer.content);
      for (let kind = 0; decoder.next(); kind = (kind + 1) % reads.length) {
        reader.reset(decoder.bytes, decoder.start, decoder.end);
        sum = (sum + done(reader, (reads[kind] as (r: Reader) => number)(reader))) | 0;
      }
      return sum;
    },
    output: () => writer.content,
  };
}

/** JavaScript has one thread, so that the parallel operations are the serial ones. */
export const packetOperations: Record<string, (source: Source) => Operation> = {
  Small: smalls,
  Medium: mediums,
  Large: larges,
  "Stress test": stress,
  "Parallel write": mediumWrites,
  "Parallel read": mediumReads,
  "Parallel small": smalls,
  "Parallel medium": mediums,
  "Parallel large": larges,
};
