// Nest on Fastify. HOST and PORT say where; SIGTERM stops it.
import { NestFactory } from "@nestjs/core";
import { FastifyAdapter, type NestFastifyApplication } from "@nestjs/platform-fastify";
import { begin } from "../shared/begin.js";
import { routerOptions } from "../shared/fastify-options.ts";
import { BenchmarkModule } from "../shared/nest-app.ts";

const { hostname, port } = begin();
const app = await NestFactory.create<NestFastifyApplication>(BenchmarkModule, new FastifyAdapter({ routerOptions }), {
  logger: false,
});
await app.listen(port, hostname);
