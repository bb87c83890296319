import { ERR_BAD_PACKET } from "./error.ts";
import { Reader } from "./reader.ts";
import type { Writer } from "./writer.ts";

// The packets that open a connection of the Minecraft Java protocol, without their frames. Each has a
// write function for its ID and fields, whose errors stick in the Writer, and a parse function that
// throws an MpacketError for any other ID (bad-packet) and for left-over bytes (trailing).

/** The limit of the host in a handshake, in UTF-16 code units. */
export const MAX_HOST_UNITS = 255;
/** Where servers listen unless told otherwise. */
export const DEFAULT_PORT = 25_565;

// What a client wants from a connection.
export const NEXT_STATUS = 1;
export const NEXT_LOGIN = 2;
/** A login by a client that another server sent, since 1.20.5. */
export const NEXT_TRANSFER = 3;

/** The first packet of a connection, ID 0. */
export interface Handshake {
  /** Version of the protocol; -1 by custom for a mere ping. */
  protocol: number;
  host: string;
  port: number;
  /** NEXT_STATUS, NEXT_LOGIN or NEXT_TRANSFER. */
  next: number;
}

/** Writes the packet. A host that is too long fails. */
export function writeHandshake(writer: Writer, { protocol, host, port, next }: Handshake): void {
  writer.writeVarInt(0);
  writer.writeVarInt(protocol);
  writer.writeString(host, MAX_HOST_UNITS);
  writer.writeUint16(port);
  writer.writeVarInt(next);
}

/** Reads packet[start, end). A next state other than the three fails as bad-packet. */
export function parseHandshake(packet: Uint8Array, start = 0, end = packet.length): Handshake {
  const reader = openPacket(0, packet, start, end);
  const protocol = reader.readVarInt();
  const host = reader.readString(MAX_HOST_UNITS);
  const port = reader.readUint16();
  const next = reader.readVarInt();
  if (next < NEXT_STATUS || next > NEXT_TRANSFER) reader.fail(ERR_BAD_PACKET, "next state");
  reader.finish();
  return { protocol, host, port, next };
}

/** Returns a Reader past the packet ID, failed when that is another one. */
export function openPacket(id: number, packet: Uint8Array, start: number, end: number): Reader {
  const reader = new Reader(packet, start, end);
  if (reader.readVarInt() !== id && reader.error === undefined) {
    reader.reset(packet, start, end);
    reader.fail(ERR_BAD_PACKET, "packet ID");
  }
  return reader;
}

/** Writes the packet that asks for a status response, ID 0. */
export function writeStatusRequest(writer: Writer): void {
  writer.writeVarInt(0);
}

/** Checks that packet[start, end) is a status request. */
export function parseStatusRequest(packet: Uint8Array, start = 0, end = packet.length): void {
  openPacket(0, packet, start, end).finish();
}

/** Writes the answer to a status request, ID 0: a Status as JSON of at most MAX_STRING_UNITS. */
export function writeStatusResponse(writer: Writer, json: string): void {
  writer.writeVarInt(0);
  writer.writeString(json);
}

/** Returns the JSON in the answer to a status request. */
export function parseStatusResponse(packet: Uint8Array, start = 0, end = packet.length): string {
  const reader = openPacket(0, packet, start, end);
  const json = reader.readString();
  reader.finish();
  return json;
}

/** Writes a ping or the pong that answers it, ID 1: any signed 64-bit number, sent back as it came. */
export function writePing(writer: Writer, payload: bigint): void {
  writer.writeVarInt(1);
  writer.writeInt64(payload);
}

/** Returns the number in a ping or a pong. */
export function parsePing(packet: Uint8Array, start = 0, end = packet.length): bigint {
  const reader = openPacket(1, packet, start, end);
  const payload = reader.readInt64();
  reader.finish();
  return payload;
}
