/**
 * mpacket reads and writes packets: fixed-width fields, the types of the Minecraft Java protocol, its
 * frames and its opening packets, byte for byte as the Go package of the same name does. It works on
 * Uint8Array alone, so it runs unchanged on Node, Deno and Bun; it opens no socket, reads no file and
 * depends on nothing. Compression and encryption are in mpacket/zlib, mpacket/cipher and mpacket/stream.
 *
 * @module
 */
export * from "./angle.ts";
export {
  type Append,
  appendArray,
  appendOptional,
  appendVarInts,
  type Consume,
  consumeArray,
  consumeOptional,
  consumeVarInts,
} from "./array.ts";
export * from "./bitset.ts";
export { appendBytes, consumeBytes, MAX_BYTES_LEN } from "./bytes.ts";
export { Consumed } from "./consumed.ts";
export * from "./error.ts";
export {
  appendBool,
  appendFloat32,
  appendFloat64,
  appendInt8,
  appendInt16,
  appendInt32,
  appendInt64,
  appendInt64Parts,
  appendUint8,
  appendUint16,
  appendUint32,
  appendUint64,
  consumeBool,
  consumeBoolStrict,
  consumeFloat32,
  consumeFloat64,
  consumeInt8,
  consumeInt16,
  consumeInt32,
  consumeInt64,
  consumeInt64Parts,
  consumeUint8,
  consumeUint16,
  consumeUint32,
  consumeUint64,
} from "./fixed.ts";
export * from "./fixed_le.ts";
export {
  appendFrame,
  beginFrame,
  consumeFrameLen,
  endFrame,
  FrameDecoder,
  type FrameOptions,
} from "./frame.ts";
export {
  DEFAULT_PORT,
  type Handshake,
  MAX_HOST_UNITS,
  NEXT_LOGIN,
  NEXT_STATUS,
  NEXT_TRANSFER,
  parseHandshake,
  parsePing,
  parseStatusRequest,
  parseStatusResponse,
  writeHandshake,
  writePing,
  writeStatusRequest,
  writeStatusResponse,
} from "./handshake.ts";
export * from "./identifier.ts";
export * from "./legacy.ts";
export * from "./limits.ts";
export * from "./login.ts";
export {
  MAX_NBT_DEPTH,
  MAX_NBT_VALUES,
  type NBT,
  NBT_FILE,
  NBT_NETWORK,
  NBTCompound,
  type NBTField,
  type NBTForm,
  NBTList,
  type NBTValue,
  TAG_BYTE,
  TAG_BYTE_ARRAY,
  TAG_COMPOUND,
  TAG_DOUBLE,
  TAG_END,
  TAG_FLOAT,
  TAG_INT,
  TAG_INT_ARRAY,
  TAG_LIST,
  TAG_LONG,
  TAG_LONG_ARRAY,
  TAG_SHORT,
  TAG_STRING,
} from "./nbt.ts";
export { consumeNBT } from "./nbt_decode.ts";
export { appendNBT } from "./nbt_encode.ts";
export { skipNBT } from "./nbt_scan.ts";
export { OutputBuffer } from "./output.ts";
export { appendPosition, consumePosition, type Position, positionFits } from "./position.ts";
export { type Read, Reader, readArray, readOptional } from "./reader.ts";
export * from "./status.ts";
export {
  appendString,
  checkString,
  consumeString,
  consumeStringLossy,
  consumeStringView,
} from "./string.ts";
export { appendUUID, consumeUUID, parseUUID, type UUID, UUID_LEN, uuidString } from "./uuid.ts";
export {
  appendVarInt,
  consumeVarInt,
  consumeVarIntStrict,
  MAX_VARINT_LEN,
  putVarInt,
  sizeVarInt,
} from "./varint.ts";
export * from "./varlong.ts";
export { type Write, Writer, writeArray, writeOptional } from "./writer.ts";
