import { getQuery, getRouterParam, H3, readBody } from "h3";

/** The contract httpbasic on h3; the same app for every runtime. */
export const app = new H3({ silent: true })
  .get("/", () => "hi")
  .get("/id/:id", (event) => {
    event.res.headers.set("x-powered-by", "benchmark");
    return `${getRouterParam(event, "id", { decode: true })} ${getQuery(event).name ?? ""}`;
  })
  .post("/json", (event) => readBody(event));
