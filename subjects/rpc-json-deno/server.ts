// Hono on Deno.serve. HOST and PORT say where; SIGTERM stops it.
import { begin } from "../shared/begin.js";
import { app } from "../shared/rpc-json.ts";

Deno.serve({ ...begin(), onListen() {} }, app.fetch);
