// Fastify on node:http. HOST and PORT say where; SIGTERM stops it.
import { begin } from "../shared/begin.js";
import { app } from "../shared/fastify-app.ts";

const { hostname, port } = begin();
await app.listen({ host: hostname, port });
