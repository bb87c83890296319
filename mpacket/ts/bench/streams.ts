// Operations on frames, compression and encryption. Beside each framing is the copy of the same bytes.
import { newCFB8Decrypter, newCFB8Encrypter } from "../src/cipher.ts";
import { FrameDecoder, OutputBuffer } from "../src/index.ts";
import { Deflater, Inflater } from "../src/zlib.ts";
import type { Op } from "./harness.ts";
import { encodeAll, larges, mediums, payloads, ROUND, smalls } from "./inputs.ts";
import { meanLength, writeLarge, writeMedium, writeSmall } from "./packets.ts";

/** How many bytes an output buffer takes before it is used anew, as a server does. */
const FULL = 48 * 1024;

/** Takes chunk apart and returns the sum of the last bytes of all frames. */
function takeApart(decoder: FrameDecoder, chunk: Uint8Array): number {
  let sum = 0;
  decoder.push(chunk);
  while (decoder.next()) sum += decoder.bytes[decoder.end - 1] as number;
  return sum;
}

function copying(name: string, list: readonly Uint8Array[]): Op {
  const out = new OutputBuffer(1 << 20);
  return {
    name: `${name}/Copy`,
    bytes: meanLength(list),
    run(count) {
      for (let i = 0, next = 0; i < count; i++) {
        if (out.length > FULL) out.length = 0;
        out.appendRaw(list[next] as Uint8Array);
        next = next + 1 === list.length ? 0 : next + 1;
      }
      return out.length;
    },
  };
}

function framing(name: string, list: readonly Uint8Array[]): Op {
  const out = new OutputBuffer(1 << 20);
  return {
    name: `${name}/Frame`,
    bytes: meanLength(list),
    run(count) {
      for (let i = 0, next = 0; i < count; i++) {
        if (out.length > FULL) out.length = 0;
        out.appendFrame(list[next] as Uint8Array);
        next = next + 1 === list.length ? 0 : next + 1;
      }
      return out.length;
    },
  };
}

/** Frames and takes apart again. A payload is still moved only once: whole frames are shown where they lie. */
function cycling(name: string, list: readonly Uint8Array[]): Op {
  const out = new OutputBuffer(1 << 20);
  const decoder = new FrameDecoder();
  return {
    name,
    bytes: meanLength(list),
    run(count) {
      let sum = 0;
      for (let i = 0, next = 0; i < count; i++) {
        out.appendFrame(list[next] as Uint8Array);
        next = next + 1 === list.length ? 0 : next + 1;
        if (out.length > FULL || i + 1 === count) {
          sum += takeApart(decoder, out.content);
          out.length = 0;
        }
      }
      return sum;
    },
  };
}

/** A stream of 512-byte frames in chunks of 1,448 bytes, the payload of an Ethernet segment. */
function split(): Op {
  const out = new OutputBuffer();
  const list = payloads(512);
  for (const payload of list) out.appendFrame(payload);
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < out.length; at += 1448) chunks.push(out.bytes.subarray(at, Math.min(at + 1448, out.length)));
  const decoder = new FrameDecoder();
  return {
    name: "ThroughputSplit",
    bytes: 512,
    run(count) {
      let sum = 0;
      for (let i = 0; i < count; i += list.length) {
        for (const chunk of chunks) sum += takeApart(decoder, chunk);
      }
      return sum;
    },
  };
}

/** Of 20 packets 13 small ones, 6 medium ones and a large one. */
function mixed(): Uint8Array[] {
  const kinds = [
    encodeAll(smalls.slice(0, 13 * ROUND), writeSmall),
    encodeAll(mediums.slice(0, 6 * ROUND), writeMedium),
    encodeAll(larges.slice(0, ROUND), writeLarge),
  ];
  // Eleven is prime to twenty, so that this visits all twenty places in turn, out of order.
  return Array.from({ length: 20 * ROUND }, (_, i) => {
    const slot = (i * 11) % 20;
    const kind = kinds[slot < 13 ? 0 : slot < 19 ? 1 : 2] as Uint8Array[];
    return kind[i % kind.length] as Uint8Array;
  });
}

/** 1,000 players in turns, each with a buffer and a decoder of its own. */
function maxLoad(): Op {
  const players = Array.from({ length: 1000 }, () => ({ out: new OutputBuffer(1024), decoder: new FrameDecoder() }));
  const list = mixed();
  return {
    name: "ThroughputMaxLoad",
    bytes: meanLength(list),
    run(count) {
      let sum = 0;
      for (let i = 0; i < count; i++) {
        const { out, decoder } = players[i % players.length] as (typeof players)[number];
        out.length = 0;
        out.appendFrame(list[i % list.length] as Uint8Array);
        sum += takeApart(decoder, out.content);
      }
      return sum;
    },
  };
}

function over(name: string, list: readonly Uint8Array[], work: (bytes: Uint8Array) => number): Op {
  return {
    name,
    bytes: meanLength(list),
    run(count) {
      let sum = 0;
      for (let i = 0; i < count; i++) sum += work(list[i % list.length] as Uint8Array);
      return sum;
    },
  };
}

function ciphers(): Op[] {
  const secret = Uint8Array.from({ length: 16 }, (_, i) => i);
  const encrypter = newCFB8Encrypter(secret, secret);
  const decrypter = newCFB8Decrypter(secret, secret);
  return [
    over("CFB8Encrypt", payloads(1024), (bytes) => encrypter.update(bytes)[0] as number),
    over("CFB8Decrypt", payloads(1024), (bytes) => decrypter.update(bytes)[0] as number),
  ];
}

function compression(): Op[] {
  const packets = encodeAll(larges.slice(0, 1024), writeLarge);
  const deflater = new Deflater({ level: 1 });
  const inflater = new Inflater();
  const out = new OutputBuffer();
  const deflate = (packet: Uint8Array): number => {
    out.length = 0;
    deflater.appendPayload(out, packet);
    return out.length;
  };
  const compressed = packets.map((packet) => {
    deflate(packet);
    return out.content.slice();
  });
  const inflate = (payload: Uint8Array): number => {
    inflater.inflate(payload);
    return inflater.end;
  };
  return [over("Deflate", packets, deflate), over("Inflate", compressed, inflate)];
}

const SIZES: [name: string, length: number][] = [
  ["64B", 64],
  ["512B", 512],
  ["4KB", 4096],
  ["64KB", 65_536],
];

export const streamOps: (() => Op)[] = [
  ...SIZES.flatMap(([size, length]) => [
    () => copying(`Throughput${size}`, payloads(length)),
    () => framing(`Throughput${size}`, payloads(length)),
    () => cycling(`Throughput${size}/Cycle`, payloads(length)),
  ]),
  split,
  () => cycling("ThroughputRealisticMix", mixed()),
  () => cycling("MassivePayload", payloads(8192)),
  maxLoad,
  () => ciphers()[0] as Op,
  () => ciphers()[1] as Op,
  () => compression()[0] as Op,
  () => compression()[1] as Op,
];
