import { FrameDecoder, MpacketError, type OutputBuffer } from "../../mpacket/ts/src/index.ts";

/**
 * Echo is the work of a framed subject on one connection: every frame is decoded and its payload
 * encoded anew, so that a padded length comes back minimal. It knows bytes and no sockets; the
 * servers of all runtimes share it, so that they differ only where the runtimes do.
 */
export class Echo {
  private readonly decoder = new FrameDecoder();

  /**
   * Appends the replies that chunk completes to output. The chunk may be reused afterwards. Returns
   * false when the client sent a hostile length: the replies so far are owed, then the connection
   * must be closed.
   */
  answer(chunk: Uint8Array, output: OutputBuffer): boolean {
    const decoder = this.decoder;
    try {
      decoder.push(chunk);
      while (decoder.next()) output.appendFrame(decoder.bytes, decoder.start, decoder.end);
      return true;
    } catch (error) {
      if (error instanceof MpacketError) return false;
      throw error;
    }
  }
}

/**
 * RawEcho sends every byte back and does not look at frames: the baseline that shows what the work of
 * Echo costs. It fills the same output, so that nothing else differs.
 */
export class RawEcho {
  answer(chunk: Uint8Array, output: OutputBuffer): boolean {
    output.appendRaw(chunk, 0, chunk.length);
    return true;
  }
}

/** Returns what makes the echo of a connection: raw when the variable ECHO says so. */
export function echoFrom(variable: (name: string) => string | undefined): () => Echo | RawEcho {
  return variable("ECHO") === "raw" ? () => new RawEcho() : () => new Echo();
}
