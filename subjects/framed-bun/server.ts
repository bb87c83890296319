// Framed echo on Bun.listen. HOST and PORT say where; SIGTERM stops it.
import type { Socket } from "bun";
import { OutputBuffer } from "../../mpacket/ts/src/index.ts";
import { addressFrom } from "../shared/address.ts";
import { echoFrom } from "../shared/echo.ts";

const newEcho = echoFrom((name) => process.env[name]);

/** What a connection remembers between events. */
class Connection {
  readonly echo = newEcho();
  /** Replies that the kernel did not take yet: unsent.bytes[sent, length). */
  readonly unsent = new OutputBuffer(0);
  sent = 0;
  /** Nothing is read any more; the connection ends when unsent is out. */
  ending = false;
}

// Shared by all connections: it is empty again when an event has been handled.
const output = new OutputBuffer();

/** Writes what output holds. The kernel may take a part only: the rest is kept, and reading stops. */
function flush(socket: Socket<Connection>): void {
  const { unsent } = socket.data;
  if (output.length > 0) {
    const taken = unsent.length > 0 ? 0 : Math.max(0, socket.write(output.bytes, 0, output.length));
    if (taken < output.length) {
      unsent.appendRaw(output.bytes, taken, output.length);
      socket.pause();
    }
    output.clear();
  }
  endWhenSent(socket);
}

function endWhenSent(socket: Socket<Connection>): void {
  const { ending, unsent } = socket.data;
  if (ending && unsent.length === 0) socket.end();
}

const listener = Bun.listen<Connection>({
  ...addressFrom((name) => process.env[name]),
  allowHalfOpen: true, // a client that has sent its FIN still gets the replies that it is owed
  socket: {
    binaryType: "uint8array",
    open(socket) {
      socket.data = new Connection();
      socket.setNoDelay(true);
    },
    data(socket, chunk) {
      const connection = socket.data;
      if (connection.ending) return;
      connection.ending = !connection.echo.answer(chunk, output);
      flush(socket);
    },
    drain(socket) {
      const connection = socket.data;
      const { unsent } = connection;
      if (unsent.length === 0) return;
      connection.sent += Math.max(0, socket.write(unsent.bytes, connection.sent, unsent.length - connection.sent));
      if (connection.sent < unsent.length) return;
      connection.sent = 0;
      unsent.clear();
      socket.resume();
      endWhenSent(socket);
    },
    end(socket) {
      socket.data.ending = true;
      endWhenSent(socket);
    },
    error() {}, // a reset: "close" follows and nothing is owed any more
  },
});

process.on("SIGTERM", () => {
  listener.stop(true);
  process.exit(0);
});
