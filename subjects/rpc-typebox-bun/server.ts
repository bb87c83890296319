// Hono on Bun.serve. HOST and PORT say where; SIGTERM stops it.
import { begin } from "../shared/begin.js";
import { app } from "../shared/rpc-typebox.ts";

Bun.serve({ ...begin(), fetch: app.fetch });
