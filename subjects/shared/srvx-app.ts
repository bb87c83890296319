import { FastResponse, FastURL } from "srvx";

function answerId(id: string, name: string): Response {
  try {
    return new FastResponse(`${decodeURIComponent(id)} ${name}`, { headers: { "x-powered-by": "benchmark" } });
  } catch {
    return new FastResponse("malformed escape in the path", { status: 400 });
  }
}

async function mirror(request: Request): Promise<Response> {
  try {
    const body = JSON.stringify(await request.json());
    return new FastResponse(body, { headers: { "content-type": "application/json" } });
  } catch {
    return new FastResponse("malformed JSON", { status: 400 });
  }
}

/** The contract httpbasic on srvx, which brings a server and fast standard objects, and no router. */
export function answer(request: Request): Response | Promise<Response> {
  const { pathname, searchParams } = new FastURL(request.url);
  if (request.method === "GET") {
    if (pathname === "/") return new FastResponse("hi");
    if (pathname.startsWith("/id/") && !pathname.includes("/", 4)) {
      return answerId(pathname.slice(4), searchParams.get("name") ?? "");
    }
  } else if (request.method === "POST" && pathname === "/json") {
    return mirror(request);
  }
  return new FastResponse("not found", { status: 404 });
}
