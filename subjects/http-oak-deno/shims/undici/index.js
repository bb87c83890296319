// What oak's npm build takes from undici, taken from Deno.
export const { fetch, File, FormData, Headers, Request, Response } = globalThis;
