// Koa with its router and body parser. HOST and PORT say where; SIGTERM stops it.
import Router from "@koa/router";
import Koa from "koa";
import bodyParser from "koa-bodyparser";
import { begin } from "../shared/begin.js";

const router = new Router();

router.get("/", (ctx) => {
  ctx.body = "hi";
});

router.get("/id/:id", (ctx) => {
  ctx.set("x-powered-by", "benchmark");
  ctx.body = `${ctx.params.id} ${ctx.query.name ?? ""}`;
});

router.post("/json", bodyParser({ enableTypes: ["json"] }), (ctx) => {
  ctx.body = ctx.request.body;
});

const app = new Koa();
app.silent = true; // it would report malformed JSON on stderr
app.use(router.routes());

const { hostname, port } = begin();
app.listen(port, hostname);
