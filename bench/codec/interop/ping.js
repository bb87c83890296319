// npm minecraft-protocol asks a server on loopback what it is: ping.js PORT. Prints the answer as JSON.

import process from "node:process";
import minecraft from "minecraft-protocol";

const answer = await minecraft.ping({ host: "127.0.0.1", port: Number(process.argv[2]), version: "1.16.5", closeTimeout: 10_000 });
process.stdout.write(`${JSON.stringify(answer)}\n`);
process.exit(0);
