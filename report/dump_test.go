package report

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"dyno/internal/golden"
)

func TestDumpGolden(t *testing.T) {
	dumps := Dumps(scenes()["frameworks"].verdict())
	if len(dumps) != 12 {
		t.Errorf("%d dumps of 12 frameworks", len(dumps))
	}
	golden.Check(t, "dump.txt", dumps["http-5"])
	for _, name := range slices.Sorted(maps.Keys(dumps)) {
		if strings.Count(dumps[name], "Reqs/sec") != 3 {
			t.Errorf("%s:\n%s", name, dumps[name])
		}
	}
}

// TestDumpsOfOthers: a contract with other replies has no such files, nor has a run without figures.
func TestDumpsOfOthers(t *testing.T) {
	for name, s := range scenes() {
		if s.run.Suite.Contract != "httpbasic" && len(Dumps(s.verdict())) > 0 {
			t.Errorf("%s has dumps", name)
		}
	}
	nothing := scenes()["nothing"]
	nothing.run.Suite.Contract = "httpbasic"
	if dumps := Dumps(nothing.verdict()); len(dumps) > 0 {
		t.Errorf("dumps of nothing: %v", dumps)
	}
}

func TestLasting(t *testing.T) {
	for ns, want := range map[float64]string{0: "0.00us", 12_345: "12.35us", 999_999: "1000.00us", 1e6: "1.00ms", 2.5e9: "2.50s"} {
		if got := lasting(ns); got != want {
			t.Errorf("%g ns: %s, want %s", ns, got, want)
		}
	}
}
