import { isDeepStrictEqual } from "node:util";
import * as m from "../src/index.ts";
import { type Blob, bytesOf, expect, expectBytes, kindOf } from "./notation.ts";

/** A case of packets.json. */
export interface PacketCase {
  name: string;
  packet: string;
  hex: Blob;
  value?: unknown;
  error?: string;
  protocol?: number;
  reads?: boolean;
  writes?: boolean;
}

/** How one packet is parsed to its fields and written. */
interface PacketCodec {
  parse(packet: Uint8Array, start: number, end: number, protocol: number): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: each packet knows the fields of its own vectors
  write(writer: m.Writer, value: any, protocol: number): void;
}

function json(
  parse: (packet: Uint8Array, start: number, end: number) => string,
  write: (writer: m.Writer, json: string) => void,
): PacketCodec {
  return { parse: (b, start, end) => ({ json: parse(b, start, end) }), write: (w, value) => write(w, value.json) };
}

/** The codecs of all packets. */
export const PACKETS: Record<string, PacketCodec> = {
  handshake: { parse: m.parseHandshake, write: m.writeHandshake },
  "status-request": {
    parse: (b, start, end) => {
      m.parseStatusRequest(b, start, end);
      return {};
    },
    write: m.writeStatusRequest,
  },
  "status-response": json(m.parseStatusResponse, m.writeStatusResponse),
  "login-disconnect": json(m.parseLoginDisconnect, m.writeLoginDisconnect),
  ping: {
    parse: (b, start, end) => ({ payload: String(m.parsePing(b, start, end)) }),
    write: (w, { payload }) => m.writePing(w, BigInt(payload)),
  },
  "login-start": {
    parse: (b, start, end, protocol) => {
      const { name, id } = m.parseLoginStart(b, protocol, start, end);
      return { name, id: m.uuidString(id) };
    },
    write: (w, { name, id }, protocol) => m.writeLoginStart(w, { name, id: m.parseUUID(id) }, protocol),
  },
  "set-compression": {
    parse: (b, start, end) => ({ threshold: m.parseSetCompression(b, start, end) }),
    write: (w, { threshold }) => m.writeSetCompression(w, threshold),
  },
  "legacy-ping": {
    parse: () => undefined,
    write: (w, { host, port }) => m.writeLegacyPing(w, host, port),
  },
  "legacy-status": {
    parse: (b, start, end) => {
      const got = new m.Consumed();
      const status = m.consumeLegacyStatus(got, b, start, end);
      const error = m.parseError(got.n);
      if (error !== undefined) throw error;
      return status;
    },
    write: m.writeLegacyStatus,
  },
};

/** Checks that a packet is parsed and written as the case says. */
export function checkPacket(c: PacketCase): void {
  const codec = PACKETS[c.packet];
  expect(codec !== undefined, () => `unknown packet ${c.packet}`);
  const hex = bytesOf(c.hex);
  if (!c.writes) {
    const surrounded = Uint8Array.from([3, ...hex, 4, 4]);
    let value: unknown;
    const kind = kindOf(() => {
      value = codec.parse(surrounded, 1, 1 + hex.length, c.protocol ?? 0);
    });
    expect(kind === (c.error ?? ""), () => `parsing gives error ${kind}, want ${c.error}`);
    const same = c.error !== undefined || isDeepStrictEqual(value, c.value);
    expect(same, () => `parsed ${JSON.stringify(value)}, want ${JSON.stringify(c.value)}`);
  }
  if (c.error !== undefined || c.reads) return;
  const writer = new m.Writer(0);
  codec.write(writer, c.value, c.protocol ?? 0);
  expectBytes(writer.content, hex, "what is written");
}
