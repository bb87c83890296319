// Runs the test vectors of ../../vectors, every case of every file, and prints a line of JSON for each:
// {"file", "name"}, and "problem" when it failed. Exits 1 when one did.
import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { checkPacket } from "./packets.ts";
import { checkCipher, checkCompression, checkFrames, checkStream } from "./streams.ts";
import { checkValue } from "./values.ts";

type Check = (c: { name: string }) => void;

/** The files with a form of their own; all others hold values. */
const CHECKS: Record<string, Check> = {
  "cipher.json": checkCipher as Check,
  "compression.json": checkCompression as Check,
  "frames.json": checkFrames as Check,
  "packets.json": checkPacket as Check,
  "stream.json": checkStream as Check,
};

const folder = new URL("../../vectors/", import.meta.url);
const lines: string[] = [];
for (const file of readdirSync(folder).sort()) {
  if (!file.endsWith(".json")) continue;
  const check = CHECKS[file] ?? (checkValue as unknown as Check);
  for (const c of JSON.parse(readFileSync(new URL(file, folder), "utf8")).cases) {
    lines.push(JSON.stringify({ file, name: c.name, problem: problemOf(() => check(c)) }));
  }
}
process.stdout.write(`${lines.join("\n")}\n`);

function problemOf(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    process.exitCode = 1;
    return error instanceof Error ? error.message : String(error);
  }
}
