package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"dyno/bench/internal/frame"
	"dyno/bench/internal/table"
	"dyno/subject"
)

const (
	subjectsDir = "../../subjects" // where the runtimes are pinned and installed
	peersDir    = "peers"
	peersMark   = "node_modules/minecraft-protocol/package.json"
)

// scripts are the sides of a TypeScript item, each a file in peersDir.
var scripts = []string{"mpacket", "protodef", "minecraft-protocol"}

// scriptSides returns the sides of one runtime, or why they cannot run here.
func scriptSides(runtimeName string) func() ([][]string, []string, error) {
	return func() (argvs [][]string, names []string, err error) {
		if _, err := os.Stat(peersMark); err != nil {
			return nil, nil, errors.New("the peers are not installed; run npm ci in bench/codec")
		}
		argv, err := runtimeArgv(runtimeName, filepath.Join(peersDir, "child.ts"))
		if err != nil {
			return nil, nil, err
		}
		for _, side := range scripts {
			argvs = append(argvs, append(argv[:len(argv):len(argv)], side))
		}
		return argvs, scripts, nil
	}
}

// runtimeArgv returns the command by which a pinned runtime runs a script.
func runtimeArgv(name, script string) ([]string, error) {
	registry, err := subject.Load(subjectsDir)
	if err != nil {
		return nil, fmt.Errorf("%w; run this in bench/codec of dyno's checkout", err)
	}
	r, known := registry.Runtimes()[name]
	if !known {
		return nil, fmt.Errorf("runtimes.yaml has no %s; add it", name)
	}
	binary := filepath.Join(subjectsDir, "node_modules", r.Packages[runtime.GOARCH], r.Binary)
	if _, err := os.Stat(binary); err != nil {
		return nil, fmt.Errorf("%s is not installed; run npm ci in subjects", r.Title)
	}
	var argv []string
	for _, word := range r.Run {
		argv = append(argv, strings.NewReplacer("{binary}", binary, "{entry}", script).Replace(word))
	}
	return argv, nil
}

// scriptTarget is how many times faster than a peer the TypeScript twin must be.
const scriptTarget = 3

// scriptOps are what is compared. Some have a bound: what no codec can save, by its operation and in words.
var scriptOps = []struct{ name, label, bound, boundLabel string }{
	{name: "write move", label: "write rel_entity_move (numbers)"},
	{name: "read move", label: "read rel_entity_move"},
	{name: "write chat", label: "write chat (text, UUID)"},
	{name: "read chat", label: "read chat", bound: "text alone", boundLabel: "  the most that making its text allows"},
	{name: "write block", label: "write block_change (position)"},
	{name: "read block", label: "read block_change"},
	{name: "frame 64 B", label: "frame 64 B", bound: "copy 64 B", boundLabel: "  the most that copying 64 B allows"},
	{name: "take apart 64 B", label: "take apart 64 B"},
}

// scriptTables lays out one table a peer.
func scriptTables(runtimeName string) func(all samples) []frame.Table {
	return func(all samples) []frame.Table {
		var results []frame.Table
		for _, peer := range scripts[1:] {
			results = append(results, frame.Table{Name: runtimeName + ", " + peer, Result: scriptTable(all, peer)})
		}
		return results
	}
}

func scriptTable(all samples, peer string) table.Result {
	r := table.Result{
		Setting: fmt.Sprintf("time of %s ÷ time of mpacket for the same packets", peer),
		How:     "the fastest slice of each process, compiled and warm; packets become objects on both sides",
		Heads:   spreadHeads,
	}
	for _, o := range scriptOps {
		if _, both := all[0][peer][o.name]; !both {
			continue
		}
		r.Rows = append(r.Rows, atLeast(scriptTarget, all.times(peer, o.name, o.label)))
		if o.bound != "" {
			r.Rows = append(r.Rows, table.SpreadRow(o.boundLabel, "", table.Ratios(all.values(peer, o.name), all.values("mpacket", o.bound))))
		}
	}
	return r
}
