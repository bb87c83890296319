import assert from "node:assert/strict";
import { test } from "node:test";
import { fromHex, randomFrom, toHex } from "./testing.ts";
import { MAX_VARINT_LENGTH, measureVarInt, putVarInt, readVarInt, varIntLength } from "./varint.ts";

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
  const bytes = new Uint8Array(MAX_VARINT_LENGTH + 1);
  const end = putVarInt(bytes, 1, value);
  assert.equal(end - 1, varIntLength(value), `length of ${value}`);
  return bytes.subarray(1, end);
}

test("VarInt vectors, both ways", () => {
  for (const [value, hex] of VECTORS) {
    assert.equal(toHex(encode(value)), hex, String(value));
    const bytes = fromHex(`ff${hex}ff`); // what stands around it must not matter
    assert.equal(measureVarInt(bytes, 1), hex.length / 2, hex);
    assert.equal(readVarInt(bytes, 1), value, hex);
  }
});

test("VarInts of other forms", () => {
  const cases: [hex: string, measured: number, value?: number][] = [
    ["", 0],
    ["80", 0],
    ["ffffffff", 0],
    ["8080808080", -1],
    ["ffffffffff01", -1],
    ["8100", 2, 1], // padded: as many bytes as were read
    ["8180808000", 5, 1],
    ["ffffffff7f", 5, -1], // bits beyond the 32nd are dropped
  ];
  for (const [hex, measured, value] of cases) {
    assert.equal(measureVarInt(fromHex(hex)), measured, hex);
    if (value !== undefined) assert.equal(readVarInt(fromHex(hex)), value, hex);
  }
});

test("VarInt round trip of random values of every size", () => {
  const random = randomFrom(1);
  for (let i = 0; i < 20_000; i++) {
    const value = random(2 ** 32) >> random(32);
    const bytes = encode(value);
    assert.equal(measureVarInt(bytes), bytes.length);
    assert.equal(measureVarInt(bytes.subarray(0, -1)), 0);
    assert.equal(readVarInt(bytes), value);
  }
});
