import assert from "node:assert/strict";
import { test } from "node:test";
import { newCFB8Encrypter } from "./cipher.ts";
import { OutputBuffer } from "./output.ts";
import { Decoder, Encoder } from "./stream.ts";
import { fromHex, toHex } from "./testing.ts";
import { Deflater } from "./zlib.ts";

const secret = fromHex("000102030405060708090a0b0c0d0e0f");

test("a key that comes in the middle of a chunk holds for the rest of it", () => {
  const encoder = new Encoder();
  const out = new OutputBuffer();
  encoder.appendPacket(out, fromHex("01"));
  encoder.setKey(secret);
  encoder.appendPacket(out, fromHex("0203"));
  encoder.setCompression(1);
  encoder.appendPacket(out, new Uint8Array(300));
  const decoder = new Decoder();
  decoder.push(out.content);
  const lengths: number[] = [];
  while (decoder.next()) {
    lengths.push(decoder.end - decoder.start);
    if (lengths.length === 1) decoder.setKey(secret);
    if (lengths.length === 2) decoder.setCompression(1);
  }
  assert.deepEqual(lengths, [1, 2, 300]);
  assert.equal(decoder.buffered, 0);
});

test("a packet that cannot be sent leaves nothing behind", () => {
  for (const threshold of [-1, 0, 64]) {
    const encoder = new Encoder();
    encoder.setCompression(threshold);
    const out = new OutputBuffer();
    encoder.appendPacket(out, fromHex("01"));
    const before = toHex(out.content);
    assert.throws(() => encoder.appendPacket(out, new Uint8Array(0)), { kind: "empty" });
    assert.throws(() => encoder.appendPacket(out, new Uint8Array((1 << 23) + 1)), { kind: "over-limit" });
    assert.equal(toHex(out.content), before);
  }
});

test("errors stick and name the frame", () => {
  const decoder = new Decoder();
  decoder.setCompression(4);
  decoder.push(fromHex("020001 0205ff 020001"));
  assert.ok(decoder.next());
  for (let i = 0; i < 2; i++) assert.throws(() => decoder.next(), { kind: "bad-zlib", offset: 3 });
});

test("keys, IVs and levels of the wrong kind are refused in one line", () => {
  assert.throws(() => newCFB8Encrypter(new Uint8Array(15), secret), /^RangeError: mpacket: AES key of 15 bytes/);
  assert.throws(() => newCFB8Encrypter(secret, new Uint8Array(12)), /^RangeError: mpacket: AES IV of 12 bytes/);
  assert.throws(() => new Deflater({ level: 10 }), { kind: "out-of-range" });
});
