// framed-node without its codec: subject.yaml sets ECHO, and every byte comes back unread.
import "../framed-node/server.ts";
