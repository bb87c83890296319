// npm protodef alone, compiled, with a protocol of just these packets.

import { Buffer } from "node:buffer";
import protodef from "protodef";
import { CHAT_ID, type Chat, chats, MOVE_ID, type Move, moves } from "./inputs.ts";
import { Digest, keep, type Op, ownLoop } from "./turns.ts";

const compiler = new protodef.Compiler.ProtoDefCompiler();
compiler.addTypesToCompile({
  string: ["pstring", { countType: "varint" }],
  move: [
    "container",
    [
      { name: "id", type: "varint" },
      { name: "entityId", type: "varint" },
      { name: "dX", type: "i16" },
      { name: "dY", type: "i16" },
      { name: "dZ", type: "i16" },
      { name: "onGround", type: "bool" },
    ],
  ],
  chat: [
    "container",
    [
      { name: "id", type: "varint" },
      { name: "message", type: "string" },
      { name: "position", type: "i8" },
      { name: "sender", type: ["buffer", { count: 16 }] },
    ],
  ],
});
const proto = compiler.compileProtoDefSync();

function operations<T extends object>(name: string, list: T[], key: (p: T) => number): Op[] {
  const packets: Uint8Array[] = list.map((p) => proto.createPacketBuffer(name, p));
  const decode = (bytes: Uint8Array): T => proto.parsePacketBuffer(name, bytes).data;
  return [
    {
      name: `write ${name}`,
      run: ownLoop("keep(proto.createPacketBuffer(name, list[next]))", { keep, proto, name, list }),
      sum() {
        const digest = new Digest();
        for (const p of list.slice(0, 100)) digest.bytes(proto.createPacketBuffer(name, p));
        return digest.value;
      },
    },
    {
      name: `read ${name}`,
      run: ownLoop("keep(proto.parsePacketBuffer(name, packets[next]).data)", { keep, proto, name, packets }),
      sum() {
        const digest = new Digest();
        for (const bytes of packets.slice(0, 100)) digest.number(key(decode(bytes)));
        return digest.value;
      },
    },
  ];
}

const ownMoves = moves.map((p) => ({ id: MOVE_ID, ...p }));
const ownChats = chats.map((p) => ({ id: CHAT_ID, ...p, sender: Buffer.from(p.sender.replaceAll("-", ""), "hex") }));

export const ops: Op[] = [
  ...operations("move", ownMoves, (p: Move) => p.entityId + p.dX + p.dY + p.dZ + Number(p.onGround)),
  ...operations("chat", ownChats, (p: Omit<Chat, "sender">) => p.message.length + p.position),
];
