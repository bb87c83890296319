// µWebSockets.js. HOST and PORT say where; SIGTERM stops it.
import uws from "uWebSockets.js";
import { begin } from "../shared/begin.js";

/**
 * Answers with what was parsed, in one packet.
 * @param {import("uWebSockets.js").HttpResponse} response
 */
function mirror(response) {
  let body = Buffer.alloc(0);
  let aborted = false;
  response.onAborted(() => {
    aborted = true;
  });
  response.onData((chunk, isLast) => {
    body = Buffer.concat([body, Buffer.from(chunk)]); // a copy: the chunk is gone after this call
    if (!isLast || aborted) return;
    let reply;
    try {
      reply = JSON.stringify(JSON.parse(body.toString()));
    } catch {
      response.cork(() => response.writeStatus("400 Bad Request").end("malformed JSON"));
      return;
    }
    response.cork(() => response.writeHeader("content-type", "application/json").end(reply));
  });
}

const { hostname, port } = begin();

uws
  .App()
  .get("/", (response) => {
    response.writeHeader("content-type", "text/plain").end("hi");
  })
  .get("/id/:id", (response, request) => {
    const name = new URLSearchParams(request.getQuery()).get("name") ?? "";
    let id;
    try {
      id = decodeURIComponent(request.getParameter(0));
    } catch {
      response.writeStatus("400 Bad Request").end("malformed escape in the path");
      return;
    }
    response.writeHeader("x-powered-by", "benchmark").writeHeader("content-type", "text/plain").end(`${id} ${name}`);
  })
  .post("/json", mirror)
  .any("/*", (response) => {
    response.writeStatus("404 Not Found").end("not found");
  })
  .listen(hostname, port, (socket) => {
    if (!socket) throw new Error(`cannot listen on ${hostname}:${port}; choose a free PORT`);
  });
