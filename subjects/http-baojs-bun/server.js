// Bao on Bun.serve. HOST and PORT say where; SIGTERM stops it.
import Bao from "baojs";
import { begin } from "../shared/begin.js";

const app = new Bao();

app.get("/", (ctx) => ctx.sendText("hi"));

app.get("/id/:id", (ctx) =>
  ctx.sendText(`${decodeURIComponent(ctx.params.id)} ${ctx.query.get("name") ?? ""}`, {
    headers: { "x-powered-by": "benchmark" },
  }),
);

app.post("/json", async (ctx) => ctx.sendJson(await ctx.req.json()));

// Malformed JSON, or a malformed escape in the path. Its own handler would report it on stderr.
app.errorHandler = () => new Response("bad request", { status: 400 });

app.listen(begin());
