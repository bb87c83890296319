// Elysia on node:http. HOST and PORT say where; SIGTERM stops it.
import { node } from "@elysiajs/node";
import { Elysia } from "elysia";
import { begin } from "../shared/begin.js";

new Elysia({ adapter: node() })
  .get("/", () => "hi")
  .get("/id/:id", ({ params, query, set }) => {
    set.headers["x-powered-by"] = "benchmark";
    return `${params.id} ${query.name ?? ""}`;
  })
  .post("/json", ({ body }) => body)
  .listen(begin());
