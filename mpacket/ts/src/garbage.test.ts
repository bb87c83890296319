// Proves that what the README says makes no garbage makes none, where the engine counts what it allocates.

import assert from "node:assert/strict";
import { test } from "node:test";
import { getHeapStatistics } from "node:v8";
import { FrameDecoder } from "./frame.ts";
import { OutputBuffer } from "./output.ts";
import { Reader } from "./reader.ts";
import { Writer } from "./writer.ts";

const ROUNDS = 400;
const PER_ROUND = 5000;
/** Less than any object takes, so that one a call is above it; the engine's own work in a quiet round is below. */
const ALLOWED_BYTES = 2;

/** Bytes allocated so far. Older V8 knows only those in use, which shrink when garbage is collected. */
function allocatedBytes(): number {
  const stats = getHeapStatistics() as { used_heap_size: number; total_allocated_bytes?: number };
  return stats.total_allocated_bytes ?? stats.used_heap_size;
}

/** Returns how many bytes a call of run allocates: in the quietest of many rounds, of which the first compile it. */
function bytesPerCall(run: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && least > ALLOWED_BYTES; round++) {
    const before = allocatedBytes();
    for (let i = 0; i < PER_ROUND; i++) run();
    const bytes = (allocatedBytes() - before) / PER_ROUND;
    if (bytes >= 0) least = Math.min(least, bytes);
  }
  return least;
}

const writer = new Writer();
const reader = new Reader();
const uuid = { a: 0, b: 0, c: 0, d: 0 };
const position = { x: 0, y: 0, z: 0 };
const varInts = new Int32Array(8);
const text = "a text of forty-two letters, or as many ää";
const bytes = new Uint8Array(100);
let kept: unknown;

const writes: Record<string, () => void> = {
  "integers and bools": () => {
    writer.writeBool(true);
    writer.writeInt8(-1);
    writer.writeInt16(-2);
    writer.writeUint32(3_000_000_000);
    writer.writeInt64Parts(-5, 6);
    writer.writeInt32LE(-7);
  },
  floats: () => {
    writer.writeFloat32(0.5);
    writer.writeFloat64(0.1);
  },
  VarInts: () => {
    writer.writeVarInt(5);
    writer.writeVarInt(-1);
    writer.writeVarLongParts(-5, 6);
    writer.writeVarInts(varInts);
  },
  "a short text": () => writer.writeString("forty-two"),
  bytes: () => writer.writeBytes(bytes),
  "UUID and position": () => {
    writer.writeUUID(uuid);
    writer.writePosition(position);
  },
  "a frame": () => writer.appendFrame(bytes),
};

const reads: Record<string, [write: () => void, read: () => void]> = {
  "integers and bools": [
    writes["integers and bools"] as () => void,
    () => {
      reader.readBool();
      reader.readInt8();
      reader.readInt16();
      reader.readUint32();
      reader.readInt64Parts();
      reader.readInt32LE();
    },
  ],
  floats: [
    writes.floats as () => void,
    () => {
      reader.readFloat32();
      reader.readFloat64();
    },
  ],
  VarInts: [
    writes.VarInts as () => void,
    () => {
      reader.readVarInt();
      reader.readVarInt();
      reader.readVarLongParts();
      reader.readVarInts(varInts);
    },
  ],
  "spans of text and bytes": [
    () => {
      writer.writeString(text);
      writer.writeBytes(bytes);
    },
    () => {
      reader.readStringSpan();
      reader.readBytesSpan();
    },
  ],
  "UUID and position into objects": [
    writes["UUID and position"] as () => void,
    () => {
      reader.readUUID(uuid);
      reader.readPosition(position);
    },
  ],
};

/** JavaScriptCore counts when it collects garbage, which says nothing about one call. */
const onV8 = "Bun" in globalThis ? test.skip : test;

onV8("garbage is noticed where there is some", () => {
  writer.clear();
  writer.writePosition(position);
  const packet = writer.content;
  const allocated = bytesPerCall(() => {
    reader.reset(packet);
    kept = reader.readPosition();
  });
  assert.ok(allocated > ALLOWED_BYTES && kept !== undefined, `${allocated} B`);
});

for (const [name, write] of Object.entries(writes)) {
  onV8(`writing makes no garbage: ${name}`, () => {
    const allocated = bytesPerCall(() => {
      writer.clear();
      write();
    });
    assert.ok(allocated <= ALLOWED_BYTES, `${allocated} B a call`);
  });
}

for (const [name, [write, read]] of Object.entries(reads)) {
  onV8(`reading makes no garbage: ${name}`, () => {
    writer.clear();
    write();
    const packet = writer.content;
    const allocated = bytesPerCall(() => {
      reader.reset(packet);
      read();
      reader.finish();
    });
    assert.ok(allocated <= ALLOWED_BYTES, `${allocated} B a call`);
  });
}

onV8("taking a chunk apart makes no garbage for each of its frames", () => {
  const output = new OutputBuffer();
  for (let i = 0; i < 100; i++) output.appendFrame(bytes);
  const chunk = output.content.slice();
  const decoder = new FrameDecoder();
  let frames = 0;
  const allocated = bytesPerCall(() => {
    decoder.push(chunk);
    while (decoder.next()) frames++;
  });
  assert.ok(allocated <= ALLOWED_BYTES && frames > 0, `${allocated} B for 100 frames`);
});
