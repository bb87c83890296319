import assert from "node:assert/strict";
import { test } from "node:test";
import { MpacketError } from "./error.ts";
import { FrameDecoder, type FrameOptions } from "./frame.ts";
import { MAX_FRAME_LEN } from "./limits.ts";
import { OutputBuffer } from "./output.ts";
import { fromHex, randomBytes, randomFrom, toHex } from "./testing.ts";

/** Everything that a decoder made of one stream. */
interface Outcome {
  frames: string[];
  fault: string;
  buffered: number;
}

/** Feeds stream to decoder in chunks of the lengths that next gives, each chunk wiped after use. */
function decode(decoder: FrameDecoder, stream: Uint8Array, next: () => number): Outcome {
  const frames: string[] = [];
  try {
    for (let at = 0; at < stream.length; ) {
      const chunk = stream.slice(at, at + Math.max(1, next()));
      at += chunk.length;
      decoder.push(chunk);
      while (decoder.next()) frames.push(toHex(decoder.bytes.subarray(decoder.start, decoder.end)));
      chunk.fill(0xee);
    }
  } catch (error) {
    if (!(error instanceof MpacketError)) throw error;
    return { frames, fault: `${error.kind} at ${error.offset}`, buffered: 0 };
  }
  return { frames, fault: "", buffered: decoder.buffered };
}

const whole = () => Number.POSITIVE_INFINITY;
const bytewise = () => 1;

/** The specification again, over all bytes at once: what FrameDecoder must make of any stream. */
function model(stream: Uint8Array, { maxLen = MAX_FRAME_LEN, strict, skipEmpty }: FrameOptions): Outcome {
  const frames: string[] = [];
  for (let at = 0; at < stream.length; ) {
    const prefix = stream.subarray(at, at + 3);
    const last = prefix.findIndex((byte) => byte < 0x80);
    const fault = (kind: string) => ({ frames, fault: `${kind} at ${at}`, buffered: 0 });
    if (last < 0) {
      return prefix.length === 3 ? fault("too-long") : { frames, fault: "", buffered: prefix.length };
    }
    const length = prefix.slice(0, last + 1).reduceRight((sum, byte) => sum * 128 + (byte % 128), 0);
    if (strict && last > 0 && prefix[last] === 0) return fault("padded");
    if (length === 0 && !skipEmpty) return fault("empty");
    if (length > maxLen) return fault("over-limit");
    const start = at + last + 1;
    if (start + length > stream.length) return { frames, fault: "", buffered: stream.length - at };
    if (length > 0) frames.push(toHex(stream.subarray(start, start + length)));
    at = start + length;
  }
  return { frames, fault: "", buffered: 0 };
}

test("hand-made streams", () => {
  const cases: [name: string, options: FrameOptions, stream: string, frames: string[], end: string | number][] = [
    ["nothing", {}, "", [], 0],
    ["one", {}, "01 61", ["61"], 0],
    ["two", {}, "01 61 02 62 63", ["61", "6263"], 0],
    ["padded to two", {}, "81 00 61 01 62", ["61", "62"], 0],
    ["padded to three", {}, "81 80 00 61 01 62", ["61", "62"], 0],
    ["padded, strict", { strict: true }, "01 61 81 00 62", ["61"], "padded at 2"],
    ["padded zero, strict", { strict: true, skipEmpty: true }, "80 00", [], "padded at 0"],
    ["truncated prefix", {}, "01 61 81", ["61"], 1],
    ["truncated payload", {}, "01 61 03 62 63", ["61"], 3],
    ["zero", {}, "00 61", [], "empty at 0"],
    ["padded zero", {}, "80 80 00 61", [], "empty at 0"],
    ["zero skipped", { skipEmpty: true }, "00 80 00 01 61 00", ["61"], 0],
    ["four-byte prefix", {}, "80 80 80 01", [], "too-long at 0"],
    ["negative", {}, "01 61 ff ff ff ff 0f", ["61"], "too-long at 2"],
    ["above the limit", { maxLen: 2 }, "03 61 62 63", [], "over-limit at 0"],
    ["at the limit", { maxLen: 3 }, "03 61 62 63", ["616263"], 0],
    ["a limit too high counts as none", { maxLen: 1e9 }, "ff ff 7f", [], 3],
  ];
  for (const [name, options, hex, frames, end] of cases) {
    const fault = typeof end === "string" ? end : "";
    const buffered = typeof end === "number" ? end : 0;
    for (const step of [whole, bytewise]) {
      assert.deepEqual(decode(new FrameDecoder(options), fromHex(hex), step), { frames, fault, buffered }, name);
    }
  }
});

test("every split of one stream into two and into equal chunks gives the same frames", () => {
  const random = randomFrom(3);
  const output = new OutputBuffer();
  for (const length of [1, 127, 128, 3, 600]) output.appendFrame(randomBytes(random, length));
  output.appendRaw(fromHex("828000 7879 858000 01"));
  const stream = output.content;
  const want = decode(new FrameDecoder(), stream, whole);
  assert.equal(want.frames.length, 6);
  assert.equal(want.buffered, 4);
  for (let cut = 1; cut < stream.length; cut++) {
    let first = true;
    const inTwo = () => {
      const length = first ? cut : stream.length;
      first = false;
      return length;
    };
    assert.deepEqual(decode(new FrameDecoder(), stream, inTwo), want, `cut at ${cut}`);
    assert.deepEqual(
      decode(new FrameDecoder(), stream, () => cut),
      want,
      `chunks of ${cut}`,
    );
  }
});

test("random streams, good and bad, are read as the model reads them, however they are split", () => {
  const random = randomFrom(4);
  for (let round = 0; round < 2_000; round++) {
    const options = { strict: random(3) === 0, skipEmpty: random(3) === 0, maxLen: 1 + random(300) };
    const output = new OutputBuffer(64);
    for (let parts = random(8); parts > 0; parts--) {
      if (random(5) === 0) output.appendRaw(randomBytes(random, random(5)));
      else output.appendFrame(randomBytes(random, 1 + random(200)));
    }
    const stream = output.content;
    const want = model(stream, options);
    for (const step of [whole, bytewise, () => random(40)]) {
      assert.deepEqual(decode(new FrameDecoder(options), stream, step), want, `round ${round}: ${toHex(stream)}`);
    }
  }
});

test("frames up to the longest survive a round trip in chunks of random size", () => {
  const random = randomFrom(5);
  const payloads = [1, 16_384, 100_000, MAX_FRAME_LEN, 2].map((length) => randomBytes(random, length));
  const output = new OutputBuffer();
  for (const payload of payloads) output.appendFrame(payload);
  const decoder = new FrameDecoder();
  let count = 0;
  for (let at = 0; at < output.length; ) {
    const end = Math.min(output.length, at + 1 + random(70_000));
    decoder.push(output.bytes.subarray(at, end));
    at = end;
    while (decoder.next()) {
      const got = decoder.bytes.subarray(decoder.start, decoder.end);
      const want = payloads[count++] as Uint8Array;
      assert.equal(got.length, want.length);
      assert.ok(
        got.every((byte, i) => byte === want[i]),
        `frame ${count}`,
      );
    }
  }
  assert.equal(count, payloads.length);
});

test("a frame that is whole in its chunk is shown where it lies", () => {
  const chunk = fromHex("01 61 02 62 63");
  const decoder = new FrameDecoder();
  decoder.push(chunk);
  assert.ok(decoder.next() && decoder.next());
  assert.equal(decoder.bytes, chunk);
  assert.deepEqual([decoder.start, decoder.end], [3, 5]);
});

test("memory follows the bytes that came, not the length that was claimed", () => {
  const decoder = new FrameDecoder();
  const heldCapacity = () => (decoder as unknown as { held: Uint8Array }).held.length;
  decoder.push(fromHex("ff ff 7f 01 02 03"));
  assert.equal(decoder.next(), false);
  assert.ok(heldCapacity() <= 1024, `${heldCapacity()} bytes held for 3 received`);
  for (let sent = 3; sent < MAX_FRAME_LEN - 1000; sent += 1000) {
    decoder.push(new Uint8Array(1000));
    assert.equal(decoder.next(), false);
    assert.ok(heldCapacity() <= Math.min(MAX_FRAME_LEN, 2 * decoder.buffered + 1000));
  }
  decoder.push(new Uint8Array(MAX_FRAME_LEN + 3 - decoder.buffered));
  assert.ok(decoder.next());
  assert.equal(decoder.next(), false);
  assert.ok(heldCapacity() <= 65_536, "an idle decoder gives a large buffer back");
});

test("an error stays until reset, and reset begins a new stream", () => {
  const decoder = new FrameDecoder();
  decoder.push(fromHex("01 61 00 01 62"));
  assert.ok(decoder.next());
  const message = "mpacket: frame length at byte 2: it has no payload; reject it or allow empty frames";
  for (let i = 0; i < 2; i++) {
    assert.throws(() => decoder.next(), { name: "MpacketError", kind: "empty", offset: 2, message });
  }
  decoder.push(fromHex("01 63"));
  assert.throws(() => decoder.next(), MpacketError);
  decoder.reset();
  decoder.push(fromHex("01"));
  assert.equal(decoder.next(), false);
  decoder.reset();
  assert.deepEqual(decode(decoder, fromHex("01 64 00"), whole), { frames: ["64"], fault: "empty at 2", buffered: 0 });
});

test("push before the previous chunk is used up is refused", () => {
  const decoder = new FrameDecoder();
  decoder.push(fromHex("01 61"));
  assert.throws(() => decoder.push(fromHex("01")), RangeError);
});
