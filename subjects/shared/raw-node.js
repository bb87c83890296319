// The contract httpbasic on node:http, without a framework. JavaScript, because Node 20 runs it, too.
import { createServer } from "node:http";
import { begin } from "./begin.js";

/**
 * @param {import("node:http").ServerResponse} response
 * @param {number} status
 * @param {string} type
 * @param {string} body
 */
function send(response, status, type, body) {
  response.statusCode = status;
  response.setHeader("Content-Type", type); // not writeHead, after which Node would send chunks
  response.end(body);
}

/**
 * @param {import("node:http").ServerResponse} response
 * @param {string} id
 * @param {string} query
 */
function sendId(response, id, query) {
  try {
    const name = new URLSearchParams(query).get("name") ?? "";
    const body = `${decodeURIComponent(id)} ${name}`;
    response.setHeader("X-Powered-By", "benchmark");
    send(response, 200, "text/plain", body);
  } catch {
    send(response, 400, "text/plain", "malformed escape in the path");
  }
}

/**
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 */
function mirror(request, response) {
  let text = "";
  request.setEncoding("utf8");
  request.on("data", (chunk) => {
    text += chunk;
  });
  request.on("end", () => {
    try {
      send(response, 200, "application/json", JSON.stringify(JSON.parse(text)));
    } catch {
      send(response, 400, "text/plain", "malformed JSON");
    }
  });
}

const server = createServer((request, response) => {
  const { method, url = "/" } = request;
  const end = url.indexOf("?");
  const path = end < 0 ? url : url.slice(0, end);
  if (method === "GET" && path === "/") {
    send(response, 200, "text/plain", "hi");
  } else if (method === "GET" && path.startsWith("/id/") && !path.includes("/", 4)) {
    sendId(response, path.slice(4), end < 0 ? "" : url.slice(end + 1));
  } else if (method === "POST" && path === "/json") {
    mirror(request, response);
  } else {
    send(response, 404, "text/plain", "not found");
  }
});

const { hostname, port } = begin();
server.listen(port, hostname);
