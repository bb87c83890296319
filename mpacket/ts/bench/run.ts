// Measures the operations whose names contain one of the arguments, or all, and prints a line of JSON for
// each: {"op", "ns_per_op", "ops", "bytes_per_op"}. --ms=N sets how long each may take; 300 by default.
import process from "node:process";
import { measure } from "./harness.ts";
import { packetOps } from "./packets.ts";
import { streamOps } from "./streams.ts";
import { valueOps } from "./values.ts";

const flags = process.argv.slice(2).filter((argument) => argument.startsWith("--"));
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const budgetMs = Number(/^--ms=(\d+)$/.exec(flags[0] ?? "--ms=300")?.[1]);
if (flags.length > 1 || !(budgetMs > 0)) {
  process.stderr.write(`bench: ${flags.join(" ")}: the only flag is --ms=N, milliseconds an operation\n`);
  process.exit(2);
}
let measured = 0;
for (const make of [...valueOps, ...packetOps, ...streamOps]) {
  const op = make();
  if (wanted.length > 0 && !wanted.some((part) => op.name.includes(part))) continue;
  process.stdout.write(`${JSON.stringify(measure(op, budgetMs))}\n`);
  measured++;
}
if (measured === 0) {
  process.stderr.write(`bench: ${wanted.join(" ")}: no operation has that in its name; leave it out to see all\n`);
  process.exit(2);
}
