import { isDeepStrictEqual } from "node:util";
import { Consumed, OutputBuffer, parseError, Reader, Writer } from "../src/index.ts";
import type { Codec } from "./codec.ts";
import { CODECS } from "./codecs.ts";
import { type Blob, bytesOf, expect, expectBytes, fromFloatBits, fromUnits, spelledOut } from "./notation.ts";

/** A case of the files that hold values. */
export interface ValueCase {
  name: string;
  type: string;
  hex?: Blob;
  value?: unknown;
  units?: string;
  canonical?: Blob;
  left?: number;
  limit?: number;
  error?: string;
  strict?: string;
  write_error?: string;
}

/** Checks one case with every codec of its type. Throws an Error that says what differs. */
export function checkValue(c: ValueCase): void {
  const codecs = CODECS[c.type];
  expect(codecs !== undefined, () => `no codec for type ${c.type}`);
  for (const codec of codecs) {
    if (c.write_error !== undefined) {
      checkWriteError(c, codec);
      continue;
    }
    const adapted =
      codec.nan !== undefined && Number.isNaN(fromFloatBits(c.value ?? "00000000")) ? { ...c, ...codec.nan } : c;
    checkConsume(adapted, codec);
    checkRead(adapted, codec, false, c.error ?? "");
    if (!codec.lax) checkRead(adapted, codec, true, c.strict ?? c.error ?? "");
  }
}

function checkWriteError(c: ValueCase, codec: Codec): void {
  const writer = new Writer(16);
  writer.writeByte(1);
  codec.write(writer, c.units === undefined ? c.value : fromUnits(c.units), c.limit ?? codec.limit);
  const { error } = writer;
  expect(error?.kind === c.write_error, () => `writing gives error ${error?.kind}, want ${c.write_error}`);
  expect(error?.offset === 1, () => `writing fails at ${error?.offset}, want 1`);
}

/** Checks the consume function, and for what it read the append function. Bytes around it must not matter. */
function checkConsume(c: ValueCase, codec: Codec): void {
  const hex = bytesOf(c.hex ?? "");
  const surrounded = Uint8Array.from([...[9, 9], ...hex, ...[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]]);
  const got = new Consumed();
  const shown = codec.consume(got, surrounded, 2, 2 + hex.length, c.limit ?? codec.limit);
  if (c.error !== undefined) {
    const kind = parseError(got.n)?.kind;
    expect(kind === c.error, () => `consuming gives error ${kind}, want ${c.error}`);
    return;
  }
  const want = hex.length - (c.left ?? 0);
  expect(got.n === want, () => `consuming gives n = ${got.n}, want ${want}`);
  checkShown(c, shown, "consuming");
  const out = new OutputBuffer(0);
  codec.append(out, shown);
  checkBytes(c, hex, out.content, "appending");
}

function checkRead(c: ValueCase, codec: Codec, strict: boolean, wantError: string): void {
  const label = strict ? "strict reading" : "reading";
  const hex = bytesOf(c.hex ?? "");
  const reader = new Reader(Uint8Array.from([9, 9, 9, 9, 9, ...hex]), 2);
  reader.strict = strict;
  reader.skip(3);
  const shown = codec.read(reader, c.limit ?? codec.limit);
  const kind = reader.error?.kind ?? "";
  expect(kind === wantError, () => `${label} gives error ${kind}, want ${wantError}`);
  if (wantError !== "") {
    reader.readByte();
    expect(reader.error?.kind === wantError, () => `${label}: the error does not stick`);
    expect(reader.remaining === 0, () => `${label}: bytes remain after the error`);
    return;
  }
  const want = 3 + hex.length - (c.left ?? 0);
  expect(reader.offset === want, () => `${label} ends at ${reader.offset}, want ${want}`);
  checkShown(c, shown, label);
  const writer = new Writer(0);
  codec.write(writer, shown, c.limit ?? codec.limit);
  checkBytes(c, hex, writer.content, "writing");
}

function checkShown(c: ValueCase, shown: unknown, label: string): void {
  if (c.value === undefined) return;
  const want = spelledOut(c.value);
  const text = (value: unknown) => JSON.stringify(value).slice(0, 200);
  expect(isDeepStrictEqual(shown, want), () => `${label} gives ${text(shown)}, want ${text(want)}`);
}

function checkBytes(c: ValueCase, hex: Uint8Array, got: Uint8Array, label: string): void {
  const want = c.canonical === undefined ? hex.subarray(0, hex.length - (c.left ?? 0)) : bytesOf(c.canonical);
  expectBytes(got, want, label);
}
