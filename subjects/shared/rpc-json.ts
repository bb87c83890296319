import { Hono } from "hono";
import { validator } from "hono/validator";

interface Call {
  id: number;
  name: string;
  active: boolean;
  tags: string[];
  address: { city: string; zip: string };
}

/** The checks of the validators' schemas, written by hand. */
function isCall(value: Partial<Call> | null): value is Call {
  return (
    typeof value === "object" &&
    value !== null &&
    Number.isInteger(value.id) &&
    typeof value.name === "string" &&
    typeof value.active === "boolean" &&
    Array.isArray(value.tags) &&
    value.tags.every((tag) => typeof tag === "string") &&
    typeof value.address === "object" &&
    value.address !== null &&
    typeof value.address.city === "string" &&
    typeof value.address.zip === "string"
  );
}

/** The contract rpc on Hono, without a validation library. */
export const app = new Hono().post(
  "/api/rpc",
  validator("json", (value, c) => (isCall(value) ? value : c.json({ error: "invalid call" }, 400))),
  (c) => c.json(c.req.valid("json")),
);
