// Values and packets for the operations of the contract codec: word for word those of the Go package
// mpacket/samples, so that equal seeds give equal values.
import type { Position, UUID } from "../../mpacket/ts/src/index.ts";

/** A movement. */
export interface Small {
  entity: number;
  x: number;
  y: number;
  z: number;
  ground: boolean;
}

/** A chat line. The time is a 64-bit number in two halves. */
export interface Medium {
  id: UUID;
  at: Position;
  timeHi: number;
  timeLo: number;
  text: string;
}

/** A block of data with a name. */
export interface Large extends Medium {
  name: string;
  counts: Int32Array;
  data: Uint8Array;
}

/** The ids that packets begin with. */
export const SMALL_ID = 0x2c;
export const MEDIUM_ID = 0x3b;

const VAR_INT_BITS = [7, 14, 21, 28, 32];

/** A small generator of 32-bit words: a counter, mixed as MurmurHash3 finishes its hashes. */
export class Source {
  private state: number;

  constructor(seed: number) {
    this.state = seed | 0;
  }

  /** Returns the next word as a signed integer. */
  int32(): number {
    this.state = (this.state + 0x9e3779b9) | 0;
    let z = this.state;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return z ^ (z >>> 16);
  }

  /** Returns a number from 0 to limit - 1. */
  below(limit: number): number {
    return (this.int32() >>> 0) % limit;
  }

  /** Returns a number whose VarInt has 1 to 5 bytes, each length equally often. */
  varInt(): number {
    const bits = VAR_INT_BITS[this.below(5)] as number;
    return (this.int32() >>> (32 - bits)) | (1 << (bits - 1));
  }

  /** Returns 4 to 28 small letters; one text in eight begins with a letter that is not ASCII. */
  text(): string {
    const letters = new Array<number>(4 + this.below(25));
    for (let i = 0; i < letters.length; i++) letters[i] = 97 + this.below(26);
    if (this.below(8) === 0) letters[0] = 0xe4; // ä
    return String.fromCharCode(...letters);
  }

  /** Returns that many words as bytes, the lowest byte of each first. */
  bytes(words: number): Uint8Array {
    const bytes = new Uint8Array(4 * words);
    const view = new DataView(bytes.buffer);
    for (let i = 0; i < bytes.length; i += 4) view.setInt32(i, this.int32(), true);
    return bytes;
  }

  int32s(count: number): Int32Array {
    return Int32Array.from({ length: count }, () => this.int32());
  }

  varInts(count: number): Int32Array {
    return Int32Array.from({ length: count }, () => this.varInt());
  }

  small(): Small {
    return {
      entity: this.varInt() & 0x1f_ffff,
      x: (this.int32() << 16) >> 16,
      y: (this.int32() << 16) >> 16,
      z: (this.int32() << 16) >> 16,
      ground: this.below(2) === 1,
    };
  }

  medium(): Medium {
    return {
      id: { a: this.int32(), b: this.int32(), c: this.int32(), d: this.int32() },
      at: { x: this.int32() >> 6, y: this.int32() >> 20, z: this.int32() >> 6 },
      timeHi: this.int32(),
      timeLo: this.int32(),
      text: `${this.text()} ${this.text()} ${this.text()}`,
    };
  }

  large(): Large {
    return { ...this.medium(), name: this.text(), counts: this.varInts(32), data: this.bytes(128) };
  }

  /** Draws what a game server sends next: of 20 packets 13 are small, 6 medium and one large. */
  kind(): "small" | "medium" | "large" {
    const n = this.below(20);
    if (n < 13) return "small";
    return n < 19 ? "medium" : "large";
  }
}

/** Draws count values. */
export function many<T>(count: number, draw: () => T): T[] {
  return Array.from({ length: count }, draw);
}
