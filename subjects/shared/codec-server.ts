// The server of the codec subjects on every runtime: node:net, because sockets are no part of what they
// measure. HOST and PORT say where it listens; SIGTERM stops it.
import { createServer, type Socket } from "node:net";
import process from "node:process";
import { setImmediate } from "node:timers/promises";
import { FrameDecoder, OutputBuffer } from "../../mpacket/ts/src/index.ts";
import { addressFrom } from "./address.ts";
import { Bench } from "./codec-bench.ts";

const bench = new Bench(); // one job after the other, whatever connection they come from

/** Answers one connection until its FIN. What is no request ends it: next throws, or answer says so. */
async function serve(socket: Socket): Promise<void> {
  const decoder = new FrameDecoder();
  const out = new OutputBuffer();
  for await (const chunk of socket) {
    decoder.push(chunk);
    while (decoder.next()) {
      out.clear();
      if (!bench.answer(decoder.bytes, decoder.start, decoder.end, out)) return;
      await new Promise((sent) => socket.write(out.content.slice(), sent));
      await setImmediate(); // a job keeps the thread busy: others come in between
    }
  }
  socket.end();
}

/** Listens until SIGTERM. */
export function main(): void {
  const { hostname, port } = addressFrom((name) => process.env[name]);
  // Half-open: a client that has sent its FIN still gets the replies that it is owed.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    socket.on("error", () => {}); // a reset
    serve(socket).catch(() => socket.destroy());
  });
  server.listen(port, hostname);
  process.on("SIGTERM", () => process.exit(0));
}
