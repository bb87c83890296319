// npm minecraft-protocol: its serializer and deserializer of Minecraft 1.16.5, which protodef compiles, and
// its framing. What would be called by streams is called directly, which spares it the cost of streams.

import minecraft from "minecraft-protocol";
// @ts-expect-error: an inner module without types
import framingModule from "minecraft-protocol/src/transforms/framing.js";
import { Buffer } from "node:buffer";
import { type Block, blocks, type Chat, chats, following, type Move, moves, PART, payloads } from "./inputs.ts";
import { Digest, keep, type Op, ownLoop } from "./turns.ts";

const options = { state: minecraft.states.PLAY, version: "1.16.5", customPackets: {}, noErrorLogging: true };
// @ts-expect-error: the types leave out the inherited methods
const serializer = minecraft.createSerializer({ ...options, isServer: true });
// @ts-expect-error: as above
const deserializer = minecraft.createDeserializer({ ...options, isServer: false });

function writing<T>(name: string, packet: string, list: T[]): Op {
  const packets = list.map((params) => ({ name: packet, params }));
  return {
    name: `write ${name}`,
    run: ownLoop("keep(serializer.createPacketBuffer(packets[next]))", { keep, serializer, packets }),
    sum() {
      const digest = new Digest();
      for (const p of packets.slice(0, 100)) digest.bytes(serializer.createPacketBuffer(p));
      return digest.value;
    },
  };
}

function reading<T>(name: string, packet: string, list: T[], key: (params: T) => number): Op {
  const packets = list.map((params) => serializer.createPacketBuffer({ name: packet, params }));
  const decode = (bytes: Uint8Array): T => deserializer.parsePacketBuffer(bytes).data.params;
  return {
    name: `read ${name}`,
    run: ownLoop("keep(deserializer.parsePacketBuffer(packets[next]).data.params)", { keep, deserializer, packets }),
    sum() {
      const digest = new Digest();
      for (const bytes of packets.slice(0, 100)) digest.number(key(decode(bytes)));
      return digest.value;
    },
  };
}

/** Calls a transform of minecraft-protocol directly; take gets what it pushes. */
function direct(transform: { push: unknown; _transform: (...args: unknown[]) => void }, take: (bytes: Uint8Array) => void) {
  transform.push = take;
  return (bytes: Uint8Array) => transform._transform(bytes, "buffer", () => {});
}

function framing(): Op {
  const own = payloads.map((payload) => Buffer.from(payload));
  let total = 0;
  const frame = direct(framingModule.createFramer(), (bytes) => {
    total += bytes.length;
  });
  let next = 0;
  return {
    name: "frame 64 B",
    run(n) {
      for (let i = 0; i < n; i++) {
        frame(own[next] as Uint8Array);
        next = following(next);
      }
      return total;
    },
    sum() {
      const digest = new Digest();
      const checked = direct(framingModule.createFramer(), (bytes) => digest.bytes(bytes));
      for (const payload of own.slice(0, 100)) checked(payload);
      return digest.value;
    },
  };
}

function unframing(): Op {
  const parts: Uint8Array[] = [];
  const frame = direct(framingModule.createFramer(), (bytes) => parts.push(bytes));
  for (const payload of payloads.slice(0, PART)) frame(Buffer.from(payload));
  const chunk = Buffer.concat(parts);
  let sum = 0;
  const split = direct(framingModule.createSplitter(), (bytes) => {
    sum += bytes[bytes.length - 1] as number;
  });
  return {
    name: "take apart 64 B",
    run(n) {
      for (let i = 0; i < n; i += PART) split(chunk);
      return sum;
    },
    sum() {
      const digest = new Digest();
      direct(framingModule.createSplitter(), (bytes) => digest.bytes(bytes))(chunk);
      return digest.value;
    },
  };
}

export const ops: Op[] = [
  writing("move", "rel_entity_move", moves),
  writing("chat", "chat", chats),
  writing("block", "block_change", blocks),
  reading("move", "rel_entity_move", moves, (p: Move) => p.entityId + p.dX + p.dY + p.dZ + Number(p.onGround)),
  reading("chat", "chat", chats, (p: Chat) => p.message.length + p.position),
  reading("block", "block_change", blocks, (p: Block) => p.location.x + p.location.y + p.location.z + p.type),
  framing(),
  unframing(),
];
