import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import { z } from "zod";

const call = z.object({
  id: z.int(),
  name: z.string(),
  active: z.boolean(),
  tags: z.array(z.string()),
  address: z.object({ city: z.string(), zip: z.string() }),
});

/** The contract rpc on Hono, validated by zod. */
export const app = new Hono().post("/api/rpc", zValidator("json", call), (c) => c.json(c.req.valid("json")));
