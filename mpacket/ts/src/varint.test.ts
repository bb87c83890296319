import assert from "node:assert/strict";
import { test } from "node:test";
import { Consumed } from "./consumed.ts";
import { fromHex, randomFrom, toHex } from "./testing.ts";
import { consumeVarInt, MAX_VARINT_LEN, putVarInt, sizeVarInt } from "./varint.ts";

const VECTORS: [value: number, hex: string][] = [
  [0, "00"],
  [1, "01"],
  [127, "7f"],
  [128, "8001"],
  [255, "ff01"],
  [16_383, "ff7f"],
  [16_384, "808001"],
  [25_565, "ddc701"],
  [2_097_151, "ffff7f"],
  [2_097_152, "80808001"],
  [268_435_455, "ffffff7f"],
  [268_435_456, "8080808001"],
  [2_147_483_647, "ffffffff07"],
  [-1, "ffffffff0f"],
  [-2_147_483_648, "8080808008"],
];

function encode(value: number): Uint8Array {
  const bytes = new Uint8Array(MAX_VARINT_LEN + 1);
  const end = putVarInt(bytes, 1, value);
  assert.equal(end - 1, sizeVarInt(value), `length of ${value}`);
  return bytes.subarray(1, end);
}

const got = new Consumed();

test("VarInts, both ways", () => {
  for (const [value, hex] of VECTORS) {
    assert.equal(toHex(encode(value)), hex, String(value));
    const bytes = fromHex(`ff${hex}ff`); // what stands around it must not matter
    assert.equal(consumeVarInt(got, bytes, 1), value, hex);
    assert.equal(got.n, hex.length / 2, hex);
  }
});

test("a VarInt that its limits cut off is short, whatever stands behind it", () => {
  const random = randomFrom(1);
  for (let i = 0; i < 20_000; i++) {
    const value = random(2 ** 32) >> random(32);
    const bytes = encode(value);
    assert.equal(consumeVarInt(got, bytes), value);
    assert.equal(got.n, bytes.length);
    consumeVarInt(got, bytes, 0, bytes.length - 1);
    assert.equal(got.n, 0);
  }
});
