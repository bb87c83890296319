// stricjs on Bun.serve. HOST and PORT say where; SIGTERM stops it.
import { Router } from "@stricjs/router";
import { begin } from "../shared/begin.js";

const poweredBy = { headers: { "x-powered-by": "benchmark" } };

const app = new Router()
  .get("/", () => new Response("hi")) // a function: macro("hi") would be a constant, which is other work
  .get("/id/:id", (ctx) => {
    // ctx.query is where the query begins in the URL.
    const name = new URLSearchParams(ctx.url.slice(ctx.query + 1)).get("name") ?? "";
    return new Response(`${decodeURIComponent(ctx.params.id)} ${name}`, poweredBy);
  })
  .post("/json", (ctx) => ctx.data, { body: "json", wrap: "json" })
  .use(404)
  .use(400);

// A malformed escape in the path.
const error = () => new Response("bad request", { status: 400 });

Object.assign(app, begin(), { error }).listen();
