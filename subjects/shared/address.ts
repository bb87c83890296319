/** Where a subject listens: what dyno passes to it in the environment. */
export interface Address {
  hostname: string;
  port: number;
}

/**
 * Reads HOST (default 127.0.0.1) and PORT (1 to 65,535, required) with env. Throws an Error of one
 * line when PORT is missing or is no port.
 */
export function addressFrom(env: (name: string) => string | undefined): Address {
  const text = env("PORT") ?? "";
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535) {
    throw new Error(`PORT is ${JSON.stringify(text)}; set it to the TCP port to listen on, 1 to 65535`);
  }
  return { hostname: env("HOST") || "127.0.0.1", port };
}
