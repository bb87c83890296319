// hyperbun on Bun.serve. HOST and PORT say where; SIGTERM stops it.
import { createServer } from "hyperbun";
import { begin } from "../shared/begin.js";

const app = createServer();

app.get("/", () => "hi");

app.get(
  "/id/:id",
  (_request, { params, query }) =>
    new Response(`${decodeURIComponent(params.id)} ${query.name ?? ""}`, { headers: { "x-powered-by": "benchmark" } }),
);

app.post("/json", (request) => request.json());

app.listen({
  ...begin(),
  error: () => new Response("bad request", { status: 400 }), // malformed JSON, or a malformed escape in the path
});
