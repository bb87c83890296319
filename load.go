package dyno

import (
	"fmt"
	"strings"
)

// Workload says what the requests of a cell are: one of those that the contract names, payloads of one size, or
// what the users of a scenario do.
type Workload struct {
	Name         string `json:"name,omitempty"`          // e.g. "GET /", or the file of a scenario; empty where the size says all
	PayloadBytes int    `json:"payload_bytes,omitempty"` // size of each payload; 0 where the name says all
}

// String names the workload as tables do, e.g. "64 B" or "GET /".
func (w Workload) String() string {
	if w.Name != "" {
		return w.Name
	}
	return fmt.Sprintf("%d B", w.PayloadBytes)
}

// CopyPrefix begins the names of workloads that only copy bytes: what a codec that moves them is held against.
const CopyPrefix = "Copy "

// CopyName returns the name of the workload that copies the bytes which this one moves. It need not exist.
func (w Workload) CopyName() string {
	switch w.Name {
	case "Encoding only", "Decoding only":
		return CopyPrefix + "4 KB"
	case "Realistic mix", "Max load (1000 players)":
		return CopyPrefix + "mix"
	}
	return CopyPrefix + strings.TrimPrefix(w.Name, "Throughput ")
}

// Load says how hard a subject is driven: a closed loop of Connections × Depth requests, an open loop whose rate was
// searched for (CapacityPlan), or Users who arrive when the scenario that is the workload says so.
type Load struct {
	Connections int `json:"connections"`     // 0 in an open loop with as many as its rate asks for
	Depth       int `json:"depth"`           // requests in flight on each connection (pipelining depth); 0 in an open loop
	Users       int `json:"users,omitempty"` // virtual users of a trial; 0 where there are none
}

// String names the load, e.g. "32 connections, depth 16" or "open loop".
func (l Load) String() string {
	if l == (Load{}) {
		return "open loop"
	}
	switch {
	case l.Users == 1:
		return "1 user"
	case l.Users > 1:
		return fmt.Sprintf("%d users", l.Users)
	}
	s := fmt.Sprintf("%d connections", l.Connections)
	if l.Connections == 1 {
		s = "1 connection"
	}
	switch {
	case l.Depth == 0:
		s += ", open loop"
	case l.Depth > 1:
		s += fmt.Sprintf(", depth %d", l.Depth)
	}
	return s
}

// Cell is one square of a suite's matrix: a workload under a load.
type Cell struct {
	Workload Workload `json:"workload"`
	Load     Load     `json:"load"`
}

// String names the cell, e.g. "64 B × 32 connections, depth 16".
func (c Cell) String() string { return c.Workload.String() + " × " + c.Load.String() }
