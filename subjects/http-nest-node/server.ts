// Nest on Express. HOST and PORT say where; SIGTERM stops it.
import { NestFactory } from "@nestjs/core";
import type { NestExpressApplication } from "@nestjs/platform-express";
import { begin } from "../shared/begin.js";
import { BenchmarkModule } from "../shared/nest-app.ts";

const { hostname, port } = begin();
const app = await NestFactory.create<NestExpressApplication>(BenchmarkModule, { logger: false });
app.disable("x-powered-by");
app.disable("etag"); // no other row hashes its replies
await app.listen(port, hostname);
