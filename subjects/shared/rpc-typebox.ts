import { tbValidator } from "@hono/typebox-validator";
import { Hono } from "hono";
import { call } from "./rpc-schema.ts";

/** The contract rpc on Hono, validated by TypeBox: the validator interprets the schema. */
export const app = new Hono().post("/api/rpc", tbValidator("json", call), (c) => c.json(c.req.valid("json")));
