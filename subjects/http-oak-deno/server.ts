// oak on Deno.serve. HOST and PORT say where; SIGTERM stops it.
import { Application, Router } from "@oakserver/oak";
import { begin } from "../shared/begin.js";

const router = new Router();

router.get("/", (ctx) => {
  ctx.response.body = "hi";
});

router.get("/id/:id", (ctx) => {
  ctx.response.headers.set("x-powered-by", "benchmark");
  ctx.response.body = `${ctx.params.id} ${ctx.request.url.searchParams.get("name") ?? ""}`;
});

router.post("/json", async (ctx) => {
  ctx.response.body = await ctx.request.body.json();
});

const app = new Application({ logErrors: false }); // it would report malformed JSON on stderr
app.use(router.routes());
await app.listen(begin());
