// JavaScript, because subjects on Node 20 use it, too, which runs no TypeScript.

/**
 * Where a subject listens: what dyno passes to it in the environment.
 * @typedef {{ hostname: string, port: number }} Address
 */

/**
 * Reads HOST (default 127.0.0.1) and PORT (1 to 65,535, required) with env. Throws an Error of one
 * line when PORT is missing or is no port.
 * @param {(name: string) => string | undefined} env
 * @returns {Address}
 */
export function addressFrom(env) {
  const text = env("PORT") ?? "";
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535) {
    throw new Error(`PORT is ${JSON.stringify(text)}; set it to the TCP port to listen on, 1 to 65535`);
  }
  return { hostname: env("HOST") || "127.0.0.1", port };
}

/**
 * What every HTTP subject does first: from now on SIGTERM ends the process with status 0, open
 * connections or not. Returns where to listen.
 */
export function begin() {
  process.on("SIGTERM", () => process.exit(0));
  return addressFrom((name) => process.env[name]);
}
