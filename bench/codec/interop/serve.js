// A server of npm minecraft-protocol on loopback, which compresses from 256 bytes on. It prints its port as
// JSON, repeats twice in a line of chat whatever a player says, and ends with its standard input.

import process from "node:process";
import minecraft from "minecraft-protocol";

const NOBODY = "00000000-0000-0000-0000-000000000000";

const server = minecraft.createServer({
  "online-mode": false,
  host: "127.0.0.1",
  port: 0,
  version: "1.16.5",
  motd: "a server that nobody here wrote",
  maxPlayers: 7,
});
server.on("listening", () => {
  process.stdout.write(`${JSON.stringify({ port: server.socketServer.address().port })}\n`);
});
server.on("login", (client) => {
  client.on("chat", ({ message }) => {
    client.write("chat", { message: JSON.stringify({ text: message + message }), position: 0, sender: NOBODY });
  });
});
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
