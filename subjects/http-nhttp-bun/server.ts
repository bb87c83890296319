// NHttp on Bun.serve. HOST and PORT say where; SIGTERM stops it.
import { nhttp } from "nhttp-land";
import { begin } from "../shared/begin.js";

const address = begin();

// Its own parser leaves plus signs as they are; parseQuery is its option for another.
const app = nhttp({ parseQuery: (query: string) => Object.fromEntries(new URLSearchParams(query)) });

app.get("/", ({ response }) => response.type("text/plain").send("hi"));

app.get("/id/:id", ({ params, query, response }) => {
  response.header("x-powered-by", "benchmark");
  return response.type("text/plain").send(`${params.id} ${query.name ?? ""}`);
});

app.post("/json", ({ body }) => body);

app.onError((error, { response }) => {
  // JSON.parse throws a SyntaxError; all else has a status.
  return response.status(error instanceof SyntaxError ? 400 : (error.status ?? 500)).send(error.message);
});

Bun.serve({ ...address, fetch: app.handle });
