/**
 * mpacket reads and writes packets: VarInt and length-prefixed frames, byte for byte as the Go
 * package of the same name does. It works on Uint8Array alone, so it runs unchanged on Node, Deno
 * and Bun; it opens no socket, reads no file and depends on nothing.
 *
 * @module
 */
export { type Kind, MpacketError } from "./error.ts";
export { FrameDecoder, type FrameOptions, MAX_FRAME_HEADER_LENGTH, MAX_FRAME_LENGTH } from "./frame.ts";
export { OutputBuffer } from "./output.ts";
export { MAX_VARINT_LENGTH, measureVarInt, putVarInt, readVarInt, varIntLength } from "./varint.ts";
