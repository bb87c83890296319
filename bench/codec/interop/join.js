// npm minecraft-protocol tries to join a server on loopback: join.js PORT. Prints what it is told as JSON.

import process from "node:process";
import minecraft from "minecraft-protocol";

const client = minecraft.createClient({
  host: "127.0.0.1",
  port: Number(process.argv[2]),
  username: "Peer",
  auth: "offline",
  version: "1.16.5",
});
client.on("error", (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
client.on("disconnect", ({ reason }) => {
  process.stdout.write(`${JSON.stringify({ reason })}\n`);
  process.exit(0);
});
