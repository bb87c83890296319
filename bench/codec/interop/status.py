"""mcstatus asks a server on loopback what it is: status.py PORT. Prints the answers as JSON."""

import json
import sys

from mcstatus import JavaServer, LegacyServer

port = int(sys.argv[1])
server = JavaServer("127.0.0.1", port, timeout=10)
status = server.status(tries=1)
legacy = LegacyServer("127.0.0.1", port, timeout=10).status(tries=1)
print(
    json.dumps(
        {
            "version": status.version.name,
            "protocol": status.version.protocol,
            "online": status.players.online,
            "max": status.players.max,
            "players": [player.name for player in status.players.sample or []],
            "description": status.motd.to_plain(),
            "ping_ms": server.ping(tries=1),
            "legacy": {
                "version": legacy.version.name,
                "protocol": legacy.version.protocol,
                "online": legacy.players.online,
                "max": legacy.players.max,
                "description": legacy.motd.to_plain(),
            },
        }
    )
)
