// Hono on @hono/node-server. HOST and PORT say where; SIGTERM stops it.
import { serve } from "@hono/node-server";
import { begin } from "../shared/begin.js";
import { app } from "../shared/rpc-typebox.ts";

serve({ ...begin(), fetch: app.fetch });
