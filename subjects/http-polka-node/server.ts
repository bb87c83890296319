// polka, a router on node:http; parsing and sending are node's. HOST and PORT say where; SIGTERM stops it.
import type { ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import polka from "polka";
import { begin } from "../shared/begin.js";

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.statusCode = status;
  response.setHeader("Content-Type", type);
  response.end(body);
}

const { hostname, port } = begin();

polka()
  .get("/", (_request, response) => send(response, 200, "text/plain", "hi"))
  .get("/id/:id", (request, response) => {
    try {
      const body = `${decodeURIComponent(String(request.params.id))} ${request.query.name ?? ""}`;
      response.setHeader("x-powered-by", "benchmark");
      send(response, 200, "text/plain", body);
    } catch {
      send(response, 400, "text/plain", "malformed escape in the path"); // polka would let the process die
    }
  })
  .post("/json", async (request, response) => {
    try {
      send(response, 200, "application/json", JSON.stringify(await json(request)));
    } catch {
      send(response, 400, "text/plain", "malformed JSON");
    }
  })
  .listen({ port, host: hostname });
