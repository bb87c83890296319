// node:http without a framework. HOST and PORT say where; SIGTERM stops it.
import "../shared/raw-node.js";
