import assert from "node:assert/strict";
import { test } from "node:test";
import { addressFrom } from "./address.ts";

function from(env: Record<string, string>) {
  return addressFrom((name) => env[name]);
}

test("HOST has a default, PORT is taken as it is", () => {
  assert.deepEqual(from({ PORT: "8080" }), { hostname: "127.0.0.1", port: 8080 });
  assert.deepEqual(from({ HOST: "", PORT: "1" }), { hostname: "127.0.0.1", port: 1 });
  assert.deepEqual(from({ HOST: "::1", PORT: "65535" }), { hostname: "::1", port: 65_535 });
});

test("a PORT that is missing or no port is refused", () => {
  for (const port of ["", "0", "65536", "-1", "80x", " 80", "8e3", "0x50", "1.5", "99999999999"]) {
    const message = `PORT is ${JSON.stringify(port)}; set it to the TCP port to listen on, 1 to 65535`;
    assert.throws(() => from({ PORT: port }), { message });
  }
  assert.throws(() => from({}), /^Error: PORT is ""/);
});
