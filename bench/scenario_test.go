package main

import (
	"bytes"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"testing"

	"dyno/bench/internal/table"
	"dyno/internal/golden"
	"dyno/load"
	"dyno/scenario"
)

func TestDifferNamesWhatDiffers(t *testing.T) {
	ours := map[string]int64{"http.requests": 5, "http.codes.200": 5, "vusers.failed": 0, "http.downloaded_bytes": 7}
	theirs := map[string]int64{"http.requests": 5, "http.codes.200": 3, "errors.ETIMEDOUT": 2, "http.downloaded_bytes": 1, "plugins.metrics-by-endpoint./": 9}
	lines, sum := differ(ours, theirs)
	if sum != 4 || strings.Join(lines, "; ") != "errors.ETIMEDOUT is 0 with dyno and 2 with Artillery; http.codes.200 is 5 with dyno and 3 with Artillery" {
		t.Errorf("%d, %q", sum, lines)
	}
}

func TestParseScenarioReport(t *testing.T) {
	run, err := parseScenarioReport([]byte(`{"aggregate":{"counters":{"vusers.created":10,"vusers.completed":10},"firstCounterAt":1000,"lastCounterAt":3000}}`))
	if err != nil || run.perS() != 5 {
		t.Errorf("%v, %v users/s", err, run.perS())
	}
	for _, bad := range []string{"", "{}", `{"aggregate":{"counters":{"vusers.created":2,"vusers.completed":1}}}`} {
		if _, err := parseScenarioReport([]byte(bad)); err == nil {
			t.Errorf("accepted %q", bad)
		}
	}
}

func TestScenarioReport(t *testing.T) {
	dyno := &scenarioFigures{[]float64{50, 52}, []float64{70, 75}, []float64{20_000, 21_000}, []float64{80, 81}}
	artillery := &scenarioFigures{[]float64{900, 1000}, []float64{1500, 1600}, []float64{700, 690}, nil}
	var out bytes.Buffer
	table.Write(&out, "scenario-cost", scenarioResult(dyno, artillery, 2, 20_000), true)
	golden.Check(t, "scenario.txt", out.String())
}

// Every script of the bench is one that dyno takes, and the server answers what it asks.
func TestScriptsFitTheServer(t *testing.T) {
	s := httptest.NewServer(shopHandler())
	defer s.Close()
	entries, err := os.ReadDir("scenario")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".yml") {
			continue
		}
		p, err := scenario.Read("scenario/"+entry.Name(), scenario.Options{Target: s.URL,
			Overrides: `{"config":{"phases":[{"duration":0.01,"arrivalCount":2}]}}`})
		if err != nil {
			t.Error(err)
			continue
		}
		playOnce(t, p, entry.Name())
	}
}

func resolveLoopback(host, port string) (netip.AddrPort, error) {
	return netip.ParseAddrPort(host + ":" + port)
}

// playOnce runs a script with two users, unless they think for long.
func playOnce(t *testing.T, p *scenario.Program, name string) {
	t.Helper()
	if name == "held.yml" {
		return
	}
	engine, err := load.New(load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	r, err := p.Run(t.Context(), engine, scenario.RunOptions{Resolve: resolveLoopback})
	if err != nil {
		t.Fatal(err)
	}
	if c := r.Aggregate.Counters; c["vusers.completed"] != 2 || c["plugins.expect.failed"] != 0 || c["http.codes.400"] != 0 {
		t.Errorf("%s: %v", name, c)
	}
}
