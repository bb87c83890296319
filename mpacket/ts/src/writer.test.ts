import assert from "node:assert/strict";
import { test } from "node:test";
import { MpacketError } from "./error.ts";
import { MAX_FRAME_LEN } from "./limits.ts";
import {
  type NBT,
  NBT_FILE,
  NBT_NETWORK,
  NBTCompound,
  NBTList,
  TAG_BYTE,
  TAG_COMPOUND,
  TAG_INT,
  TAG_LIST,
  TAG_LONG,
  TAG_STRING,
} from "./nbt.ts";
import { OutputBuffer } from "./output.ts";
import { Reader } from "./reader.ts";
import { toHex } from "./testing.ts";
import { Writer, writeArray, writeOptional } from "./writer.ts";

test("numbers that do not fit their type are refused, those at its ends are not", () => {
  const cases: [write: (w: Writer, v: number) => void, min: number, max: number][] = [
    [(w, v) => w.writeInt8(v), -128, 127],
    [(w, v) => w.writeUint8(v), 0, 255],
    [(w, v) => w.writeByte(v), 0, 255],
    [(w, v) => w.writeAngle(v), 0, 255],
    [(w, v) => w.writeInt16(v), -32_768, 32_767],
    [(w, v) => w.writeUint16(v), 0, 65_535],
    [(w, v) => w.writeInt32(v), -(2 ** 31), 2 ** 31 - 1],
    [(w, v) => w.writeUint32(v), 0, 2 ** 32 - 1],
    [(w, v) => w.writeInt16LE(v), -32_768, 32_767],
    [(w, v) => w.writeUint16LE(v), 0, 65_535],
    [(w, v) => w.writeInt32LE(v), -(2 ** 31), 2 ** 31 - 1],
    [(w, v) => w.writeUint32LE(v), 0, 2 ** 32 - 1],
    [(w, v) => w.writeVarInt(v), -(2 ** 31), 2 ** 31 - 1],
    [(w, v) => w.writeInt64(BigInt(v)), -(2 ** 63), 2 ** 62],
    [(w, v) => w.writeUint64(BigInt(v)), 0, 2 ** 63],
    [(w, v) => w.writeVarLong(BigInt(v)), -(2 ** 63), 2 ** 62],
  ];
  for (const [write, min, max] of cases) {
    const isBig = max > 2 ** 53;
    const bad = isBig ? [min * 2 - 2048, 2 ** 64] : [min - 1, max + 1, 1.5, Number.NaN, Number.POSITIVE_INFINITY];
    for (const value of [min, 0, max]) {
      const writer = new Writer(0);
      write(writer, value);
      assert.equal(writer.error, undefined, `${write} of ${value}`);
    }
    for (const value of bad) {
      const writer = new Writer(0);
      writer.writeBool(true);
      write(writer, value);
      assert.equal(writer.error?.kind, "out-of-range", `${write} of ${value}`);
      assert.equal(writer.error?.offset, 1);
    }
  }
});

test("the first error sticks, content throws it, and clear forgets it", () => {
  const writer = new Writer();
  writer.writeInt32(1);
  writer.writeString("half \ud800");
  writer.writeIdentifier("NO");
  assert.throws(() => writer.content, { name: "MpacketError", kind: "bad-utf8", offset: 4 });
  writer.clear();
  writer.writeString("good");
  assert.equal(toHex(writer.content), "04676f6f64");
});

test("values of the wrong size or form are refused", () => {
  const cases: [kind: string, write: (w: Writer) => void][] = [
    ["out-of-range", (w) => w.writePosition({ x: 0.5, y: 0, z: 0 })],
    ["over-limit", (w) => w.writeString("abcde", 4)],
    ["over-limit", (w) => w.writeString("\ud800".repeat(5), 4)],
    ["bad-utf8", (w) => w.writeString("\ud800abcd", 4)],
    ["empty", (w) => w.endFrame(w.beginFrame())],
  ];
  for (const [kind, write] of cases) {
    const writer = new Writer();
    write(writer);
    assert.equal(writer.error?.kind, kind);
  }
});

test("strings of every length around a turning point come back", () => {
  for (const unit of ["a", "ä", "€", "😀", "a€", "\uFEFF", "\0"]) {
    for (const count of [0, 1, 20, 21, 41, 42, 43, 63, 64, 126, 127, 128, 5461, 5462, 16_383]) {
      const text = unit.repeat(count).slice(0, 32_766);
      const writer = new Writer(0);
      writer.writeBool(true);
      writer.writeString(text);
      writer.writeBool(true);
      const reader = new Reader(writer.content);
      reader.readBool();
      assert.equal(reader.readString(), text);
      assert.equal(reader.readBool(), true);
      reader.finish();
    }
  }
});

test("a frame written in place is the same as an appended one", () => {
  for (const length of [1, 127, 128, 16_383, 16_384, MAX_FRAME_LEN]) {
    const payload = new Uint8Array(length).fill(7);
    const writer = new Writer(0);
    const output = new OutputBuffer(0);
    writer.writeByte(9);
    output.appendRaw(Uint8Array.of(9));
    const mark = writer.beginFrame();
    writer.writeRaw(payload);
    writer.endFrame(mark);
    output.appendFrame(payload);
    const { content } = writer;
    assert.equal(content.length, output.length);
    assert.ok(content.every((byte, i) => byte === output.bytes[i]));
  }
  const writer = new Writer();
  const mark = writer.beginFrame();
  writer.writeRaw(new Uint8Array(MAX_FRAME_LEN + 1));
  writer.endFrame(mark);
  assert.equal(writer.error?.kind, "over-limit");
});

test("arrays and optional values", () => {
  const writer = new Writer();
  writeArray(writer, [1, 300], (w, v) => w.writeVarInt(v));
  writeOptional<string>(writer, undefined, (w, v) => w.writeString(v));
  writeOptional(writer, "a", (w, v) => w.writeString(v));
  assert.equal(toHex(writer.content), "0201ac0200010161");
});

test("NBT that cannot be written leaves nothing behind", () => {
  const nested = (depth: number): NBTList => {
    let list = new NBTList(0, []);
    for (let i = 1; i < depth; i++) list = new NBTList(TAG_LIST, [list]);
    return list;
  };
  const root = (tag: number, value: NBT["value"]): NBT => ({ name: "", tag, value });
  const bad: [kind: string, form: typeof NBT_FILE | typeof NBT_NETWORK, value: NBT | undefined][] = [
    ["bad-nbt", NBT_FILE, undefined],
    ["bad-nbt", NBT_FILE, root(TAG_INT, 1)],
    ["bad-nbt", NBT_NETWORK, root(TAG_INT, "1")],
    ["bad-nbt", NBT_NETWORK, root(99, 1)],
    ["bad-nbt", NBT_NETWORK, root(TAG_LIST, new NBTList(TAG_INT, [1, "1"]))],
    ["bad-nbt", NBT_NETWORK, root(TAG_LIST, new NBTList(0, [1]))],
    ["bad-nbt", NBT_NETWORK, root(TAG_COMPOUND, new NBTCompound().add("a", 0, 1))],
    ["out-of-range", NBT_NETWORK, root(TAG_BYTE, 128)],
    ["out-of-range", NBT_NETWORK, root(TAG_LONG, 2n ** 63n)],
    ["bad-utf8", NBT_NETWORK, root(TAG_STRING, "\udc00")],
    ["over-limit", NBT_NETWORK, root(TAG_STRING, "a".repeat(65_536))],
    ["over-limit", NBT_NETWORK, root(TAG_LIST, nested(513))],
  ];
  for (const [kind, form, value] of bad) {
    const writer = new Writer();
    writer.writeByte(1);
    writer.writeNBT(form, value);
    assert.equal(writer.error?.kind, kind);
    assert.equal(writer.length, 1);
  }
  const writer = new Writer();
  writer.writeNBT(NBT_NETWORK, root(TAG_LIST, nested(512)));
  assert.ok(!(writer.error instanceof MpacketError));
});
