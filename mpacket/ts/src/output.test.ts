import assert from "node:assert/strict";
import { test } from "node:test";
import { Consumed } from "./consumed.ts";
import { OutputBuffer } from "./output.ts";
import { appendString, consumeString } from "./string.ts";
import { fromHex, randomBytes, randomFrom, toHex } from "./testing.ts";
import { appendVarInt } from "./varint.ts";

test("what is appended is the content, in order", () => {
  const output = new OutputBuffer(0);
  appendVarInt(output, 300);
  output.appendRaw(fromHex("aabb"));
  output.appendFrame(fromHex("00010203"), 1, 3);
  output.appendFrame(new Uint8Array(0));
  appendVarInt(output, -1);
  assert.equal(toHex(output.content), "ac02aabb02010200ffffffff0f");
  output.clear();
  assert.equal(output.length, 0);
  output.appendFrame(fromHex("7f"));
  assert.equal(toHex(output.content), "017f");
});

test("frames of every kind of size keep their bytes while the buffer grows", () => {
  const random = randomFrom(2);
  for (const length of [1, 2, 47, 48, 49, 50, 127, 128, 129, 16_383, 16_384, 100_000]) {
    const payload = randomBytes(random, length);
    const output = new OutputBuffer(1);
    for (let i = 0; i < 3; i++) output.appendFrame(payload);
    const prefix = output.length / 3 - length;
    for (let i = 0; i < 3; i++) {
      const start = i * (prefix + length) + prefix;
      assert.deepEqual(output.bytes.slice(start, start + length), payload, `${length} B, frame ${i}`);
    }
  }
});

test("parts of every size up to the turning points are copied whole", () => {
  const source = randomBytes(randomFrom(3), 64);
  for (let length = 0; length <= source.length; length++) {
    for (const start of [0, source.length - length]) {
      const output = new OutputBuffer(0);
      output.appendRaw(Uint8Array.of(9));
      output.appendRaw(source, start, start + length);
      assert.deepEqual(output.content.slice(1), source.slice(start, start + length), `${length} B from ${start}`);
    }
  }
});

test("half a surrogate pair becomes U+FFFD when appended, in texts of any length", () => {
  for (const length of [0, 19, 20, 21, 41, 42, 43, 200]) {
    for (const half of ["\ud800", "\udc00", "\ud800\ud800", "\udc00\ud800"]) {
      const text = `${"a".repeat(length)}${half}z`;
      const output = new OutputBuffer(0);
      appendString(output, text);
      const got = new Consumed();
      assert.equal(consumeString(got, output.bytes, 0, output.length), text.toWellFormed());
      assert.equal(got.n, output.length);
    }
  }
});

test("a buffer says that it is full before its length is no 32-bit integer any more", () => {
  const output = new OutputBuffer(0);
  output.length = 2 ** 31 - 5;
  assert.throws(() => appendVarInt(output, 1), RangeError);
  assert.throws(() => output.extend(5), RangeError);
  assert.equal(output.bytes.length, 0);
});

test("the memory is reused, and what a large frame needed is given back", () => {
  const output = new OutputBuffer(1024);
  const { bytes } = output;
  for (let i = 0; i < 100; i++) {
    output.appendFrame(new Uint8Array(900));
    output.clear();
  }
  assert.equal(output.bytes, bytes);
  output.appendFrame(new Uint8Array(1 << 20));
  assert.ok(output.bytes.length > 1 << 20);
  output.clear();
  assert.equal(output.bytes.length, 65_536);
});
