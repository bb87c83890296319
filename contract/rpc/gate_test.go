package rpc

import (
	"math/rand/v2"
	"strings"
	"testing"

	"dyno"
	"dyno/contract/http1"
	"dyno/contract/internal/fixture"
	"dyno/internal/golden"
	"dyno/load"
)

// kit is the contract for the tests that all HTTP contracts share.
var kit = fixture.Contract{Gate: newGate, Cases: gateCases}

func TestCasesReadWell(t *testing.T) {
	golden.Check(t, "cases.golden", fixture.Listed(t, Contract{}.Cases()))
}

func TestHonestServersPass(t *testing.T) {
	t.Parallel()
	for name, serve := range honest {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kit.Pass(t, serve(t))
		})
	}
}

func TestMutantsAreCaught(t *testing.T) {
	t.Parallel()
	kit.CatchAll(t, mutants)
}

func TestLoadMutantsAreCaught(t *testing.T) {
	t.Parallel()
	kit.CatchUnderLoad(t, loadMutants, traffic)
}

func traffic(workload string, depth int, seed uint64) (func(int) load.Session, error) {
	return Contract{}.Traffic(dyno.Workload{Name: workload}, depth, seed)
}

// TestHonestServersUnderLoad: every reply of theirs is verified, refusals are told from successes.
func TestHonestServersUnderLoad(t *testing.T) {
	for name, serve := range honest {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr := serve(t)
			for _, w := range (Contract{}).Workloads() {
				const count, depth = 3000, 50
				seed := rand.Uint64()
				open, err := traffic(w.Name, depth, seed)
				if err != nil {
					t.Fatal(err)
				}
				var sessions []load.Session
				r := fixture.Drive(t.Context(), t, addr, fixture.Traffic{Connections: 4, Depth: depth, Count: count,
					Session: func(conn int) load.Session {
						sessions = append(sessions, open(conn)) // one loop makes them all
						return sessions[len(sessions)-1]
					}})
				if r.Verified != count || r.Failed() != 0 {
					t.Errorf("%s, seed %d: %d of %d verified, %v, %s", w.Name, seed, r.Verified, count, r.Errors(), r.FirstFault)
				}
				checkCodes(t, w.Name, count, sessions)
			}
		})
	}
}

// checkCodes looks at how many replies were refusals: none, or one of four.
func checkCodes(t *testing.T, workload string, count int64, sessions []load.Session) {
	codes := map[int]int64{}
	for _, s := range sessions {
		s.(http1.CodeCounter).AddCodes(codes)
	}
	share := float64(codes[400]) / float64(count)
	if codes[200]+codes[400] != count || workload == "valid" && share != 0 || workload != "valid" && (share < 0.2 || share > 0.3) {
		t.Errorf("%s: replies by status %v", workload, codes)
	}
}

func TestPing(t *testing.T) {
	good := fixture.Serve(t, honestApp.Honest)
	if err := (Contract{}).Ping(t.Context(), good.Addr); err != nil {
		t.Error(err)
	}
	bad := fixture.Serve(t, mutants[0].Program)
	if err := (Contract{}).Ping(t.Context(), bad.Addr); err == nil {
		t.Error("Ping took a wrong reply for a right one")
	}
	good.Die()
	if err := (Contract{}).Ping(t.Context(), good.Addr); err == nil {
		t.Error("Ping of a dead server succeeded")
	}
	for i, r := range (Contract{}).Verify(t.Context(), good.Addr, 1) {
		if r.OK || i > 0 && r.Reason != "not run: the server has not answered since case valid" {
			t.Errorf("%+v", r)
		}
	}
}

func TestTrafficRefuses(t *testing.T) {
	for _, w := range []dyno.Workload{{}, {Name: "invalid"}, {PayloadBytes: 8}, {Name: "GET /"}} {
		if open, err := (Contract{}).Traffic(w, 1, 1); err == nil || open != nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: error %v, want one line", w, err)
		}
	}
	if _, err := (Contract{}).Traffic(dyno.Workload{Name: "valid"}, 65, 1); err == nil {
		t.Error("depth 65 was accepted")
	}
}
