// What the children of the bench share: operations that are timed in turns, and checksums of what they make.

import { COUNT } from "./inputs.ts";

/** One operation of one side. */
export interface Op {
  name: string;
  /** Does the operation n times, over many different inputs. Returns something that depends on all of them. */
  run(n: number): number;
  /** A checksum of what it makes of fixed inputs, which must be that of the other sides; 0 when they have none. */
  sum(): bigint;
}

/** What one operation took, its fastest slice: the names are those of the bench's timing. */
interface Timing {
  best_ns: number;
  sum: string;
}

/** Keeps results alive. */
let sink = 0;
let kept: unknown;

/** Takes what was read: so no runtime can leave out the making of an object whose fields nobody asks for. */
export function keep(value: unknown): void {
  kept = value;
}

/**
 * Returns a run that does body for one input after the other, whose index is next; names is what body uses.
 * Each operation of each side has such a loop of its own: with one that operations share, an engine would see
 * many functions at its one call and inline none, and the call would be measured as much as the operation.
 */
export function ownLoop(body: string, names: Record<string, unknown>): Op["run"] {
  const make = new Function(
    ...Object.keys(names),
    `let next = 0;
    return (n) => {
      for (let i = 0; i < n; i++) {
        ${body};
        next = next + 1 === ${COUNT} ? 0 : next + 1;
      }
      return n;
    };`,
  ) as (...values: unknown[]) => Op["run"];
  return make(...Object.values(names));
}

/** Times operations in slices, one slice of each a round, after a warm-up in which they are compiled. */
export function takeTurns(ops: Op[], slices: number, sliceMs: number): Record<string, Timing> {
  const timed = ops.map((op) => ({ op, perSlice: warmUp(op, sliceMs), bestNs: Number.POSITIVE_INFINITY }));
  for (let i = 0; i < slices; i++) {
    for (const entry of timed) {
      const start = performance.now();
      sink += entry.op.run(entry.perSlice);
      entry.bestNs = Math.min(entry.bestNs, ((performance.now() - start) * 1e6) / entry.perSlice);
    }
  }
  if (Number.isNaN(sink) || kept === null) throw new Error("an operation returned no number");
  const timings: Record<string, Timing> = {};
  for (const { op, bestNs } of timed) timings[op.name] = { best_ns: bestNs, sum: op.sum().toString() };
  return timings;
}

/** Runs an operation for at least 50 slices and returns how many make a slice. */
function warmUp(op: Op, sliceMs: number): number {
  let perSlice = 64;
  for (let warmMs = 0; warmMs < 50 * sliceMs; ) {
    const start = performance.now();
    sink += op.run(perSlice);
    const tookMs = performance.now() - start;
    warmMs += tookMs;
    perSlice = Math.max(1, Math.min(2 * perSlice, Math.ceil((perSlice * sliceMs) / tookMs)));
  }
  return perSlice;
}

/** Digest makes checksums: 64-bit FNV-1a. */
export class Digest {
  value = 0xcbf29ce484222325n;

  bytes(bytes: Uint8Array): void {
    for (const byte of bytes) this.value = BigInt.asUintN(64, (this.value ^ BigInt(byte)) * 0x100000001b3n);
  }

  text(text: string): void {
    this.bytes(new TextEncoder().encode(text));
  }

  number(value: number): void {
    this.text(`${value};`);
  }
}
