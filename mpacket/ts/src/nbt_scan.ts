import { ERR_BAD_NBT, ERR_BAD_UTF8, ERR_NEGATIVE, ERR_OVER_LIMIT, ERR_SHORT } from "./error.ts";
import {
  MAX_NBT_VALUES,
  NBT_FILE,
  NBT_MIN_SIZE,
  NBT_NETWORK,
  type NBTForm,
  TAG_BYTE_ARRAY,
  TAG_COMPOUND,
  TAG_COUNT,
  TAG_END,
  TAG_INT_ARRAY,
  TAG_LIST,
  TAG_LONG_ARRAY,
  TAG_STRING,
  tooDeep,
} from "./nbt.ts";
import { isModifiedUTF8 } from "./nbt_text.ts";

/**
 * Checks the NBT value at the start of bytes[at, end) and returns its length, without decoding it. The
 * result is 0 when the bytes end inside the value; else it is -ERR_BAD_NBT, -ERR_NEGATIVE, -ERR_BAD_UTF8
 * or, past MAX_NBT_DEPTH or MAX_NBT_VALUES, -ERR_OVER_LIMIT.
 */
export function skipNBT(bytes: Uint8Array, at: number, end: number, form: NBTForm): number {
  return scanner.scan(bytes, at, end, form);
}

/** The tag that stands for a failure. */
const NO_TAG = -1;
const NOTHING = new Uint8Array(0);

/**
 * Scanner walks over NBT and checks it. Decoding starts only when it has passed, and therefore needs no
 * checks of its own. Methods return false when the walk must end.
 */
class Scanner {
  private bytes: Uint8Array = NOTHING;
  private at = 0;
  private end = 0;
  private values = 0;
  private code = ERR_SHORT; // why the walk failed

  scan(bytes: Uint8Array, at: number, end: number, form: NBTForm): number {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
    this.values = 0;
    this.code = ERR_SHORT;
    const whole = this.root(form);
    this.bytes = NOTHING;
    return whole ? this.at - at : -this.code;
  }

  private bad(code: number): false {
    this.code = code;
    return false;
  }

  private skip(count: number): boolean {
    if (this.end - this.at < count) return false;
    this.at += count;
    return true;
  }

  private root(form: NBTForm): boolean {
    const tag = this.tag();
    if (tag === NO_TAG) return false;
    if (tag === TAG_END && form === NBT_NETWORK) return true;
    if (tag === TAG_END || (form === NBT_FILE && tag !== TAG_COMPOUND)) return this.bad(ERR_BAD_NBT);
    return (form !== NBT_FILE || this.text()) && this.payload(tag, 1);
  }

  /** Reads a tag, which must be a known one. */
  private tag(): number {
    if (!this.skip(1)) return NO_TAG;
    const tag = this.bytes[this.at - 1] as number;
    if (tag < TAG_COUNT) return tag;
    this.code = ERR_BAD_NBT;
    return NO_TAG;
  }

  /** Passes over a string, which must be valid modified UTF-8. */
  private text(): boolean {
    if (this.end - this.at < 2) return false;
    const length = ((this.bytes[this.at] as number) << 8) | (this.bytes[this.at + 1] as number);
    if (!this.skip(2 + length)) return false;
    return isModifiedUTF8(this.bytes, this.at - length, this.at) || this.bad(ERR_BAD_UTF8);
  }

  /** Passes over a value whose tag was read. depth is that of the value, from 1. */
  private payload(tag: number, depth: number): boolean {
    this.values++;
    if (this.values > MAX_NBT_VALUES || tooDeep(tag, depth)) return this.bad(ERR_OVER_LIMIT);
    switch (tag) {
      case TAG_BYTE_ARRAY:
        return this.array(1);
      case TAG_INT_ARRAY:
        return this.array(4);
      case TAG_LONG_ARRAY:
        return this.array(8);
      case TAG_STRING:
        return this.text();
      case TAG_LIST:
        return this.list(depth);
      case TAG_COMPOUND:
        return this.compound(depth);
      default:
        return this.skip(NBT_MIN_SIZE[tag] as number);
    }
  }

  /** Passes over a counted run of numbers. */
  private array(width: number): boolean {
    const count = this.count();
    return count >= 0 && this.skip(count * width);
  }

  /** Reads the four bytes that count what follows; a negative result is a failure. */
  private count(): number {
    if (!this.skip(4)) return -1;
    const { bytes, at } = this;
    const count =
      ((bytes[at - 4] as number) << 24) |
      ((bytes[at - 3] as number) << 16) |
      ((bytes[at - 2] as number) << 8) |
      (bytes[at - 1] as number);
    if (count < 0) this.code = ERR_NEGATIVE;
    return count;
  }

  private list(depth: number): boolean {
    const tag = this.tag();
    const count = tag === NO_TAG ? -1 : this.count();
    if (count <= 0) return count === 0;
    // Elements of no size would be a list of any length in five bytes.
    if (tag === TAG_END) return this.bad(ERR_BAD_NBT);
    if (count > MAX_NBT_VALUES - this.values) return this.bad(ERR_OVER_LIMIT);
    if (count * (NBT_MIN_SIZE[tag] as number) > this.end - this.at) return false;
    for (let i = 0; i < count; i++) {
      if (!this.payload(tag, depth + 1)) return false;
    }
    return true;
  }

  private compound(depth: number): boolean {
    for (;;) {
      const tag = this.tag();
      if (tag === NO_TAG || tag === TAG_END) return tag === TAG_END;
      if (!this.text() || !this.payload(tag, depth + 1)) return false;
    }
  }
}

// One for all: a scan is never interrupted, and leaves nothing that matters behind.
const scanner = new Scanner();
