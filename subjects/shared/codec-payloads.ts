// Operations on payloads as a whole: frames, byte strings, and the copies that bound them.
import { FrameDecoder, OutputBuffer, Reader, Writer } from "../../mpacket/ts/src/index.ts";
import {
  MIXED,
  type Operation,
  outputsOf,
  PACKETS_PER_ROUND,
  PAYLOAD_BYTES,
  PAYLOAD_ROUND_BYTES,
  PLAYER_ROUNDS,
  PLAYERS,
  tail,
} from "./codec-operation.ts";
import { mixedPayloads } from "./codec-packets.ts";
import { many, type Source } from "./codec-samples.ts";
import { done } from "./codec-values.ts";

/** Puts payloads[from, to) into the empty output and returns what was read meanwhile. */
type Move = (out: Writer, payloads: Uint8Array[], from: number, to: number) => number;

const KILOBYTE = 1024;

/** Looks at every frame of a chunk: its length, its first and its last byte. */
function takeApart(decoder: FrameDecoder, chunk: Uint8Array): number {
  let sum = 0;
  decoder.push(chunk);
  while (decoder.next()) {
    const { bytes, start, end } = decoder;
    sum = (sum + end - start + (bytes[start] as number) + (bytes[end - 1] as number)) | 0;
  }
  return sum;
}

/** The ceiling: what the runtime itself needs for the same bytes. */
const copyOnly = (): Move => (out, payloads, from, to) => {
  let at = 0;
  for (let i = from; i < to; i++) {
    const payload = payloads[i] as Uint8Array;
    out.bytes.set(payload, at);
    at += payload.length;
  }
  out.length = at;
  return 0;
};
const frameOnly = (): Move => (out, payloads, from, to) => {
  for (let i = from; i < to; i++) out.appendFrame(payloads[i] as Uint8Array);
  return 0;
};
const frameAndTakeApart = (): Move => {
  const decoder = new FrameDecoder();
  return (out, payloads, from, to) => {
    for (let i = from; i < to; i++) out.appendFrame(payloads[i] as Uint8Array);
    return takeApart(decoder, out.content);
  };
};
const writeByteStrings = (): Move => (out, payloads, from, to) => {
  for (let i = from; i < to; i++) out.writeBytes(payloads[i] as Uint8Array);
  return 0;
};

function payloadsOf(source: Source, size: number): Uint8Array[] {
  return many(PAYLOAD_BYTES / size, () => source.bytes(size / 4));
}

function groupOf(size: number): number {
  return Math.max(1, Math.floor(PAYLOAD_ROUND_BYTES / size));
}

function ofPayloads(size: number, newMove: () => Move): (source: Source) => Operation {
  return (source) => moving(payloadsOf(source, size), groupOf(size), newMove());
}

function ofMix(newMove: () => Move): (source: Source) => Operation {
  return (source) => moving(mixedPayloads(source, MIXED), PACKETS_PER_ROUND, newMove());
}

function moving(payloads: Uint8Array[], perRound: number, move: Move): Operation {
  const out = new Writer(80 * KILOBYTE); // the largest payload and its length fit
  return {
    rounds: Math.floor(payloads.length / perRound),
    round(i) {
      out.length = 0;
      const sum = move(out, payloads, i * perRound, (i + 1) * perRound);
      return (sum + tail(out.bytes, out.length)) | 0;
    },
    output: () => out.content,
  };
}

/** Reads 1 KB as a view and copies it into memory that is reused. */
function readingByteStrings(source: Source): Operation {
  const perRound = groupOf(KILOBYTE);
  const packets = outputsOf(moving(payloadsOf(source, KILOBYTE), perRound, writeByteStrings()));
  const reader = new Reader();
  const own = new Uint8Array(PAYLOAD_ROUND_BYTES);
  return {
    rounds: packets.length,
    round(i) {
      reader.reset(packets[i] as Uint8Array);
      let at = 0;
      for (let k = 0; k < perRound; k++) {
        const bytes = reader.readBytes(KILOBYTE);
        own.set(bytes, at);
        at += bytes.length;
      }
      return done(reader, tail(own, at));
    },
    output: () => own,
  };
}

/** Takes frames of 4 KB apart and copies what is in them. */
function decodingOnly(source: Source): Operation {
  const chunks = outputsOf(moving(payloadsOf(source, 4 * KILOBYTE), groupOf(4 * KILOBYTE), frameOnly()));
  const decoder = new FrameDecoder();
  const own = new Uint8Array(PAYLOAD_ROUND_BYTES);
  return {
    rounds: chunks.length,
    round(i) {
      let at = 0;
      decoder.push(chunks[i] as Uint8Array);
      while (decoder.next()) {
        own.set(decoder.bytes.subarray(decoder.start, decoder.end), at);
        at += decoder.end - decoder.start;
      }
      return tail(own, at);
    },
    output: () => own,
  };
}

/** Serves 1,000 players in turns, each with a buffer and a decoder of its own. */
function maxLoad(source: Source): Operation {
  const payloads = mixedPayloads(source, PLAYERS * PLAYER_ROUNDS);
  const players = many(PLAYERS, () => ({ out: new OutputBuffer(KILOBYTE), decoder: new FrameDecoder() }));
  return {
    rounds: PLAYER_ROUNDS,
    round(i) {
      let sum = 0;
      for (let k = 0; k < PLAYERS; k++) {
        const { out, decoder } = players[k] as (typeof players)[number];
        out.length = 0;
        out.appendFrame(payloads[i * PLAYERS + k] as Uint8Array);
        sum = (sum + takeApart(decoder, out.content)) | 0;
      }
      return sum;
    },
    output() {
      const all = new OutputBuffer();
      for (const { out } of players) all.appendRaw(out.bytes, 0, out.length);
      return all.content;
    },
  };
}

export const payloadOperations: Record<string, (source: Source) => Operation> = {
  "WriteBytes (1 KB)": ofPayloads(KILOBYTE, writeByteStrings),
  "ReadBytes (1 KB)": readingByteStrings,
  "Massive payload (10 KB)": ofPayloads(10 * KILOBYTE, frameAndTakeApart),
  "Throughput 64 B": ofPayloads(64, frameAndTakeApart),
  "Throughput 512 B": ofPayloads(512, frameAndTakeApart),
  "Throughput 4 KB": ofPayloads(4 * KILOBYTE, frameAndTakeApart),
  "Throughput 64 KB": ofPayloads(64 * KILOBYTE, frameAndTakeApart),
  "Encoding only": ofPayloads(4 * KILOBYTE, frameOnly),
  "Decoding only": decodingOnly,
  "Realistic mix": ofMix(frameAndTakeApart),
  "Max load (1000 players)": maxLoad,
  "Copy 64 B": ofPayloads(64, copyOnly),
  "Copy 512 B": ofPayloads(512, copyOnly),
  "Copy 4 KB": ofPayloads(4 * KILOBYTE, copyOnly),
  "Copy 64 KB": ofPayloads(64 * KILOBYTE, copyOnly),
  "Copy mix": ofMix(copyOnly),
};
