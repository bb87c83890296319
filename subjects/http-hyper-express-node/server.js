// HyperExpress on µWebSockets.js. HOST and PORT say where; SIGTERM stops it.
import HyperExpress from "hyper-express";
import { begin } from "../shared/begin.js";

const { hostname, port } = begin();
const app = new HyperExpress.Server();

app.get("/", (_request, response) => {
  response.type("text").send("hi");
});

app.get("/id/:id", (request, response) => {
  const { path_parameters, query_parameters } = request;
  response.header("x-powered-by", "benchmark");
  response.type("text").send(`${decodeURIComponent(path_parameters.id)} ${query_parameters.name ?? ""}`);
});

app.post("/json", async (request, response) => {
  response.json(await request.json(null)); // without a default of its own it throws
});

app.set_not_found_handler((_request, response) => {
  response.status(404).send("not found");
});

// Malformed JSON, or a malformed escape in the path. Its own handler would report it on stderr.
app.set_error_handler((_request, response) => {
  response.status(400).send("bad request");
});

await app.listen(port, hostname);
