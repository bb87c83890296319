// Deno.serve without a framework. HOST and PORT say where; SIGTERM stops it.
import { begin } from "../shared/begin.js";
import { answer } from "../shared/raw-fetch.ts";

Deno.serve({ ...begin(), onListen() {} }, answer);
