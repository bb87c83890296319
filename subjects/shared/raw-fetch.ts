// The contract httpbasic for servers that take a Request and give a Response, without a framework and
// without URL objects: only the path is found by index, the query is parsed.

function notFound(): Response {
  return new Response("not found", { status: 404 });
}

function answerId(id: string, query: string): Response {
  try {
    const name = new URLSearchParams(query).get("name") ?? "";
    return new Response(`${decodeURIComponent(id)} ${name}`, { headers: { "x-powered-by": "benchmark" } });
  } catch {
    return new Response("malformed escape in the path", { status: 400 });
  }
}

async function mirror(request: Request): Promise<Response> {
  try {
    return Response.json(await request.json());
  } catch {
    return new Response("malformed JSON", { status: 400 });
  }
}

/** Answers one request. Strings become text/plain, as the Fetch standard says. */
export function answer(request: Request): Response | Promise<Response> {
  const { method, url } = request;
  const start = url.indexOf("/", 8); // behind http://host
  const query = url.indexOf("?", start);
  const path = query < 0 ? url.slice(start) : url.slice(start, query);
  if (method === "GET") {
    if (path === "/") return new Response("hi");
    if (path.startsWith("/id/") && !path.includes("/", 4)) {
      return answerId(path.slice(4), query < 0 ? "" : url.slice(query + 1));
    }
  } else if (method === "POST" && path === "/json") {
    return mirror(request);
  }
  return notFound();
}
