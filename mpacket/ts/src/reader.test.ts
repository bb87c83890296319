import assert from "node:assert/strict";
import { test } from "node:test";
import { angleDegrees, angleOf } from "./angle.ts";
import { BitSet } from "./bitset.ts";
import { MpacketError } from "./error.ts";
import { splitIdentifier } from "./identifier.ts";
import { Reader, readArray, readOptional } from "./reader.ts";
import { plainText, textComponent } from "./status.ts";
import { checkString } from "./string.ts";
import { fromHex, randomFrom, toHex } from "./testing.ts";
import { parseUUID, uuidString } from "./uuid.ts";
import { putVarInt, sizeVarInt } from "./varint.ts";
import { Writer } from "./writer.ts";

test("the first failure sticks, with its offset from the start of the packet", () => {
  const packet = fromHex("eeee 05 ffffffff0f 0102030405060708");
  const reader = new Reader(packet, 2);
  assert.equal(reader.readByte(), 5);
  assert.equal(reader.readString(), "");
  const failed = { kind: "negative", what: "string", offset: 1 };
  assert.equal(reader.readInt32(), 0);
  assert.equal(reader.readInt64(), 0n);
  reader.readInt64Parts();
  assert.deepEqual([reader.hi, reader.lo], [0, 0]);
  assert.deepEqual(reader.readPosition(), { x: 0, y: 0, z: 0 });
  assert.equal(reader.readBytes().length, 0);
  assert.deepEqual(
    readArray(reader, 9, (r) => r.readByte()),
    [],
  );
  assert.equal(
    readOptional(reader, (r) => r.readByte()),
    undefined,
  );
  assert.deepEqual([reader.failed, reader.remaining, reader.offset], [true, 0, 1]);
  assert.throws(() => reader.finish(), failed);
  reader.reset(packet, 2, 3);
  assert.equal(reader.readByte(), 5);
  reader.finish();
});

test("what is left over is an error, and a packet ends where it was said to", () => {
  const reader = new Reader(fromHex("01020304"), 1, 3);
  assert.equal(reader.readByte(), 2);
  assert.throws(() => reader.finish(), { kind: "trailing", offset: 1 });
  reader.reset(fromHex("01020304"), 1, 3);
  assert.equal(reader.readInt32(), 0);
  assert.throws(() => reader.finish(), { kind: "short", offset: 0 });
});

test("views are parts of the packet, copies are not, spans are places in it", () => {
  const packet = fromHex("ff 03010203 03040506 0161");
  const reader = new Reader(packet, 1);
  const view = reader.readBytes();
  const copy = reader.readBytesCopy();
  assert.equal(reader.readStringSpan(), 1);
  assert.deepEqual([reader.spanStart, reader.spanEnd], [10, 11]);
  packet.fill(9);
  assert.equal(toHex(view), "090909");
  assert.equal(toHex(copy), "040506");
});

test("a reader takes packets from many places in memory", () => {
  const memory = new ArrayBuffer(64);
  const reader = new Reader();
  for (let at = 0; at < 40; at += 7) {
    const packet = new Uint8Array(memory, at, 20);
    const writer = new Writer();
    writer.writeByte(at);
    writer.writeFloat64(at / 3);
    writer.writeInt64(BigInt(-at));
    packet.set(writer.content);
    for (const bytes of [packet, packet.slice()]) {
      reader.reset(bytes);
      assert.equal(reader.readByte(), at);
      assert.equal(reader.readFloat64(), at / 3);
      assert.equal(reader.readInt64(), BigInt(-at));
      assert.equal(reader.remaining, 3);
    }
  }
});

test("a VarInt is read alike wherever its packet lies in memory, and is short when that ends within it", () => {
  const random = randomFrom(2);
  const reader = new Reader();
  for (let i = 0; i < 20_000; i++) {
    const value = random(2 ** 32) >> random(32);
    const size = sizeVarInt(value);
    const before = random(3);
    const memory = new Uint8Array(before + size + random(6)).map(() => random(256));
    putVarInt(memory, before, value);
    reader.reset(memory, before, before + size);
    assert.equal(reader.readVarInt(), value);
    reader.finish();
    reader.reset(memory, before, before + random(size));
    assert.equal(reader.readVarInt(), 0);
    assert.deepEqual([reader.error?.kind, reader.offset], ["short", 0]);
  }
});

test("places that no packet has are refused", () => {
  const reader = new Reader();
  for (const [start, end] of [
    [0.5, 2],
    [0, Number.NaN],
    [0, 2 ** 31],
    [2 ** 32, 2 ** 32 + 1],
  ]) {
    assert.throws(() => reader.reset(Uint8Array.of(1, 2), start, end), RangeError, `${start} to ${end}`);
  }
});

test("skipping passes over values, and over nothing that is bad", () => {
  const reader = new Reader(fromHex("ac02 020a0b 0a010001610500 0102"));
  reader.skipVarInt();
  reader.skipBytes();
  reader.skipNBT(1);
  reader.skip(1);
  assert.equal(toHex(reader.rest()), "02");
  reader.finish();
  reader.reset(fromHex("01"));
  reader.skip(-1);
  assert.equal(reader.error?.kind, "negative");
  reader.reset(fromHex("01"));
  reader.skip(2);
  assert.equal(reader.error?.kind, "short");
});

test("strict readers accept one encoding a value", () => {
  const cases: [hex: string, kind: string, read: (r: Reader) => void][] = [
    ["8000", "padded", (r) => r.readVarInt()],
    ["ffffffff7f", "extra-bits", (r) => r.readVarInt()],
    ["8000", "padded", (r) => r.readVarLong()],
    ["02", "bad-bool", (r) => r.readBool()],
    ["810061", "padded", (r) => r.readString()],
    ["810061", "padded", (r) => r.readBytesCopy()],
    ["810061", "padded", (r) => r.readVarInts(new Int32Array(1))],
  ];
  for (const [hex, kind, read] of cases) {
    const reader = new Reader(fromHex(hex));
    read(reader);
    assert.equal(reader.error, undefined);
    reader.reset(fromHex(hex));
    reader.strict = true;
    read(reader);
    assert.throws(() => reader.finish(), { kind, offset: 0 });
  }
});

test("angles", () => {
  const cases = [
    [0, 0],
    [90, 64],
    [-90, 192],
    [359.9, 0],
    [360 * 5 + 1.40625, 1],
    [-0.703125, 255],
  ] as const;
  for (const [degrees, steps] of cases) assert.equal(angleOf(degrees), steps, String(degrees));
  assert.equal(angleDegrees(64), 90);
});

test("UUIDs as text", () => {
  const text = "069a79f4-44e9-4726-a5be-fca90e38aaf5";
  assert.equal(uuidString(parseUUID(text)), text);
  assert.equal(uuidString(parseUUID(text.replaceAll("-", "").toUpperCase())), text);
  for (const bad of ["", text.slice(1), `${text}0`, text.replace("-", ""), text.replace("f", "g")]) {
    assert.throws(() => parseUUID(bad), RangeError, bad);
  }
});

test("bit sets", () => {
  const set = BitSet.of([1n, 1n << 63n]);
  assert.deepEqual(
    [0, 1, 63, 64, 127, 128, -1].map((i) => set.has(i)),
    [true, false, false, false, true, false, false],
  );
  assert.deepEqual(set.with(300).words, [1n, 1n << 63n, 0n, 0n, 1n << 44n]);
  set.resize(1);
  set.resize(2);
  assert.deepEqual(set.words, [1n, 0n]);
});

test("identifiers, strings and text components", () => {
  for (const text of ["stone", ":stone", "minecraft:stone"]) {
    assert.deepEqual(splitIdentifier(text), { namespace: "minecraft", path: "stone" });
  }
  for (const text of ["", "a:", "a:b:c", "A", "a\n"]) assert.equal(splitIdentifier(text), undefined);
  assert.equal(checkString("abcd", 4), undefined);
  assert.ok(checkString("abcde", 4) instanceof MpacketError);
  assert.equal(plainText({ text: "a", extra: ["b", { text: "c" }, 5, null] }), "abc");
  assert.equal(plainText(JSON.parse(textComponent('"'))), '"');
});
