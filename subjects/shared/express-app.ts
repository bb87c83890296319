import express, { type ErrorRequestHandler } from "express";

/** The contract httpbasic on Express; the same app for every runtime. */
export const app = express();

app.disable("x-powered-by");
app.disable("etag"); // no other row hashes its replies

app.get("/", (_request, response) => {
  response.type("text").send("hi");
});

app.get("/id/:id", (request, response) => {
  response.set("x-powered-by", "benchmark");
  response.type("text").send(`${request.params.id} ${request.query.name ?? ""}`);
});

app.post("/json", express.json(), (request, response) => {
  response.json(request.body);
});

// Its own handler would report malformed JSON on stderr.
const reject: ErrorRequestHandler = (error, _request, response, _next) => {
  response
    .status(error.status ?? 500)
    .type("text")
    .send(error.message);
};
app.use(reject);
