package httpgate

import (
	"fmt"

	"dyno"
	"dyno/contract/http1"
	"dyno/contract/internal/gate"
	"dyno/internal/words"
	"dyno/load"
)

// corpusSize is how many requests a workload walks through, fewer where they do not differ.
const corpusSize = 256

// Workload is a name that suites use, and how request number i of its corpus is made.
type Workload struct {
	Name string
	Make func(s *gate.Source, i int) Exchange
}

// Workloads are what a contract can be loaded with, in table order.
type Workloads []Workload

// Plain returns the workloads as suites know them.
func (all Workloads) Plain() []dyno.Workload {
	plain := make([]dyno.Workload, len(all))
	for i, w := range all {
		plain[i].Name = w.Name
	}
	return plain
}

// Traffic makes the corpus of the workload that is asked for, and returns a function that makes the
// session of connection conn.
func (all Workloads) Traffic(asked dyno.Workload, depth int, seed uint64) (func(conn int) load.Session, error) {
	if depth < 1 || depth > load.MaxDepth {
		return nil, fmt.Errorf("HTTP traffic: depth %d; choose 1 to %d", depth, load.MaxDepth)
	}
	var names []string
	for _, w := range all {
		if w.Name == asked.Name && asked.PayloadBytes == 0 {
			return w.sessions(depth, seed)
		}
		names = append(names, w.Name)
	}
	return nil, fmt.Errorf("HTTP traffic: %s", words.Unknown("workload", asked.String(), names))
}

func (w Workload) sessions(depth int, seed uint64) (func(conn int) load.Session, error) {
	corpus, err := http1.NewCorpus(w.exchanges(seed))
	if err != nil {
		return nil, err
	}
	return func(conn int) load.Session { return corpus.Session(conn, depth, seed) }, nil
}

// exchanges makes the corpus: as much of each exchange as the engine verifies.
func (w Workload) exchanges(seed uint64) []http1.Exchange {
	values := gate.NewSource(seed, "traffic "+w.Name)
	known := map[string]bool{}
	var all []http1.Exchange
	for i := range corpusSize {
		x := w.Make(values, i)
		if !known[string(x.Request)] {
			known[string(x.Request)] = true
			all = append(all, x.Exchange)
		}
	}
	return all
}
