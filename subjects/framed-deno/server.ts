// Framed echo on Deno.listen. HOST and PORT say where; SIGTERM stops it.
import { OutputBuffer } from "../../mpacket/ts/src/index.ts";
import { addressFrom } from "../shared/address.ts";
import { echoFrom } from "../shared/echo.ts";

const newEcho = echoFrom((name) => Deno.env.get(name));

const READ_BYTES = 64 * 1024;

/** Writes all of content; a write may take a part only. */
async function writeAll(connection: Deno.TcpConn, content: Uint8Array): Promise<void> {
  let written = await connection.write(content);
  while (written < content.length) written += await connection.write(content.subarray(written));
}

/** Answers one connection until its FIN. Not reading while it writes is the backpressure. */
async function serve(connection: Deno.TcpConn): Promise<void> {
  const echo = newEcho();
  const input = new Uint8Array(READ_BYTES);
  const output = new OutputBuffer();
  try {
    connection.setNoDelay(true);
    for (let ok = true; ok; ) {
      const count = await connection.read(input);
      if (count === null) break;
      ok = echo.answer(input.subarray(0, count), output);
      if (output.length > 0) await writeAll(connection, output.content);
      output.clear();
    }
  } catch {
    // A reset: nothing is owed any more.
  } finally {
    connection.close();
  }
}

const listener = Deno.listen(addressFrom((name) => Deno.env.get(name)));

Deno.addSignalListener("SIGTERM", () => {
  listener.close();
  Deno.exit(0);
});

for (;;) {
  try {
    serve(await listener.accept());
  } catch (error) {
    // A client that resets before it was accepted fails accept, and would end a for-await loop.
    if (!(error instanceof Deno.errors.NotConnected)) throw error;
  }
}
