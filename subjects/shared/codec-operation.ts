/** One kind of work over inputs that are there already. */
export interface Operation {
  /** How many rounds make a pass over all inputs. */
  rounds: number;
  /** Does round number i and returns what it comes to: all that was read, and the end of what was written. */
  round(i: number): number;
  /** Shows everything that the last round wrote or made: NOTHING when it only read numbers. */
  output(): Uint8Array;
}

export const NOTHING = new Uint8Array(0);

/** Returns the outputs of all rounds. */
export function outputsOf(operation: Operation): Uint8Array[] {
  return Array.from({ length: operation.rounds }, (_, i) => {
    operation.round(i);
    return operation.output().slice();
  });
}

// How many inputs there are and how many make a round, as the contract says.

export const VALUES = 1 << 16;
export const VALUES_PER_ROUND = 512;
export const NUMBERS_PER_OPERATION = 1000; // of the high-volume operations
export const SMALLS = 1 << 14;
export const MEDIUMS = 1 << 14;
export const LARGES = 1 << 11;
export const PACKETS_PER_ROUND = 64;
export const LARGES_PER_ROUND = 16;
export const PAYLOAD_BYTES = 256 * 1024; // of all payloads together
export const PAYLOAD_ROUND_BYTES = 16 * 1024;
export const MIXED = 1 << 14;
export const PLAYERS = 1000;
export const PLAYER_ROUNDS = 16;

/** What a round that writes comes to: the length of its output and its last four bytes. */
export function tail(bytes: Uint8Array, length: number): number {
  return (
    (length +
      (((bytes[length - 4] as number) << 24) |
        ((bytes[length - 3] as number) << 16) |
        ((bytes[length - 2] as number) << 8) |
        (bytes[length - 1] as number))) |
    0
  );
}
