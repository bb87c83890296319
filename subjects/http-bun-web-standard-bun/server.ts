// Bun.serve with the objects of the web standards: URL and URLSearchParams. HOST and PORT say where;
// SIGTERM stops it.
import { begin } from "../shared/begin.js";

async function mirror(request: Request): Promise<Response> {
  try {
    return Response.json(await request.json());
  } catch {
    return new Response("malformed JSON", { status: 400 });
  }
}

Bun.serve({
  ...begin(),
  fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    if (request.method === "GET") {
      if (pathname === "/") return new Response("hi");
      const [, route, id, ...more] = pathname.split("/");
      if (route === "id" && id !== undefined && more.length === 0) {
        const name = searchParams.get("name") ?? "";
        return new Response(`${decodeURIComponent(id)} ${name}`, { headers: { "x-powered-by": "benchmark" } });
      }
    } else if (request.method === "POST" && pathname === "/json") {
      return mirror(request);
    }
    return new Response("not found", { status: 404 });
  },
  error: () => new Response("bad request", { status: 400 }), // a malformed escape in the path
});
