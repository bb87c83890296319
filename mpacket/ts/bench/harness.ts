/** One operation that is measured. */
export interface Op {
  name: string;
  /** Bytes that one operation moves or looks at one by one; 0 when it does neither. */
  bytes: number;
  /** Does count operations and returns a number made of their results, so that no work can be left out. */
  run(count: number): number;
}

/** What was measured of an operation: one line of the output. */
export interface Result {
  op: string;
  ns_per_op: number;
  /** Operations in all, warm-up not counted. */
  ops: number;
  bytes_per_op: number;
}

const SAMPLES = 9;

/** Takes the results of all operations. */
let sink = 0;

/**
 * Measures an operation for about budgetMs: a third of it warms up, the rest is cut into samples, of
 * which the median counts.
 */
export function measure(op: Op, budgetMs: number): Result {
  let count = 1;
  let elapsedMs = 0;
  for (const end = performance.now() + budgetMs / 3; performance.now() < end; ) {
    elapsedMs = timed(op, count);
    if (elapsedMs < budgetMs / 50) count *= 2;
  }
  const perSample = Math.max(1, Math.floor((count * (budgetMs / 1.5 / SAMPLES)) / Math.max(elapsedMs, 0.001)));
  const samples = Array.from({ length: SAMPLES }, () => timed(op, perSample)).sort((a, b) => a - b);
  const medianMs = samples[SAMPLES >> 1] as number;
  return {
    op: op.name,
    ns_per_op: Number(((medianMs * 1e6) / perSample).toPrecision(4)),
    ops: SAMPLES * perSample,
    bytes_per_op: op.bytes,
  };
}

function timed(op: Op, count: number): number {
  const start = performance.now();
  sink = (sink + op.run(count)) % 1e9;
  return performance.now() - start;
}
