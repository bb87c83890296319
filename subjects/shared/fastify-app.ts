import Fastify from "fastify";
import { routerOptions } from "./fastify-options.ts";

/** The contract httpbasic on Fastify; the same app for every runtime. */
export const app = Fastify({ routerOptions });

app.get("/", () => Promise.resolve("hi"));

app.get<{ Params: { id: string }; Querystring: { name?: string } }>("/id/:id", async (request, reply) => {
  reply.header("x-powered-by", "benchmark");
  return `${request.params.id} ${request.query.name ?? ""}`;
});

app.post("/json", async (request) => request.body);
