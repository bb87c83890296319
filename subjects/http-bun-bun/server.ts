// Bun.serve without a framework. HOST and PORT say where; SIGTERM stops it.
import { begin } from "../shared/begin.js";
import { answer } from "../shared/raw-fetch.ts";

Bun.serve({ ...begin(), fetch: answer });
