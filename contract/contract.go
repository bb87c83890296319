// Package contract says what a subject promises. A contract gates a subject (does it answer as it
// must?) and makes the traffic that measures it, so that what is checked and what is measured are
// the same thing.
//
// The package never starts a server, never times a reply and never judges speed.
package contract

import (
	"context"
	"errors"

	"dyno"
	"dyno/contract/codec"
	"dyno/contract/framed"
	"dyno/contract/httpbasic"
	"dyno/contract/rpc"
	"dyno/internal/words"
	"dyno/load"
	"dyno/load/null"
)

// Contract is one kind of work that subjects can do.
type Contract interface {
	// Name is what manifests and suites call the contract, e.g. "framed".
	Name() string

	// Cases lists the promises in the order in which the gate checks and prints them.
	Cases() []dyno.Case

	// Ping makes one verified round trip with the server at addr ("127.0.0.1:port"). A nil error
	// means that the server is ready.
	Ping(ctx context.Context, addr string) error

	// Verify runs the gate against the server at addr: one result for each case, in the order of
	// Cases. All values are made from seed. It always returns, a hanging server included, and
	// leaves no connection open. When ctx ends, the cases left are reported as not run.
	Verify(ctx context.Context, addr string, seed uint64) []dyno.CaseResult

	// Workloads lists the workloads that have a name, in table order. A contract with none takes
	// payloads of any size.
	Workloads() []dyno.Workload

	// Traffic prepares the requests of workload w for connections with at most depth requests in
	// flight. The function that it returns makes the session of connection number conn (from 0);
	// equal seeds make equal traffic. A workload or depth that the contract does not know is an
	// error.
	Traffic(w dyno.Workload, depth int, seed uint64) (func(conn int) load.Session, error)
}

// Worker is a load.Session whose subject keeps the time of its own work. Work returns what was verified since
// the last call, and begins to count anew.
type Worker interface {
	Work() dyno.Work
}

// Ceilinged is a Contract with a null server. Null returns a new answer for one, whose every reply is right.
type Ceilinged interface {
	Null() null.Answer
}

// all lists every contract; adding one is adding it here.
var all = []Contract{framed.Contract{}, framed.Raw{}, httpbasic.Contract{}, rpc.Contract{}, codec.Contract{}}

// Names returns the names that ByName knows.
func Names() []string {
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.Name()
	}
	return names
}

// ByName finds a contract. The error for an unknown name says which valid one is nearest.
func ByName(name string) (Contract, error) {
	for _, c := range all {
		if c.Name() == name {
			return c, nil
		}
	}
	return nil, errors.New(words.Unknown("contract", name, Names()))
}
