// The TypeScript twin of mpacket, measured by its own clock. HOST and PORT say where it listens; SIGTERM stops it.
import { main } from "../shared/codec-server.ts";

main();
