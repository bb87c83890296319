// abc. HOST and PORT say where; SIGTERM stops it.
import { Application } from "https://deno.land/x/abc@v1.3.3/mod.ts";
import { begin } from "../shared/begin.js";

new Application()
  .get("/", () => "hi")
  .get("/id/:id", (c) => {
    c.response.headers.set("x-powered-by", "benchmark");
    return `${c.params.id} ${c.queryParams.name ?? ""}`;
  })
  .post("/json", (c) => c.body)
  .start(begin());
