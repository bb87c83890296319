// The TypeScript twin of mpacket, as the framed subjects use it: one Writer, one Reader, spans and parts.

import { Buffer } from "node:buffer";
import { FrameDecoder, OutputBuffer, parseUUID, Reader, type UUID, Writer } from "../../../mpacket/ts/src/index.ts";
import { BLOCK_ID, type Block, blocks, CHAT_ID, type Chat, chats, following, MOVE_ID, type Move, moves, PART, payloads } from "./inputs.ts";
import { Digest, keep, type Op, ownLoop } from "./turns.ts";

const writer = new Writer();

function writeMove(p: Move): void {
  writer.writeVarInt(MOVE_ID);
  writer.writeVarInt(p.entityId);
  writer.writeInt16(p.dX);
  writer.writeInt16(p.dY);
  writer.writeInt16(p.dZ);
  writer.writeBool(p.onGround);
}

/** A chat with its UUID as mpacket has it. */
interface OwnChat extends Chat {
  id: UUID;
}

const ownChats: OwnChat[] = chats.map((chat) => ({ ...chat, id: parseUUID(chat.sender) }));

function writeChat(p: OwnChat): void {
  writer.writeVarInt(CHAT_ID);
  writer.writeString(p.message);
  writer.writeInt8(p.position);
  writer.writeUUID(p.id);
}

function writeBlock(p: Block): void {
  writer.writeVarInt(BLOCK_ID);
  writer.writePosition(p.location);
  writer.writeVarInt(p.type);
}

function writing<T>(name: string, list: T[], write: (p: T) => void): Op {
  return {
    name: `write ${name}`,
    run: ownLoop("if (i % PART === 0) writer.clear(); write(list[next])", { writer, write, list, PART }),
    sum() {
      const digest = new Digest();
      for (const p of list.slice(0, 100)) {
        writer.clear();
        write(p);
        digest.bytes(writer.content);
      }
      return digest.value;
    },
  };
}

const reader = new Reader();

/** Reads the packet chunk[start, end) into an object that is made for it, as the peers do. */
type Read<T> = (chunk: Uint8Array, start: number, end: number) => T;

const readMove: Read<Move> = (chunk, start, end) => {
  reader.reset(chunk, start, end);
  reader.readVarInt();
  const packet = {
    entityId: reader.readVarInt(),
    dX: reader.readInt16(),
    dY: reader.readInt16(),
    dZ: reader.readInt16(),
    onGround: reader.readBool(),
  };
  reader.finish();
  return packet;
};

const readChat: Read<Omit<OwnChat, "sender">> = (chunk, start, end) => {
  reader.reset(chunk, start, end);
  reader.readVarInt();
  const packet = { message: reader.readString(), position: reader.readInt8(), id: reader.readUUID() };
  reader.finish();
  return packet;
};

const readBlock: Read<Block> = (chunk, start, end) => {
  reader.reset(chunk, start, end);
  reader.readVarInt();
  const packet = { location: reader.readPosition(), type: reader.readVarInt() };
  reader.finish();
  return packet;
};

/** The packets lie in one chunk, as a FrameDecoder shows them. */
function reading<P, T>(name: string, list: P[], write: (p: P) => void, read: Read<T>, key: (p: T) => number): Op {
  const ends: number[] = [0];
  writer.clear();
  for (const p of list) {
    write(p);
    ends.push(writer.length);
  }
  const chunk = writer.content.slice();
  return {
    name: `read ${name}`,
    run: ownLoop("keep(read(chunk, ends[next], ends[next + 1]))", { keep, read, chunk, ends }),
    sum() {
      const digest = new Digest();
      for (let i = 0; i < 100; i++) digest.number(key(read(chunk, ends[i] as number, ends[i + 1] as number)));
      return digest.value;
    },
  };
}

function framing(): Op {
  const out = new OutputBuffer();
  let next = 0;
  return {
    name: "frame 64 B",
    run(n) {
      for (let i = 0; i < n; i++) {
        if (i % PART === 0) out.clear();
        out.appendFrame(payloads[next] as Uint8Array);
        next = following(next);
      }
      return out.length;
    },
    sum() {
      const digest = new Digest();
      for (const payload of payloads.slice(0, 100)) {
        out.clear();
        out.appendFrame(payload);
        digest.bytes(out.content);
      }
      return digest.value;
    },
  };
}

function unframing(): Op {
  const out = new OutputBuffer();
  for (const payload of payloads.slice(0, PART)) out.appendFrame(payload);
  const chunk = out.content.slice();
  const decoder = new FrameDecoder();
  return {
    name: "take apart 64 B",
    run(n) {
      let sum = 0;
      for (let i = 0; i < n; i += PART) {
        decoder.push(chunk);
        while (decoder.next()) sum += decoder.bytes[decoder.end - 1] as number;
      }
      return sum;
    },
    sum() {
      const digest = new Digest();
      decoder.push(chunk);
      while (decoder.next()) digest.bytes(decoder.bytes.subarray(decoder.start, decoder.end));
      return digest.value;
    },
  };
}

// What no codec can save stands beside: the runtime's quickest way to make a text of its bytes, and to copy.

/** Makes the texts of the chats of bytes that are known to be right. */
function textAlone(): Op {
  const bytes = Buffer.from(chats.map((chat) => chat.message).join("")) as Buffer & { utf8Slice(start: number, end: number): string };
  let next = 0;
  let start = 0;
  return {
    name: "text alone",
    run(n) {
      for (let i = 0; i < n; i++) {
        const end = start + (chats[next] as Chat).message.length; // ASCII
        keep(bytes.utf8Slice(start, end));
        next = following(next);
        start = next === 0 ? 0 : end;
      }
      return n;
    },
    sum: () => 0n,
  };
}

function copyAlone(): Op {
  const memory = new Uint8Array(PART * 64);
  let next = 0;
  return {
    name: "copy 64 B",
    run(n) {
      for (let i = 0; i < n; i++) {
        memory.set(payloads[next] as Uint8Array, (i % PART) * 64);
        next = following(next);
      }
      return memory[0] as number;
    },
    sum: () => 0n,
  };
}

export const ops: Op[] = [
  writing("move", moves, writeMove),
  writing("chat", ownChats, writeChat),
  writing("block", blocks, writeBlock),
  reading("move", moves, writeMove, readMove, (p) => p.entityId + p.dX + p.dY + p.dZ + Number(p.onGround)),
  reading("chat", ownChats, writeChat, readChat, (p) => p.message.length + p.position),
  reading("block", blocks, writeBlock, readBlock, (p) => p.location.x + p.location.y + p.location.z + p.type),
  framing(),
  unframing(),
  textAlone(),
  copyAlone(),
];
