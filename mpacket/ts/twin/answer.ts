// Answers what the differential test asks: each frame on stdin is a JSON request, each frame on stdout the
// JSON answer to it, in order. The Go side computes the same and compares.
import process from "node:process";
import { Consumed, FrameDecoder, MpacketError, OutputBuffer, parseError, Reader, Writer } from "../src/index.ts";
import { Decoder, Encoder } from "../src/stream.ts";
import { fromHex, toHex } from "../src/testing.ts";
import { Inflater } from "../src/zlib.ts";
import type { Codec } from "../vectors/codec.ts";
import { CODECS } from "../vectors/codecs.ts";
import { fromUnits } from "../vectors/notation.ts";
import { PACKETS } from "../vectors/packets.ts";

/** A question; each op uses some of the fields. */
interface Request {
  op: keyof typeof OPS;
  type: string;
  codec: number;
  strict: boolean;
  skip_empty: boolean;
  limit: number;
  hex: string;
  value: unknown;
  units?: string;
  pieces: string[];
  secret?: string;
  threshold: number;
  max_len: number;
  ratio: number;
  burst: number;
  protocol: number;
}

/** What came of it: the kind and offset of the error, or where reading ended, the value and its bytes. */
interface Answer {
  kind?: string;
  at?: number;
  offset?: number;
  shown?: unknown;
  hex?: string;
  pieces?: string[];
}

function codecOf(request: Request): Codec {
  return CODECS[request.type]?.[request.codec] as Codec;
}

/** Reads a value behind two other bytes and writes it again. */
function read(request: Request): Answer {
  const codec = codecOf(request);
  const reader = new Reader(fromHex(`0909${request.hex}`));
  reader.strict = request.strict;
  reader.skip(2);
  const shown = codec.read(reader, request.limit);
  if (reader.error !== undefined) return faultOf(reader.error);
  const writer = new Writer(0);
  codec.write(writer, shown, request.limit);
  return { offset: reader.offset, shown, hex: toHex(writer.content) };
}

/** Consumes a value and appends it again. */
function consume(request: Request): Answer {
  const codec = codecOf(request);
  const bytes = fromHex(request.hex);
  const got = new Consumed();
  const shown = codec.consume(got, bytes, 0, bytes.length, request.limit);
  const error = parseError(got.n);
  if (error !== undefined) return { kind: error.kind };
  const out = new OutputBuffer(0);
  codec.append(out, shown);
  return { offset: got.n, shown, hex: toHex(out.content) };
}

/** Writes a value behind another byte. */
function write(request: Request): Answer {
  const writer = new Writer(0);
  writer.writeByte(9);
  const value = request.units === undefined ? request.value : fromUnits(request.units);
  codecOf(request).write(writer, value, request.limit);
  return writer.error === undefined ? { hex: toHex(writer.content) } : faultOf(writer.error);
}

/** Parses a packet. */
function packet(request: Request): Answer {
  const bytes = fromHex(request.hex);
  return caught({}, (answer) => {
    answer.shown = PACKETS[request.type]?.parse(bytes, 0, bytes.length, request.protocol);
  });
}

/** Cuts a stream that comes in pieces into frames. */
function frames(request: Request): Answer {
  const { max_len: maxLen, strict, skip_empty: skipEmpty } = request;
  return cut(new FrameDecoder({ maxLen, strict, skipEmpty }), request);
}

/** Decodes a stream that comes in pieces to packets. */
function decode(request: Request): Answer {
  return cut(setUp(new Decoder(), request), request);
}

function cut(decoder: FrameDecoder | Decoder, request: Request): Answer {
  return caught({ pieces: [] }, (answer) => {
    for (const piece of request.pieces) {
      decoder.push(fromHex(piece));
      while (decoder.next()) answer.pieces?.push(toHex(decoder.bytes.subarray(decoder.start, decoder.end)));
    }
    answer.offset = decoder.buffered;
  });
}

/** Encodes packets to a stream. */
function encode(request: Request): Answer {
  const encoder = setUp(new Encoder(), request);
  const out = new OutputBuffer(0);
  for (const piece of request.pieces) encoder.appendPacket(out, fromHex(piece));
  return { hex: toHex(out.content) };
}

function setUp<T extends Encoder | Decoder>(end: T, { threshold, secret }: Request): T {
  if (threshold > 0) end.setCompression(threshold);
  if (secret !== undefined) end.setKey(fromHex(secret));
  return end;
}

/** Inflates the payloads of one connection. */
function inflate(request: Request): Answer {
  const { max_len: maxLen, ratio, burst, threshold, strict } = request;
  const inflater = new Inflater({ maxLen, ratio, burst, threshold, strict });
  return caught({ pieces: [] }, (answer) => {
    for (const piece of request.pieces) {
      inflater.inflate(fromHex(piece));
      answer.pieces?.push(toHex(inflater.bytes.subarray(inflater.start, inflater.end)));
    }
  });
}

/** Fills in answer with work, or with the error that it throws. */
function caught(answer: Answer, work: (answer: Answer) => void): Answer {
  try {
    work(answer);
    return answer;
  } catch (error) {
    return { ...answer, ...faultOf(error) };
  }
}

function faultOf(error: unknown): Answer {
  if (!(error instanceof MpacketError)) throw error;
  return { kind: error.kind, at: error.offset };
}

const OPS = { read, consume, write, packet, frames, decode, encode, inflate };

const requests = new FrameDecoder();
const answers = new OutputBuffer();
const utf8 = new TextEncoder();
for await (const chunk of process.stdin) {
  requests.push(chunk);
  while (requests.next()) {
    const request = JSON.parse(new TextDecoder().decode(requests.bytes.subarray(requests.start, requests.end)));
    answers.appendFrame(utf8.encode(JSON.stringify(OPS[request.op as keyof typeof OPS](request))));
  }
  process.stdout.write(answers.content.slice());
  answers.clear();
}
