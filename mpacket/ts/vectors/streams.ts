import { newCFB8Decrypter, newCFB8Encrypter, PlainCFB8 } from "../src/cipher.ts";
import { FrameDecoder, MpacketError, OutputBuffer } from "../src/index.ts";
import { Decoder, Encoder } from "../src/stream.ts";
import { fromHex, randomFrom } from "../src/testing.ts";
import { Deflater, Inflater } from "../src/zlib.ts";
import { type Blob, bytesOf, expect, expectBytes, packetsOf, type Run } from "./notation.ts";

/** A case of frames.json. */
export interface FrameCase {
  name: string;
  stream: Blob;
  frames: Run[];
  max_len?: number;
  strict?: boolean;
  skip_empty?: boolean;
  buffered?: number;
  error?: string;
  offset?: number;
  canonical?: Blob;
}

/** What a decoder of frames or packets does. */
interface Cutter {
  push(chunk: Uint8Array): void;
  next(): boolean;
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly buffered: number;
}

/** Checks a stream under every way to cut it. */
export function checkFrames(c: FrameCase): void {
  const stream = bytesOf(c.stream);
  const options = { maxLen: c.max_len ?? 0, strict: c.strict ?? false, skipEmpty: c.skip_empty ?? false };
  eachSplit(stream.length, (split, next) => {
    const decoder = new FrameDecoder(options);
    checkCut(split, decoder, stream, next, packetsOf(c.frames), c.error ?? "", c.offset ?? 0);
    const held = c.error === undefined ? decoder.buffered : 0;
    expect(held === (c.buffered ?? 0), () => `${split}: ${held} bytes buffered, want ${c.buffered}`);
  });
  if (c.error !== undefined || c.buffered !== undefined) return;
  const out = new OutputBuffer(0);
  for (const frame of packetsOf(c.frames)) out.appendFrame(frame);
  expectBytes(out.content, bytesOf(c.canonical ?? c.stream), "framing");
}

/** Calls check with ways to cut a stream of that length: whole, in chunks of each small length, and at random. */
function eachSplit(length: number, check: (name: string, next: () => number) => void): void {
  check("whole", () => length);
  const random = randomFrom(length);
  check("random", () => 1 + random(1 + Math.ceil(length / 3)));
  for (let step = 1; step < Math.min(length, 20); step++) {
    if (length < 1 << 16 || step > 10) check(`chunks of ${step}`, () => step);
  }
}

/** Feeds stream to decoder in chunks of the lengths that next gives and compares all that comes out. */
function checkCut(
  split: string,
  decoder: Cutter,
  stream: Uint8Array,
  next: () => number,
  want: Uint8Array[],
  wantError: string,
  wantOffset: number,
): void {
  let count = 0;
  let fault: MpacketError | undefined;
  try {
    for (let at = 0; at < stream.length; ) {
      const chunk = stream.slice(at, at + next());
      at += chunk.length;
      decoder.push(chunk);
      while (decoder.next()) {
        const packet = decoder.bytes.subarray(decoder.start, decoder.end);
        expectBytes(packet, want[count++], `${split}: packet ${count}`);
      }
    }
  } catch (error) {
    if (!(error instanceof MpacketError)) throw error;
    fault = error;
  }
  same(`${split}: error`, fault?.kind ?? "", wantError);
  same(`${split}: number of packets`, count, want.length);
  if (fault !== undefined) same(`${split}: offset`, fault.offset, wantOffset);
}

function same(label: string, got: string | number, want: string | number): void {
  expect(got === want, () => `${label} is ${got}, want ${want}`);
}

/** A case of compression.json. */
export interface CompressionCase {
  name: string;
  payloads: Blob[];
  packets: Run[];
  threshold: number;
  max_len?: number;
  ratio?: number;
  burst?: number;
  error?: string;
  strict?: string;
  writes?: boolean;
}

/** Checks the payloads of a connection with compression. */
export function checkCompression(c: CompressionCase): void {
  const { threshold, max_len: maxLen = 0, ratio = 0, burst = 0 } = c;
  checkInflated(c, new Inflater({ threshold, maxLen, ratio, burst }), packetsOf(c.packets), c.error ?? "");
  if (c.strict !== undefined) checkInflated(c, new Inflater({ threshold, strict: true }), [], c.strict);
  if (c.error !== undefined) return;
  const deflater = new Deflater({ threshold });
  const inflater = new Inflater();
  for (const [i, packet] of packetsOf(c.packets).entries()) {
    const out = new OutputBuffer(0);
    out.appendRaw(fromHex("09"));
    deflater.appendPayload(out, packet);
    if (c.writes) expectBytes(out.content.subarray(1), bytesOf(c.payloads[i] as Blob), `payload ${i}`);
    inflater.inflate(out.bytes, 1, out.length);
    expectBytes(inflater.bytes.subarray(inflater.start, inflater.end), packet, `round trip of packet ${i}`);
  }
}

function checkInflated(c: CompressionCase, inflater: Inflater, want: Uint8Array[], wantError: string): void {
  let kind = "";
  let count = 0;
  try {
    for (const payload of c.payloads) {
      inflater.inflate(bytesOf(payload));
      expectBytes(inflater.bytes.subarray(inflater.start, inflater.end), want[count++], `packet ${count}`);
    }
  } catch (error) {
    if (!(error instanceof MpacketError)) throw error;
    kind = error.kind;
  }
  same("error", kind, wantError);
  same("number of packets", count, want.length);
}

/** A case of cipher.json. */
export interface CipherCase {
  name: string;
  secret?: string;
  key?: string;
  iv?: string;
  plain: Blob;
  encrypted: Blob;
}

/** Checks both directions, by the runtime's cipher and by the package's own. */
export function checkCipher(c: CipherCase): void {
  const key = fromHex((c.secret ?? c.key) as string);
  const iv = fromHex((c.secret ?? c.iv) as string);
  const plain = bytesOf(c.plain);
  const encrypted = bytesOf(c.encrypted);
  eachSplit(plain.length, (split, next) => {
    const ciphers = [newCFB8Encrypter(key, iv), new PlainCFB8(key, iv, false)];
    const deciphers = [newCFB8Decrypter(key, iv), new PlainCFB8(key, iv, true)];
    for (let at = 0; at < plain.length; ) {
      const end = at + Math.max(1, next());
      for (const cipher of ciphers) {
        expectBytes(cipher.update(plain.slice(at, end)), encrypted.subarray(at, end), `${split}: encrypted`);
      }
      for (const decipher of deciphers) {
        expectBytes(decipher.update(encrypted.slice(at, end)), plain.subarray(at, end), `${split}: decrypted`);
      }
      at = end;
    }
  });
}

/** A case of stream.json. */
export interface StreamCase {
  name: string;
  secret?: string;
  threshold?: number;
  stream: Blob;
  packets: Run[];
  error?: string;
  offset?: number;
  writes?: boolean;
}

/** Checks a whole connection, read and written. */
export function checkStream(c: StreamCase): void {
  const stream = bytesOf(c.stream);
  const packets = packetsOf(c.packets);
  eachSplit(stream.length, (split, next) => {
    checkCut(split, setUp(new Decoder(), c), stream, next, packets, c.error ?? "", c.offset ?? 0);
  });
  const encoder = setUp(new Encoder(), c);
  const out = new OutputBuffer(0);
  for (const packet of packets) encoder.appendPacket(out, packet);
  if (c.writes) expectBytes(out.content, stream, "encoded");
  checkCut("encoded by Encoder", setUp(new Decoder(), c), out.content, () => 5, packets, "", 0);
}

function setUp<T extends { setCompression(threshold: number): void; setKey(secret: Uint8Array): void }>(
  end: T,
  { threshold, secret }: StreamCase,
): T {
  if (threshold !== undefined) end.setCompression(threshold);
  if (secret !== undefined) end.setKey(fromHex(secret));
  return end;
}
