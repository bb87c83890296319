import { Type } from "@sinclair/typebox";

/** The body of a call, for both ways of checking it with TypeBox. */
export const call = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  active: Type.Boolean(),
  tags: Type.Array(Type.String()),
  address: Type.Object({ city: Type.String(), zip: Type.String() }),
});
