// nbit on Bun.serve. HOST and PORT say where; SIGTERM stops it.
import { createApplication } from "@nbit/bun";
import { begin } from "../shared/begin.js";

const { defineRoutes, attachRoutes } = createApplication();

const routes = defineRoutes((app) => [
  app.get("/", () => new Response("hi")),
  app.get(
    "/id/:id",
    ({ params, query }) =>
      new Response(`${decodeURIComponent(params.id)} ${query.get("name") ?? ""}`, {
        headers: { "x-powered-by": "benchmark" },
      }),
  ),
  app.post("/json", async (request) => Response.json(await request.json())),
]);

Bun.serve({ ...begin(), fetch: attachRoutes(routes) });
