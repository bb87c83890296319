import { openPacket } from "./handshake.ts";
import { readOptional } from "./reader.ts";
import type { UUID } from "./uuid.ts";
import { type Writer, writeOptional } from "./writer.ts";

/** The limit of the name of a player, in UTF-16 code units. */
export const MAX_NAME_UNITS = 16;
/** The limit of a text component in JSON, in UTF-16 code units. */
export const MAX_TEXT_UNITS = 262_144;

// The versions of the protocol that changed the login start packet.
const PROTOCOL_1_19 = 759; // added an optional signature
const PROTOCOL_1_19_1 = 760; // added an optional UUID
const PROTOCOL_1_20_2 = 764; // made the UUID mandatory

/** The first packet of a client that wants to join, ID 0. */
export interface LoginStart {
  name: string;
  /** All zeros when unknown; sent and read since 1.19.1. */
  id: UUID;
}

/**
 * Writes the packet as a client of that version of the protocol sends it. The signature of 1.19 and 1.19.1
 * is left out, as clients without a Microsoft account do. A name above MAX_NAME_UNITS fails.
 */
export function writeLoginStart(writer: Writer, { name, id }: LoginStart, protocol: number): void {
  writer.writeVarInt(0);
  writer.writeString(name, MAX_NAME_UNITS);
  if (protocol === PROTOCOL_1_19 || protocol === PROTOCOL_1_19_1) writer.writeBool(false);
  if (protocol >= PROTOCOL_1_20_2) {
    writer.writeUUID(id);
  } else if (protocol >= PROTOCOL_1_19_1) {
    const known = (id.a | id.b | id.c | id.d) !== 0;
    writeOptional(writer, known ? id : undefined, (w, value) => w.writeUUID(value));
  }
}

/**
 * Reads the packet of a client that named that version of the protocol in its handshake. A signature is
 * passed over.
 */
export function parseLoginStart(packet: Uint8Array, protocol: number, start = 0, end = packet.length): LoginStart {
  const reader = openPacket(0, packet, start, end);
  const name = reader.readString(MAX_NAME_UNITS);
  if ((protocol === PROTOCOL_1_19 || protocol === PROTOCOL_1_19_1) && reader.readBool()) {
    reader.skip(8); // when the key expires
    reader.skipBytes(); // the key
    reader.skipBytes(); // its signature
  }
  let id: UUID | undefined;
  if (protocol >= PROTOCOL_1_20_2) id = reader.readUUID();
  else if (protocol >= PROTOCOL_1_19_1) id = readOptional(reader, (r) => r.readUUID());
  reader.finish();
  return { name, id: id ?? { a: 0, b: 0, c: 0, d: 0 } };
}

/**
 * Writes the packet that turns a joining client away, ID 0, with a text component in JSON of at most
 * MAX_TEXT_UNITS.
 */
export function writeLoginDisconnect(writer: Writer, reasonJSON: string): void {
  writer.writeVarInt(0);
  writer.writeString(reasonJSON, MAX_TEXT_UNITS);
}

/** Returns the reason as a text component in JSON. */
export function parseLoginDisconnect(packet: Uint8Array, start = 0, end = packet.length): string {
  const reader = openPacket(0, packet, start, end);
  const reasonJSON = reader.readString(MAX_TEXT_UNITS);
  reader.finish();
  return reasonJSON;
}

const SET_COMPRESSION_ID = 3;

/** Writes the packet after which both sides compress, ID 3. */
export function writeSetCompression(writer: Writer, threshold: number): void {
  writer.writeVarInt(SET_COMPRESSION_ID);
  writer.writeVarInt(threshold);
}

/** Returns the threshold in bytes; a negative one turns compression off. */
export function parseSetCompression(packet: Uint8Array, start = 0, end = packet.length): number {
  const reader = openPacket(SET_COMPRESSION_ID, packet, start, end);
  const threshold = reader.readVarInt();
  reader.finish();
  return threshold;
}
