// Elysia on Bun.serve. HOST and PORT say where; SIGTERM stops it.
import { Elysia } from "elysia";
import { begin } from "../shared/begin.js";

new Elysia()
  .get("/", () => "hi") // a function: a constant would be a static route, which is other work
  .get("/id/:id", ({ params, query, set }) => {
    set.headers["x-powered-by"] = "benchmark";
    return `${params.id} ${query.name ?? ""}`;
  })
  .post("/json", ({ body }) => body)
  .listen(begin());
