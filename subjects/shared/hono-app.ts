import { Hono } from "hono";

/** The contract httpbasic on Hono; the same app for every runtime. */
export const app = new Hono();

app.get("/", (c) => c.text("hi"));

app.get("/id/:id", (c) => {
  c.header("x-powered-by", "benchmark");
  return c.text(`${c.req.param("id")} ${c.req.query("name") ?? ""}`);
});

app.post("/json", async (c) => c.json(await c.req.json()));

// Malformed JSON, or a client that went away in its body. Hono's own handler would report both on stderr.
app.onError((_error, c) => c.text("bad request", 400));
