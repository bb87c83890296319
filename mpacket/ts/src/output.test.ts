import assert from "node:assert/strict";
import { test } from "node:test";
import { OutputBuffer } from "./output.ts";
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
