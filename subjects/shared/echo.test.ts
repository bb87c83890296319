import assert from "node:assert/strict";
import { test } from "node:test";
import { OutputBuffer } from "../../mpacket/ts/src/index.ts";
import { Echo } from "./echo.ts";

/** Gives chunks to one connection and returns its replies and whether it may go on. */
function answer(...chunks: number[][]): { replies: number[]; ok: boolean } {
  const echo = new Echo();
  const output = new OutputBuffer();
  const ok = chunks.map((chunk) => echo.answer(Uint8Array.from(chunk), output)).every(Boolean);
  return { replies: Array.from(output.content), ok };
}

test("frames come back in order, with minimal prefixes, however they arrive", () => {
  const replies = [1, 7, 2, 8, 9];
  assert.deepEqual(answer([1, 7, 0x82, 0x80, 0, 8, 9]), { replies, ok: true });
  assert.deepEqual(answer([1], [7, 0x82], [0x80], [0, 8], [9]), { replies, ok: true });
  assert.deepEqual(answer([1, 7, 2, 8, 9, 5, 1]), { replies, ok: true });
});

test("a hostile length ends the connection after what was owed before it", () => {
  assert.deepEqual(answer([1, 7, 0, 1, 8]), { replies: [1, 7], ok: false });
  assert.deepEqual(answer([1, 7, 0xff, 0xff], [0xff, 1], [1, 8]), { replies: [1, 7], ok: false });
});
