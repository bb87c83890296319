package main

import (
	"fmt"
	"io"

	"dyno/host"
)

func writeHead(w io.Writer, p host.Placement) {
	fmt.Fprintf(w, "dyno bench: client on CPU %d, servers on CPU %d, all traffic on 127.0.0.1\n", p.ClientCPUs[0], p.ServerCPUs[0])
	for _, warning := range p.Warnings {
		fmt.Fprintf(w, "  note: %s\n", warning)
	}
}
