// bun-bakery on Bun.serve, patched: subject.yaml says why. HOST and PORT say where; SIGTERM stops it.
import { Router } from "@kapsonfire/bun-bakery";
import { begin } from "../shared/begin.js";
import * as id from "./routes/id/[id].mjs";
import * as index from "./routes/index.mjs";
import * as json from "./routes/json.mjs";

// One Response for every unknown path: its body can be sent once only.
Object.defineProperty(Router, "ERROR404", { get: () => new Response("not found", { status: 404 }) });

// It finds no handler for .mjs, so the routes are ours alone.
const router = new Router({ routesPath: `${import.meta.dir}/routes`, autoListen: false });
await router.awaitListen();
router.trouter.add("GET", "/", index.GET);
router.trouter.add("GET", "/id/:id", id.GET);
router.trouter.add("POST", "/json", json.POST);

Bun.serve({ ...router.getListenConfig(), ...begin() });
