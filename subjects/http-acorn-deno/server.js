// acorn on Deno.serve. HOST and PORT say where; SIGTERM stops it.
import { Router } from "https://deno.land/x/acorn@0.2.0/mod.ts";
import { begin } from "../shared/begin.js";

const router = new Router();

router.get("/", () => new Response("hi"));

router.get(
  "/id/:id",
  ({ params, searchParams }) =>
    new Response(`${params.id} ${searchParams.name ?? ""}`, { headers: { "x-powered-by": "benchmark" } }),
);

router.post("/json", (ctx) => ctx.body());

router.listen(begin());
