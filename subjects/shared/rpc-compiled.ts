import { TypeCompiler } from "@sinclair/typebox/compiler";
import { Hono } from "hono";
import { validator } from "hono/validator";
import { call } from "./rpc-schema.ts";

const compiled = TypeCompiler.Compile(call);

/** The contract rpc on Hono, validated by TypeBox with the schema compiled to a function. */
export const app = new Hono().post(
  "/api/rpc",
  validator("json", (value, c) => {
    if (compiled.Check(value)) return value;
    return c.json({ success: false, errors: [...compiled.Errors(value)] }, 400);
  }),
  (c) => c.json(c.req.valid("json")),
);
