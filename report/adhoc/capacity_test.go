package adhoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"dyno"
	"dyno/internal/golden"
	"dyno/report/internal/typeset"
)

// found is a capacity that a subject's CPU limits.
func found() *dyno.Capacity {
	probe := func(search int, rate float64, p99Ns int64, cpu float64) dyno.CapacityProbe {
		p := dyno.CapacityProbe{
			Search: search, RatePerS: rate, AnsweredPerS: rate * 0.999, DurationNs: int64(3 * time.Second), Kept: p99Ns < 50_000_000,
			P50Ns: p99Ns / 9, P90Ns: p99Ns / 3, P99Ns: p99Ns, P999Ns: p99Ns * 2, MaxNs: p99Ns * 3, ServiceP99Ns: p99Ns * 9 / 10,
			Due: int64(rate * 3.3), ClientBusyShare: rate / 250_000, ServerCPUShare: cpu,
		}
		if !p.Kept {
			p.Broken = "p99 was 61.4 ms"
		}
		return p
	}
	c := &dyno.Capacity{
		Protocol: "http", Target: "http://127.0.0.1:8080/", Promises: []string{"p99<50ms", "errors<0.1%"},
		Options: dyno.LoadOptions{
			Method: "GET", Load: dyno.Load{Connections: 64, Depth: 1}, Arrivals: dyno.Poisson, Duration: 3 * time.Second, Seed: 42,
		},
		Settling: 300 * time.Millisecond, StartedAt: noon, EndedAt: noon.Add(2 * time.Minute),
		Probes: []dyno.CapacityProbe{
			probe(0, 500, 900_000, 0.02), probe(0, 16_000, 1_200_000, 0.41), probe(0, 64_000, 61_400_000, 0.99),
			probe(1, 41_200, 44_000_000, 0.96), probe(1, 42_100, 61_400_000, 0.98), probe(2, 41_000, 40_000_000, 0.95),
		},
		RatePerS: dyno.Estimate{Value: 41_377, Low: 40_820, High: 41_941, N: 5}, Limit: dyno.LimitServerCPU, KneePerS: 16_000,
	}
	for _, p := range c.Probes {
		point := dyno.CapacityPoint{
			RatePerS: p.RatePerS, AnsweredPerS: p.AnsweredPerS, P50Ns: float64(p.P50Ns), P90Ns: float64(p.P90Ns), P99Ns: float64(p.P99Ns),
			P999Ns: float64(p.P999Ns), ServerCPUShare: p.ServerCPUShare, ClientBusyShare: p.ClientBusyShare, Probes: 1,
		}
		if p.Kept {
			point.Kept = 1
		}
		c.Curve = append(c.Curve, point)
	}
	confirmed := probe(5, 40_820, 39_000_000, 0.95)
	confirmed.DurationNs *= 3
	c.Confirmation = &confirmed
	return c
}

// scarce waits for connections, on a server whose CPU nobody knows; nothing holds for long.
func scarce() *dyno.Capacity {
	c := found()
	c.Protocol, c.Target, c.Fresh = "framed", "Bun, 64 B", true
	c.Options.PayloadBytes, c.Options.Arrivals = []int{64}, dyno.Constant
	c.Limit, c.Confirmation, c.KneePerS = dyno.LimitPromise, nil, 0
	for i := range c.Probes {
		c.Probes[i].ServerCPUShare, c.Probes[i].ServiceP99Ns = 0.3, 1_000_000
		c.Curve[i].ServerCPUShare = -1
	}
	return c
}

// players is a search for players.
func players() *dyno.Capacity {
	c := found()
	c.Protocol, c.Target, c.Fresh, c.PlayerPerS, c.Promises = "framed", "Bun, players", true, 20, []string{"p99<50ms"}
	return c
}

// fruitless is a search in which no rate kept the promise, and which ended early.
func fruitless() *dyno.Capacity {
	c := found()
	c.Probes, c.Curve, c.RatePerS, c.Limit, c.Confirmation, c.KneePerS = c.Probes[2:3], c.Curve[2:3], dyno.Estimate{}, dyno.LimitInstrument, nil, 0
	c.Probes[0].Unable = "the client was busy for 97 % of the time"
	c.Partial = "interrupted"
	c.Instrument.Warnings = []string{"the client was busy for 97 % of the time: the rate is a lower bound"}
	return c
}

func TestCapacityText(t *testing.T) {
	for name, c := range map[string]*dyno.Capacity{"found": found(), "scarce": scarce(), "nothing": fruitless(), "players": players()} {
		var b bytes.Buffer
		if err := CapacityText(&b, c, Options{}); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, "capacity-"+name+".txt", b.String())
		for line := range strings.Lines(b.String()) {
			if typeset.Width(strings.TrimRight(line, "\n")) > 100 {
				t.Errorf("%s: a line is too wide: %s", name, line)
			}
		}
	}
	var lines []string
	for _, p := range append(found().Probes, fruitless().Probes...) {
		lines = append(lines, ProbeLine(p, 5))
	}
	golden.Check(t, "capacity-probes.txt", strings.Join(lines, "\n")+"\n")
}

func TestCapacityJSON(t *testing.T) {
	var b bytes.Buffer
	if err := WriteCapacity(&b, found()); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "capacity.json", b.String())
	var again struct {
		Schema string
		dyno.Capacity
	}
	if err := json.Unmarshal(b.Bytes(), &again); err != nil || again.Schema != CapacitySchema || again.RatePerS != found().RatePerS || len(again.Probes) != 6 {
		t.Errorf("%v: %+v", err, again)
	}
	if err := CapacityText(fullDisk{}, found(), Options{}); err == nil {
		t.Error("a writer's error is lost")
	}
}

func TestCapacityInOtherForms(t *testing.T) {
	for name, c := range map[string]*dyno.Capacity{"found": found(), "nothing": fruitless(), "players": players()} {
		var md, page bytes.Buffer
		if err := errors.Join(WriteCapacityIn(&md, c, "md"), WriteCapacityIn(&page, c, "html")); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, "capacity-"+name+".md", md.String())
		for _, want := range []string{"<svg", "Capacity of ", "p99.9", "Latency against rate"} {
			if !strings.Contains(page.String(), want) {
				t.Errorf("%s: the page has no %q", name, want)
			}
		}
		if knee := strings.Contains(page.String(), ">knee<"); knee != (c.KneePerS > 0) {
			t.Errorf("%s: the drawing has a knee: %v", name, knee)
		}
	}
	if err := WriteCapacityIn(&bytes.Buffer{}, found(), "oha"); err == nil || !strings.Contains(err.Error(), "json, md, html") {
		t.Error(err)
	}
	if err := WriteCapacityIn(fullDisk{}, found(), "html"); err == nil {
		t.Error("a writer's error is lost")
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }
