// Bun.serve with its own router. HOST and PORT say where; SIGTERM stops it.
import { begin } from "../shared/begin.js";

Bun.serve({
  ...begin(),
  routes: {
    "/": { GET: () => new Response("hi") }, // a function: a Response would be a static route, which is other work
    "/id/:id": {
      GET(request) {
        const name = new URL(request.url).searchParams.get("name") ?? "";
        return new Response(`${request.params.id} ${name}`, { headers: { "x-powered-by": "benchmark" } });
      },
    },
    "/json": {
      async POST(request) {
        try {
          return Response.json(await request.json());
        } catch {
          return new Response("malformed JSON", { status: 400 });
        }
      },
    },
  },
  fetch: () => new Response("not found", { status: 404 }),
});
