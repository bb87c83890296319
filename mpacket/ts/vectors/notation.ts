// How the vectors write values: see ../../vectors/README.md.
import { OutputBuffer } from "../src/index.ts";
import { fromHex, toHex } from "../src/testing.ts";

/** Bytes: hexadecimal, or runs of it. */
export type Blob = string | Run[];
/** A piece of bytes, repeated. */
export interface Run {
  hex: string;
  times: number;
}

/** Returns the bytes of a blob. */
export function bytesOf(blob: Blob): Uint8Array {
  if (typeof blob === "string") return fromHex(blob);
  const out = new OutputBuffer(0);
  for (const { hex, times } of blob) {
    const piece = fromHex(hex);
    for (let i = 0; i < times; i++) out.appendRaw(piece);
  }
  return out.content;
}

/** Returns the packets that a list of runs stands for, one a run. */
export function packetsOf(runs: Run[]): Uint8Array[] {
  return runs.map((run) => bytesOf([run]));
}

/** Throws unless two strings of bytes are the same. */
export function expectBytes(got: Uint8Array, want: Uint8Array | undefined, label: string): void {
  const same = got.length === want?.length && got.every((byte, i) => byte === want[i]);
  expect(same, () => `${label} is ${toHex(got.subarray(0, 100))}, want ${want && toHex(want.subarray(0, 100))}`);
}

/** Spells out {text, times}, and bytes that are given as runs. */
export function spelledOut(value: unknown): unknown {
  if (typeof value === "object" && value !== null && "times" in value && "text" in value) {
    const { text, times } = value as { text: string; times: number };
    return text.repeat(times);
  }
  const isRun = (item: unknown) => typeof item === "object" && item !== null && "times" in item && "hex" in item;
  return Array.isArray(value) && value.length > 0 && value.every(isRun) ? toHex(bytesOf(value as Run[])) : value;
}

const scratch = new DataView(new ArrayBuffer(8));

/** Writes a float as its bits, big endian, in hexadecimal. */
export function floatBits(value: number, width: 4 | 8): string {
  if (width === 4) scratch.setFloat32(0, value);
  else scratch.setFloat64(0, value);
  return toHex(new Uint8Array(scratch.buffer, 0, width));
}

/** Reads the bits of a float. */
export function fromFloatBits(bits: unknown): number {
  const bytes = fromHex(bits as string);
  const view = new DataView(bytes.buffer);
  return bytes.length === 4 ? view.getFloat32(0) : view.getFloat64(0);
}

/** Reads UTF-16 code units in hexadecimal. */
export function fromUnits(units: string): string {
  return (units.match(/.{4}/g) ?? []).map((unit) => String.fromCharCode(Number.parseInt(unit, 16))).join("");
}

/** Returns the kind of an error that do throws, "" when it throws none. */
export function kindOf(work: () => void): string {
  try {
    work();
    return "";
  } catch (error) {
    return (error as { kind?: string }).kind ?? String(error);
  }
}

/** Throws unless a condition holds. */
export function expect(holds: boolean, message: () => string): asserts holds {
  if (!holds) throw new Error(message());
}
