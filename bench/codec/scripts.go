package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

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

// scriptTables lays out one table a peer.
func scriptTables(runtimeName string) func(all samples) []namedResult {
	return func(all samples) []namedResult {
		var results []namedResult
		for _, peer := range scripts[1:] {
			r := table.Result{
				Setting: fmt.Sprintf("time of %s ÷ time of mpacket for the same packets", peer),
				How:     "the fastest slice of each process, compiled and warm; packets become objects on both sides",
				Heads:   spreadHeads,
			}
			for _, o := range []struct{ name, label string }{
				{"write move", "write rel_entity_move (numbers)"}, {"read move", "read rel_entity_move"},
				{"write chat", "write chat (text, UUID)"}, {"read chat", "read chat"},
				{"write block", "write block_change (position)"}, {"read block", "read block_change"},
				{"frame 64 B", "frame 64 B"}, {"take apart 64 B", "take apart 64 B"},
			} {
				if _, both := all[0][peer][o.name]; both {
					r.Rows = append(r.Rows, atLeast(scriptTarget, all.times(peer, o.name, o.label)))
				}
			}
			results = append(results, namedResult{runtimeName + ", " + peer, r})
		}
		return results
	}
}
