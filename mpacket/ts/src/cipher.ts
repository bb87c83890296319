/**
 * mpacket/cipher encrypts and decrypts connections with AES in CFB8 mode. It uses node:crypto where that
 * has CFB8 (Node), and its own block cipher elsewhere (Deno, Bun).
 *
 * @module
 */
import { createCipheriv, createDecipheriv, getCiphers } from "node:crypto";
import { BLOCK_LEN, expandKey, firstByte } from "./aes.ts";

/**
 * One direction of a connection in AES with cipher feedback and segments of one byte: each byte is XORed
 * with the first byte of the encryption of the 16 encrypted bytes before it. The protocol uses the 16
 * bytes of the shared secret both as key and as IV, once for each direction. CFB8 hides content and does
 * not protect it from change.
 */
export interface CFB8 {
  /** Returns the next bytes of the stream, encrypted or decrypted, in memory of their own. */
  update(bytes: Uint8Array): Uint8Array;
}

/** Returns the sending direction. Throws a RangeError unless the key has 16, 24 or 32 bytes and the IV 16. */
export function newCFB8Encrypter(key: Uint8Array, iv: Uint8Array): CFB8 {
  check(key, iv);
  return isNative(key) ? createCipheriv(nameOf(key), key, iv) : new PlainCFB8(key, iv, false);
}

/** Returns the receiving direction. Throws a RangeError unless the key has 16, 24 or 32 bytes and the IV 16. */
export function newCFB8Decrypter(key: Uint8Array, iv: Uint8Array): CFB8 {
  check(key, iv);
  return isNative(key) ? createDecipheriv(nameOf(key), key, iv) : new PlainCFB8(key, iv, true);
}

function check(key: Uint8Array, iv: Uint8Array): void {
  if (![16, 24, 32].includes(key.length)) {
    throw new RangeError(`mpacket: AES key of ${key.length} bytes: a key has 16, 24 or 32`);
  }
  if (iv.length !== BLOCK_LEN) throw new RangeError(`mpacket: AES IV of ${iv.length} bytes: an IV has 16`);
}

function nameOf(key: Uint8Array): string {
  return `aes-${8 * key.length}-cfb8`;
}

function isNative(key: Uint8Array): boolean {
  return getCiphers().includes(nameOf(key));
}

/** CFB8 without the runtime's help. */
export class PlainCFB8 implements CFB8 {
  private readonly schedule: Int32Array;
  private readonly decrypts: boolean;
  /** The last 16 encrypted bytes, as four words, most significant byte first. */
  private readonly window: Int32Array;

  constructor(key: Uint8Array, iv: Uint8Array, decrypts: boolean) {
    this.schedule = expandKey(key);
    const view = new DataView(iv.buffer, iv.byteOffset, BLOCK_LEN);
    this.window = Int32Array.from([0, 4, 8, 12], (at) => view.getInt32(at));
    this.decrypts = decrypts;
  }

  update(bytes: Uint8Array): Uint8Array {
    const { schedule, window, decrypts } = this;
    const out = new Uint8Array(bytes.length);
    let [a, b, c, d] = window as unknown as [number, number, number, number];
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i] as number;
      const result = byte ^ firstByte(schedule, a, b, c, d);
      out[i] = result;
      a = (a << 8) | (b >>> 24);
      b = (b << 8) | (c >>> 24);
      c = (c << 8) | (d >>> 24);
      d = (d << 8) | (decrypts ? byte : result);
    }
    window.set([a, b, c, d]);
    return out;
  }
}
