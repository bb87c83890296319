// fast on Deno.serve. HOST and PORT say where; SIGTERM stops it.
import fast from "https://deno.land/x/fast@6.0.0-alpha.1/mod.ts";
import { begin } from "../shared/begin.js";

const app = fast();

app.get("/", () => "hi");

app.get("/id/:id", ({ params, request }) => {
  const name = new URL(request.url).searchParams.get("name") ?? "";
  return new Response(`${decodeURIComponent(params.id)} ${name}`, { headers: { "x-powered-by": "benchmark" } });
});

app.post("/json", (ctx) => ctx.body);

await app.serve({ ...begin(), onListen() {} });
