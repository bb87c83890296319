// framed-deno without its codec: subject.yaml sets ECHO, and every byte comes back unread.
import "../framed-deno/server.ts";
