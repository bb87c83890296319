// framed-bun without its codec: subject.yaml sets ECHO, and every byte comes back unread.
import "../framed-bun/server.ts";
