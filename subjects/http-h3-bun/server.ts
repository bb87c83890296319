// h3 on Bun.serve, through srvx. HOST and PORT say where; SIGTERM stops it.
import { serve } from "h3";
import { begin } from "../shared/begin.js";
import { app } from "../shared/h3-app.ts";

serve(app, { ...begin(), silent: true, gracefulShutdown: false });
