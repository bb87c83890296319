// cheetah on Deno.serve. HOST and PORT say where; SIGTERM stops it.
import cheetah from "https://deno.land/x/cheetah@v1.5.2/mod.ts";
import { begin } from "../shared/begin.js";

const app = new cheetah()
  .get("/", () => "hi")
  .get("/id/:id", (c) => {
    c.res.header("x-powered-by", "benchmark");
    return `${c.req.param("id")} ${c.req.query.name ?? ""}`;
  })
  .post("/json", async (c) => {
    const value = await c.req.json();
    if (value === null) throw c.exception("Bad Request"); // what json gives for malformed JSON
    return value;
  });

Deno.serve({ ...begin(), onListen() {} }, app.fetch);
