// Command codec prints what mpacket promises of its speed, each figure measured against its peer in one
// run and in turns: the Go package beside a plain copy and beside go-mc, the TypeScript twin beside
// protodef and minecraft-protocol on Node, Deno and Bun. Every ratio has its spread and its target
// beside it; a missed target is exit status 1.
//
// It is a module of its own, so that the peers are no dependencies of dyno. It opens no socket.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"dyno/bench/internal/frame"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == childCommand {
		os.Exit(childMain(os.Args[2:], os.Stdout, os.Stderr))
	}
	program.Main()
}

var program = frame.Bench[run]{
	Name: "bench-codec", Start: "go run .", About: usage,
	Items: []frame.Item[run]{
		{Name: "go", Repeat: 7, Quick: 2, Measure: item{"go", goSides, goTables}.measure},
		{Name: "node", Repeat: 7, Quick: 2, Measure: item{"node", scriptSides("node"), scriptTables("node")}.measure},
		{Name: "deno", Repeat: 7, Quick: 2, Measure: item{"deno", scriptSides("deno"), scriptTables("deno")}.measure},
		{Name: "bun", Repeat: 7, Quick: 2, Measure: item{"bun", scriptSides("bun"), scriptTables("bun")}.measure},
	},
	Prepare: func(quick bool, stdout, stderr io.Writer) (run, error) {
		fmt.Fprintln(stdout, "dyno bench-codec: mpacket beside its peers, one process at a time")
		return run{quick, stderr}, nil
	},
}

const usage = `go run . [flags], in bench/codec of dyno's checkout after npm ci there and in subjects (make bench-codec does all).
Measures what mpacket promises of its speed (about three minutes); exit status 1 when a target is missed.

go    the Go package beside a copy of the same bytes and beside go-mc
node, deno, bun   the TypeScript twin beside protodef and minecraft-protocol

`

// run is what the items of one run share.
type run struct {
	quick  bool
	stderr io.Writer
}

// pace returns the arguments that tell a child how many slices to take of each operation and how many
// milliseconds one lasts.
func (r run) pace() []string {
	if r.quick {
		return []string{"5", "2"}
	}
	return []string{"25", "2"}
}

// item is something to measure that gives one table or more.
type item struct {
	name   string
	sides  func() ([][]string, []string, error) // argv and names of the sides' children
	tables func(all samples) []frame.Table
}

// measure runs a fresh process of every side a round. The order of the sides alternates, so that none
// always goes first.
func (it item) measure(ctx context.Context, r run, rounds int) ([]frame.Table, error) {
	argvs, names, err := it.sides()
	if err != nil {
		return nil, err
	}
	var all samples
	for round := range rounds {
		fmt.Fprintf(r.stderr, "bench-codec: %s, round %d of %d\n", it.name, round+1, rounds)
		s := sample{}
		for i := range argvs {
			side := i
			if round%2 == 1 {
				side = len(argvs) - 1 - i
			}
			timings, err := runChild(ctx, append(argvs[side], r.pace()...))
			if err != nil {
				return nil, err
			}
			s[names[side]] = timings
		}
		if err := s.agree(); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	tables := it.tables(all)
	for i := range tables {
		tables[i].Result.How += fmt.Sprintf("\n  %d fresh processes of each side, in turns", rounds)
	}
	return tables, nil
}
