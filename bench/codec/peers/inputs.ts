// The packets of every side: three of Minecraft 1.16.5, from server to client.

/** rel_entity_move: an entity moves a little. */
export interface Move {
  entityId: number;
  dX: number;
  dY: number;
  dZ: number;
  onGround: boolean;
}

/** chat: a line of text from a player. */
export interface Chat {
  message: string;
  position: number;
  sender: string; // UUID
}

/** block_change: a block becomes another. */
export interface Block {
  location: { x: number; y: number; z: number };
  type: number;
}

/** The IDs of these packets in 1.16.5. */
export const MOVE_ID = 0x27;
export const CHAT_ID = 0x0e;
export const BLOCK_ID = 0x0b;

/** How many packets of each kind there are: so many that no branch predictor learns them. */
export const COUNT = 4096;
/** Packets that are written before a buffer is used anew. */
export const PART = 64;

/** Returns the index after one of the COUNT packets. A remainder would take longer than some of what is measured. */
export function following(index: number): number {
  return index + 1 === COUNT ? 0 : index + 1;
}

/** Returns whole numbers in [0, limit), the same in every process. */
function randomFrom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
}

const random = randomFrom(0x6d706b74);

function listOf<T>(make: () => T): T[] {
  return Array.from({ length: COUNT }, make);
}

const small = () => random(0x1_0000) - 0x8000;
const digits = (count: number) => Array.from({ length: count }, () => random(16).toString(16)).join("");
const word = () => String.fromCharCode(...Array.from({ length: 2 + random(9) }, () => 97 + random(26)));

export const moves: Move[] = listOf(() => ({
  entityId: random(0x20_0000) >>> random(20),
  dX: small(),
  dY: small(),
  dZ: small(),
  onGround: random(2) === 1,
}));

export const chats: Chat[] = listOf(() => ({
  message: `{"text":"${Array.from({ length: 1 + random(8) }, word).join(" ")}"}`,
  position: random(3),
  sender: [8, 4, 4, 4, 12].map(digits).join("-"),
}));

export const blocks: Block[] = listOf(() => ({
  location: { x: random(1 << 26) - (1 << 25), y: random(256), z: random(1 << 26) - (1 << 25) },
  type: random(1 << 14) >>> random(12),
}));

/** Payloads of 64 bytes to frame; the first is a packet ID. */
export const payloads: Uint8Array[] = listOf(() => Uint8Array.from({ length: 64 }, (_, i) => random(i === 0 ? 128 : 256)));
