// A child of the bench: child.ts SIDE SLICES MILLISECONDS. It times the operations of one side and prints
// them as JSON.

import process from "node:process";
import { takeTurns } from "./turns.ts";

const [side, slices, sliceMs] = process.argv.slice(2);
const { ops } = await import(`./${side}.ts`);
process.stdout.write(`${JSON.stringify(takeTurns(ops, Number(slices), Number(sliceMs)))}\n`);
