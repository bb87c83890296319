package httpbasic

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"dyno"
	"dyno/contract/internal/fixture"
	"dyno/contract/internal/gate"
	"dyno/load"
)

func sessions(t testing.TB, workload string, depth int, seed uint64) func(int) load.Session {
	t.Helper()
	open, err := traffic(workload, depth, seed)
	if err != nil {
		t.Fatal(err)
	}
	return open
}

// TestHonestServersUnderLoad: whatever their style, every reply of theirs is verified.
func TestHonestServersUnderLoad(t *testing.T) {
	for name, serve := range honest {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr := serve(t)
			for _, w := range (Contract{}).Workloads() {
				for _, depth := range []int{1, 16} {
					const count = 2000
					seed := rand.Uint64()
					r := fixture.Drive(t.Context(), t, addr, fixture.Traffic{Connections: 8, Depth: depth, Count: count,
						Session: sessions(t, w.Name, depth, seed)})
					if r.Verified != count || r.Failed() != 0 {
						t.Errorf("%s, depth %d, seed %d: %d of %d verified, %v, %s", w.Name, depth, seed, r.Verified, count, r.Errors(), r.FirstFault)
					}
				}
			}
		})
	}
}

var loadMutants = []fixture.LoadMutant{
	{Name: "wrong body once in 10,000", Workload: "GET /id/:id", Program: honestApp.OnceIn(10_000, func(reply *fixture.Reply) { reply.Body[len(reply.Body)-1]++ })},
	{Name: "empty body once in 10,000", Workload: "GET /", Program: honestApp.OnceIn(10_000, func(reply *fixture.Reply) { reply.Body = nil })},
	{Name: "right body with status 500 once in 10,000", Workload: "POST /json", Program: honestApp.OnceIn(10_000, func(reply *fixture.Reply) { reply.Status = 500 })},
	{Name: "x-powered-by left out after a while", Workload: "GET /id/:id", Program: honestApp.After(fixture.PastGate, func(q *fixture.Request) *fixture.Reply {
		reply := app(q)
		reply.Header = reply.Header[:1]
		return reply
	})},
	{Name: "content type left out after a while", Workload: "GET /", Program: honestApp.After(fixture.PastGate, func(q *fixture.Request) *fixture.Reply {
		return &fixture.Reply{Body: app(q).Body}
	})},
	{Name: "echo of JSON after a while", Workload: "POST /json", Program: honestApp.After(fixture.PastGate, func(q *fixture.Request) *fixture.Reply {
		return fixture.JSON(q.Body)
	})},
	{Name: "one answer for similar paths after a while", Workload: "GET /id/:id", Program: honestApp.PerServer(remembered)},
	{Name: "dies after a while", Workload: "GET /", Program: honestApp.DiesAfter(fixture.PastGate)},
	{Name: "wrong after 2,500 requests of a connection", Workload: "POST /json", Program: honestApp.RightFor(2500)},
	{Name: "swaps replies once in 1,000 segments", Workload: "GET /id/:id", Program: honestApp.InBatches(1000, func(replies [][]byte) [][]byte {
		replies[0], replies[1] = replies[1], replies[0]
		return replies
	})},
	{Name: "loses a reply once in 1,000 segments", Workload: "POST /json", Program: honestApp.InBatches(1000, func(replies [][]byte) [][]byte {
		return replies[1:]
	})},
}

// remembered answers by the start of the path after a while, as a cache with too short a key does.
func remembered() fixture.App {
	var known sync.Map
	var count atomic.Int64
	return func(q *fixture.Request) *fixture.Reply {
		if count.Add(1) <= fixture.PastGate {
			return nil
		}
		reply, _ := known.LoadOrStore(q.Path[:min(len(q.Path), len("/id/x"))], app(q))
		return reply.(*fixture.Reply)
	}
}

// TestLoadMutantsAreCaught: who is honest to the gate only is found out by the engine.
func TestLoadMutantsAreCaught(t *testing.T) {
	t.Parallel()
	kit.CatchUnderLoad(t, loadMutants, traffic)
}

func traffic(workload string, depth int, seed uint64) (func(int) load.Session, error) {
	return Contract{}.Traffic(dyno.Workload{Name: workload}, depth, seed)
}

// TestCorpus: the requests of a workload all differ, and have the sizes that the package promises.
func TestCorpus(t *testing.T) {
	for i, want := range []int{1, 256, 256} {
		seen, loose, sizes := map[string]bool{}, 0, 0
		values := gate.NewSource(rand.Uint64(), "corpus")
		for n := range 256 {
			x := workloads[i].Make(values, n)
			seen[string(x.Request)] = true
			_, body, _ := bytes.Cut(x.Request, []byte("\r\n\r\n"))
			if len(body) > 0 && !bytes.Equal(body, x.Want.Body) {
				loose++
			}
			if len(x.Want.Body) >= 64 && len(x.Want.Body) <= 2048 {
				sizes++
			}
		}
		if len(seen) != want {
			t.Errorf("%s: %d different requests, want %d", workloads[i].Name, len(seen), want)
		}
		if json := i == 2; json && (loose != 32 || sizes < 250) {
			t.Errorf("%d bodies in another spelling and %d from 64 B to 2 KB, want 32 and almost all", loose, sizes)
		}
	}
}

// TestTrafficFollowsFromTheSeed: equal seeds and connections make equal traffic, others do not.
func TestTrafficFollowsFromTheSeed(t *testing.T) {
	stream := func(seed uint64, conn int) string {
		s := sessions(t, "POST /json", 8, seed)(conn)
		var wire []byte
		for range 8 {
			wire = s.Request(wire)
		}
		return string(wire)
	}
	first := stream(1, 0)
	if first != stream(1, 0) {
		t.Error("equal seeds made different traffic")
	}
	if first == stream(2, 0) || first == stream(1, 1) {
		t.Error("different seeds or connections made equal traffic")
	}
}

func TestTrafficRefuses(t *testing.T) {
	for _, c := range []struct {
		w     dyno.Workload
		depth int
		says  string
	}{
		{dyno.Workload{Name: "GET /"}, 0, "depth 0; choose 1 to 64"},
		{dyno.Workload{Name: "GET /"}, load.MaxDepth + 1, "choose 1 to 64"},
		{dyno.Workload{Name: "get /"}, 1, `did you mean "GET /"?`},
		{dyno.Workload{Name: "POST /jsno"}, 1, `did you mean "POST /json"?`},
		{dyno.Workload{PayloadBytes: 64}, 1, `unknown workload "64 B"`},
		{dyno.Workload{Name: "GET /", PayloadBytes: 64}, 1, "unknown workload"},
		{dyno.Workload{}, 1, "unknown workload"},
	} {
		open, err := Contract{}.Traffic(c.w, c.depth, 1)
		if err == nil || open != nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v, depth %d: error %v, want one line with %q", c.w, c.depth, err, c.says)
		}
	}
}
