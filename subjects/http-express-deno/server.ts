// Express on Deno's node:http. HOST and PORT say where; SIGTERM stops it.
import { begin } from "../shared/begin.js";
import { app } from "../shared/express-app.ts";

const { hostname, port } = begin();
app.listen(port, hostname);
