// The codecs of all types of the vectors.
import * as m from "../src/index.ts";
import {
  array,
  asText,
  big,
  bits32,
  bits64,
  bitset,
  bytes,
  type Codec,
  codec,
  float,
  nbt,
  optional,
  parts,
  text,
  varints,
} from "./codec.ts";

const readVarInt = (r: m.Reader) => r.readVarInt();
const writeVarInt = (w: m.Writer, v: number) => w.writeVarInt(v);
const readString = (r: m.Reader) => r.readString();
const writeString = (w: m.Writer, v: string) => w.writeString(v);

/** The codecs of each type of the vectors: all must agree. */
export const CODECS: Record<string, Codec[]> = {
  bool: [
    codec(
      m.consumeBool,
      (r) => r.readBool(),
      m.appendBool,
      (w, v) => w.writeBool(v),
    ),
  ],
  int8: [
    codec(
      m.consumeInt8,
      (r) => r.readInt8(),
      m.appendInt8,
      (w, v) => w.writeInt8(v),
    ),
  ],
  uint8: [
    codec(
      m.consumeUint8,
      (r) => r.readUint8(),
      m.appendUint8,
      (w, v) => w.writeUint8(v),
    ),
  ],
  int16: [
    codec(
      m.consumeInt16,
      (r) => r.readInt16(),
      m.appendInt16,
      (w, v) => w.writeInt16(v),
    ),
  ],
  uint16: [
    codec(
      m.consumeUint16,
      (r) => r.readUint16(),
      m.appendUint16,
      (w, v) => w.writeUint16(v),
    ),
  ],
  int32: [
    codec(
      m.consumeInt32,
      (r) => r.readInt32(),
      m.appendInt32,
      (w, v) => w.writeInt32(v),
    ),
  ],
  uint32: [
    codec(
      m.consumeUint32,
      (r) => r.readUint32(),
      m.appendUint32,
      (w, v) => w.writeUint32(v),
    ),
  ],
  int16le: [
    codec(
      m.consumeInt16LE,
      (r) => r.readInt16LE(),
      m.appendInt16LE,
      (w, v) => w.writeInt16LE(v),
    ),
  ],
  uint16le: [
    codec(
      m.consumeUint16LE,
      (r) => r.readUint16LE(),
      m.appendUint16LE,
      (w, v) => w.writeUint16LE(v),
    ),
  ],
  int32le: [
    codec(
      m.consumeInt32LE,
      (r) => r.readInt32LE(),
      m.appendInt32LE,
      (w, v) => w.writeInt32LE(v),
    ),
  ],
  uint32le: [
    codec(
      m.consumeUint32LE,
      (r) => r.readUint32LE(),
      m.appendUint32LE,
      (w, v) => w.writeUint32LE(v),
    ),
  ],
  int64: [
    big(
      m.consumeInt64,
      (r) => r.readInt64(),
      m.appendInt64,
      (w, v) => w.writeInt64(v),
    ),
    parts(
      m.consumeInt64Parts,
      (r) => r.readInt64Parts(),
      m.appendInt64Parts,
      (w, hi, lo) => w.writeInt64Parts(hi, lo),
    ),
  ],
  uint64: [
    big(
      m.consumeUint64,
      (r) => r.readUint64(),
      m.appendUint64,
      (w, v) => w.writeUint64(v),
    ),
  ],
  int64le: [
    big(
      m.consumeInt64LE,
      (r) => r.readInt64LE(),
      m.appendInt64LE,
      (w, v) => w.writeInt64LE(v),
    ),
    parts(
      m.consumeInt64PartsLE,
      (r) => r.readInt64PartsLE(),
      m.appendInt64PartsLE,
      (w, hi, lo) => w.writeInt64PartsLE(hi, lo),
    ),
  ],
  uint64le: [
    big(
      m.consumeUint64LE,
      (r) => r.readUint64LE(),
      m.appendUint64LE,
      (w, v) => w.writeUint64LE(v),
    ),
  ],
  float32: [
    float(
      4,
      false,
      m.consumeFloat32,
      (r) => r.readFloat32(),
      m.appendFloat32,
      (w, v) => w.writeFloat32(v),
    ),
    bits32(
      m.consumeUint32,
      (r) => r.readUint32(),
      m.appendUint32,
      (w, v) => w.writeUint32(v),
    ),
  ],
  float64: [
    float(
      8,
      false,
      m.consumeFloat64,
      (r) => r.readFloat64(),
      m.appendFloat64,
      (w, v) => w.writeFloat64(v),
    ),
    bits64(
      m.consumeUint64,
      (r) => r.readUint64(),
      m.appendUint64,
      (w, v) => w.writeUint64(v),
    ),
  ],
  float32le: [
    float(
      4,
      true,
      m.consumeFloat32LE,
      (r) => r.readFloat32LE(),
      m.appendFloat32LE,
      (w, v) => w.writeFloat32LE(v),
    ),
    bits32(
      m.consumeUint32LE,
      (r) => r.readUint32LE(),
      m.appendUint32LE,
      (w, v) => w.writeUint32LE(v),
    ),
  ],
  float64le: [
    float(
      8,
      true,
      m.consumeFloat64LE,
      (r) => r.readFloat64LE(),
      m.appendFloat64LE,
      (w, v) => w.writeFloat64LE(v),
    ),
    bits64(
      m.consumeUint64LE,
      (r) => r.readUint64LE(),
      m.appendUint64LE,
      (w, v) => w.writeUint64LE(v),
    ),
  ],
  varint: [codec(m.consumeVarInt, readVarInt, m.appendVarInt, writeVarInt)],
  varlong: [
    big(
      m.consumeVarLong,
      (r) => r.readVarLong(),
      m.appendVarLong,
      (w, v) => w.writeVarLong(v),
    ),
    parts(
      m.consumeVarLongParts,
      (r) => r.readVarLongParts(),
      m.appendVarLongParts,
      (w, hi, lo) => w.writeVarLongParts(hi, lo),
    ),
  ],
  angle: [
    codec(
      m.consumeAngle,
      (r) => r.readAngle(),
      m.appendAngle,
      (w, v) => w.writeAngle(v),
    ),
  ],
  uuid: [
    codec<m.UUID>(
      m.consumeUUID,
      (r) => r.readUUID(),
      m.appendUUID,
      (w, v) => w.writeUUID(v),
      m.uuidString,
      (shown) => m.parseUUID(shown as string),
    ),
  ],
  position: [
    codec<m.Position>(
      m.consumePosition,
      (r) => r.readPosition(),
      m.appendPosition,
      (w, v) => w.writePosition(v),
    ),
  ],
  identifier: [
    codec(
      m.consumeIdentifier,
      (r) => r.readIdentifier(),
      m.appendIdentifier,
      (w, v) => w.writeIdentifier(v),
    ),
  ],
  string: [
    text(m.consumeString, (r, limit) => r.readString(limit)),
    text(
      (got, b, at, end, limit) => asText(m.consumeStringView(got, b, at, end, limit)),
      (r, limit) => asText(r.readStringView(limit)),
    ),
  ],
  "string-lossy": [text(m.consumeStringLossy, (r, limit) => r.readStringLossy(limit))],
  bytes: [
    bytes(m.consumeBytes, (r, limit) => r.readBytes(limit)),
    bytes(m.consumeBytes, (r, limit) => r.readBytesCopy(limit)),
  ],
  bitset: [bitset],
  "array<varint>": [array(m.consumeVarInt, readVarInt, m.appendVarInt, writeVarInt), varints],
  "array<string>": [array(m.consumeString, readString, m.appendString, writeString)],
  "optional<varint>": [optional(m.consumeVarInt, readVarInt, m.appendVarInt, writeVarInt)],
  "optional<string>": [optional(m.consumeString, readString, m.appendString, writeString)],
  "nbt-file": [nbt(m.NBT_FILE)],
  "nbt-network": [nbt(m.NBT_NETWORK)],
};
