// Ultimate Express on µWebSockets.js. HOST and PORT say where; SIGTERM stops it.
import express from "ultimate-express";
import { begin } from "../shared/begin.js";

const app = express();
app.disable("x-powered-by");
app.disable("etag"); // no other row hashes its replies

app.get("/", (_request, response) => {
  response.type("text").send("hi");
});

app.get("/id/:id", (request, response) => {
  response.set("x-powered-by", "benchmark");
  response.type("text").send(`${decodeURIComponent(request.params.id)} ${request.query.name ?? ""}`);
});

app.post("/json", express.json(), (request, response) => {
  response.json(request.body);
});

// Malformed JSON, or a malformed escape in the path. Its own handler would report it on stderr.
app.use((_error, _request, response, _next) => {
  response.status(400).type("text").send("bad request");
});

const { hostname, port } = begin();
app.listen(port, hostname);
