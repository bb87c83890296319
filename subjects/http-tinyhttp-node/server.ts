// tinyhttp. HOST and PORT say where; SIGTERM stops it.
import { json } from "node:stream/consumers";
import { App } from "@tinyhttp/app";
import { begin } from "../shared/begin.js";

const { hostname, port } = begin();

new App({ settings: { xPoweredBy: false } })
  .get("/", (_request, response) => {
    response.type("text").send("hi");
  })
  .get("/id/:id", (request, response) => {
    response.set("x-powered-by", "benchmark");
    response.type("text").send(`${request.params.id} ${request.query.name ?? ""}`);
  })
  .post("/json", async (request, response) => {
    try {
      response.json(await json(request));
    } catch {
      response.status(400).send("malformed JSON");
    }
  })
  .listen(port, () => {}, hostname);
