// Framed echo on node:net. HOST and PORT say where; SIGTERM stops it.
import { createServer, type Socket } from "node:net";
import { OutputBuffer } from "../../mpacket/ts/src/index.ts";
import { addressFrom } from "../shared/address.ts";
import { echoFrom } from "../shared/echo.ts";

const newEcho = echoFrom((name) => process.env[name]);

const { hostname, port } = addressFrom((name) => process.env[name]);

// Shared by all connections: it is empty again, or given away, when an event has been handled.
let output = new OutputBuffer();

/** Writes what output holds. Reading stops until a client that falls behind has caught up. */
function flush(socket: Socket): void {
  if (output.length === 0) return;
  const idle = socket.writableLength === 0;
  const keepsUp = socket.write(idle ? output.content : output.content.slice());
  if (idle && socket.writableLength > 0) {
    output = new OutputBuffer(); // the kernel took a part only, so Node still reads from the old one
  } else {
    output.clear();
  }
  if (!keepsUp) socket.pause();
}

function serve(socket: Socket): void {
  const echo = newEcho();
  socket.on("data", (chunk) => {
    const ok = echo.answer(chunk, output);
    flush(socket);
    if (!ok) socket.destroySoon(); // what is owed goes out first
  });
  socket.on("drain", () => socket.resume());
  socket.on("end", () => socket.end());
  socket.on("error", () => {}); // a reset: "close" follows and nothing is owed any more
}

// Half-open: a client that has sent its FIN still gets the replies that it is owed.
const server = createServer({ allowHalfOpen: true, noDelay: true }, serve);
server.listen(port, hostname);

process.on("SIGTERM", () => {
  server.close();
  process.exit(0);
});
