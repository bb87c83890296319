// srvx on node:http, without a framework. HOST and PORT say where; SIGTERM stops it.
import { serve } from "srvx";
import { begin } from "../shared/begin.js";
import { answer } from "../shared/srvx-app.ts";

serve({ ...begin(), fetch: answer, silent: true, gracefulShutdown: false });
