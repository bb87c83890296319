// hapi. HOST and PORT say where; SIGTERM stops it.
import { server as createServer } from "@hapi/hapi";
import { begin } from "../shared/begin.js";

const { hostname, port } = begin();
const server = createServer({ host: hostname, port });

server.route([
  {
    method: "GET",
    path: "/",
    handler: (_request, h) => h.response("hi").type("text/plain"),
  },
  {
    method: "GET",
    path: "/id/{id}",
    handler: ({ params, query }, h) =>
      h
        .response(`${params.id} ${query.name ?? ""}`)
        .type("text/plain")
        .header("x-powered-by", "benchmark"),
  },
  {
    method: "POST",
    path: "/json",
    handler: (request, h) => h.response(request.payload),
  },
]);

await server.start();
