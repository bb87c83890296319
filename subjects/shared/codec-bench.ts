// What a codec subject does with a request: the work that it names, by the clock (contract codec).
import { MpacketError, type OutputBuffer, Reader, Writer } from "../../mpacket/ts/src/index.ts";
import type { Operation } from "./codec-operation.ts";
import { packetOperations } from "./codec-packets.ts";
import { payloadOperations } from "./codec-payloads.ts";
import { Source } from "./codec-samples.ts";
import { valueOperations } from "./codec-values.ts";

const operations = new Map(Object.entries({ ...valueOperations, ...packetOperations, ...payloadOperations }));

const BUDGET_MAX_US = 1_000_000;
const STATUS_DONE = 0;
const STATUS_REFUSED = 1;
const UNKNOWN = -1n; // JavaScript does not tell what it allocates

/** Does one job after the other. It keeps the inputs of the last one, since the next is likely to be the same. */
export class Bench {
  private name = "";
  private seed = 0;
  private operation: Operation | undefined;
  private readonly reader = new Reader();
  private readonly reply = new Writer(256);

  /** Does the job that bytes[start, end) ask for and appends the reply as a frame. False: this is no request. */
  answer(bytes: Uint8Array, start: number, end: number, out: OutputBuffer): boolean {
    const { reader, reply } = this;
    reader.reset(bytes, start, end);
    const name = reader.readString();
    const seed = reader.readInt32();
    const budgetUs = reader.readInt32();
    try {
      reader.finish();
    } catch (error) {
      if (error instanceof MpacketError) return false;
      throw error;
    }
    reply.clear();
    this.perform(name, seed, budgetUs);
    out.appendFrame(reply.bytes, 0, reply.length);
    return true;
  }

  private perform(name: string, seed: number, budgetUs: number): void {
    const { reply } = this;
    const refusal = refusalOf(name, budgetUs);
    if (refusal !== undefined) {
      reply.writeByte(STATUS_REFUSED);
      reply.writeString(refusal);
      return;
    }
    const operation = this.prepare(name, seed);
    const digest = digestOfPass(operation);
    const { rounds, durationNs, sink } = work(operation, budgetUs * 1000);
    reply.writeByte(STATUS_DONE);
    reply.writeInt32(1); // thread
    reply.writeInt64(BigInt(rounds));
    reply.writeInt64(BigInt(durationNs));
    reply.writeInt64(UNKNOWN);
    reply.writeInt64(UNKNOWN);
    reply.writeInt32(digest);
    reply.writeInt32(sink);
  }

  /** Makes the inputs, unless they are there. */
  private prepare(name: string, seed: number): Operation {
    if (this.operation === undefined || this.name !== name || this.seed !== seed) {
      const make = operations.get(name) as (source: Source) => Operation;
      this.operation = make(new Source(seed));
      this.name = name;
      this.seed = seed;
    }
    return this.operation;
  }
}

function refusalOf(name: string, budgetUs: number): string | undefined {
  if (!operations.has(name)) return "this operation is not known here";
  if (budgetUs < 1 || budgetUs > BUDGET_MAX_US) return "the budget must lie between 1 and 1,000,000 µs";
  return undefined;
}

/**
 * Does rounds until the budget is used up. Between two looks at the clock it does as many as should fill the
 * rest, at most twice as many as before, so that looking costs nothing.
 */
function work(operation: Operation, budgetNs: number): { rounds: number; durationNs: number; sink: number } {
  let rounds = 0;
  let takenMs = 0;
  let sink = 0;
  for (let n = 1; takenMs * 1e6 < budgetNs; ) {
    const start = performance.now();
    sink = (sink + batch(operation, rounds % operation.rounds, n)) | 0;
    takenMs += performance.now() - start;
    rounds += n;
    const rest = takenMs > 0 ? Math.floor((rounds * (budgetNs / 1e6 - takenMs)) / takenMs) : 2 * n;
    n = Math.max(1, Math.min(2 * n, rest));
  }
  return { rounds, durationNs: Math.ceil(takenMs * 1e6), sink };
}

/** Does n rounds, beginning with round first, and returns what they come to. */
function batch(operation: Operation, first: number, n: number): number {
  let sum = 0;
  for (let k = 0, i = first; k < n; k++) {
    sum = (sum + operation.round(i)) | 0;
    if (++i === operation.rounds) i = 0;
  }
  return sum;
}

/** Does every round once. The digest is FNV-1a over 32-bit words, lowest byte first. */
function digestOfPass(operation: Operation): number {
  let digest = 0x811c9dc5;
  for (let i = 0; i < operation.rounds; i++) {
    digest = digestWord(digest, operation.round(i));
    digest = digestBytes(digest, operation.output());
  }
  return digest | 0;
}

function digestWord(digest: number, word: number): number {
  return Math.imul(digest ^ word, 0x01000193);
}

/** The bytes that are left count as words. */
function digestBytes(digest: number, bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const whole = bytes.length & ~3;
  let h = digest;
  for (let at = 0; at < whole; at += 4) h = digestWord(h, view.getInt32(at, true));
  for (let at = whole; at < bytes.length; at++) h = digestWord(h, bytes[at] as number);
  return h;
}
