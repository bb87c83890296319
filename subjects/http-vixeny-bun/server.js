// vixeny on Bun.serve. HOST and PORT say where; SIGTERM stops it.
import { wrap } from "vixeny";
import { begin } from "../shared/begin.js";

const address = begin();

const fetch = await wrap()()
  .get({ path: "/", f: () => "hi" })
  .get({
    path: "/id/:id",
    headings: { headers: { "x-powered-by": "benchmark" } },
    f: ({ param, req }) => {
      // Its own query takes keys that only end in "name", and decodes nothing.
      const name = new URL(req.url).searchParams.get("name") ?? "";
      return `${decodeURIComponent(param.id)} ${name}`;
    },
  })
  .post({
    path: "/json",
    headings: { headers: { "content-type": "application/json" } },
    f: async ({ req }) => JSON.stringify(await req.json()),
    onError: () => new Response("malformed JSON", { status: 400 }),
  })
  .compose();

Bun.serve({
  ...address,
  fetch,
  error: () => new Response("bad request", { status: 400 }), // a malformed escape in the path
});
