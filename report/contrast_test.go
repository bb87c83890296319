package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"

	"dyno"
	"dyno/internal/golden"
	"dyno/report/internal/typeset"
	"dyno/stat"
)

// regression is a run, and one of a later version in which Bun has become slower.
func regression() (dyno.Contrast, []Judged) {
	all := cells([]int{64, 1024}, seedLoads[1], seedLoads[2])
	before := measure(all, 6, 0.01, denoServer, bunServer)
	slower := bunServer
	slower.rate *= 0.88
	after := measure(all[:3], 6, 0.01, denoServer, slower, goServer)
	after.run.ID = "minecraft-20261122-090000"
	after.run.Machine.Hostname = "ci-7 <b>"
	c := stat.Contrast(dyno.Side{Run: before.run}, dyno.Side{Run: after.run}, before.trials, after.trials)
	judged := make([]Judged, len(c.Changes))
	for i, x := range c.Changes {
		judged[i].Change = x
		if x.Measure == dyno.Throughput && x.Outcome == dyno.Worse {
			judged[i].Failed = "throughput<-5%: throughput of framed-bun, " + x.Cell.String() + ": -12.0 %"
		}
	}
	return c, judged
}

var shownMeasures = []dyno.Measure{dyno.Throughput, dyno.P99Time, dyno.CPUCost}

func TestContrastReports(t *testing.T) {
	c, judged := regression()
	for name, write := range map[string]func(b *bytes.Buffer) error{
		"contrast.txt":    func(b *bytes.Buffer) error { return ContrastText(b, c, judged, shownMeasures, Options{}) },
		"contrast-60.txt": func(b *bytes.Buffer) error { return ContrastText(b, c, judged, shownMeasures, Options{Width: 60}) },
		"contrast.md":     func(b *bytes.Buffer) error { return ContrastMarkdown(b, c, judged, shownMeasures) },
		"contrast.html": func(b *bytes.Buffer) error {
			return asideOf(b, func(b *bytes.Buffer) error { return ContrastHTML(b, c, judged, shownMeasures) })
		},
		"contrast.xml": func(b *bytes.Buffer) error { return ContrastJUnit(b, c, judged) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, name, b.String())
		for line := range strings.Lines(b.String()) {
			if strings.HasSuffix(name, ".txt") && typeset.Width(strings.TrimRight(line, "\n")) > 100 {
				t.Errorf("%s: a line is too wide: %s", name, line)
			}
		}
	}
}

// asideOf keeps what a page says, without what all pages have.
func asideOf(b *bytes.Buffer, write func(*bytes.Buffer) error) error {
	var page bytes.Buffer
	err := write(&page)
	b.WriteString(asidePages.ReplaceAllString(page.String(), ""))
	return err
}

func TestContrastForPrograms(t *testing.T) {
	c, judged := regression()
	var b bytes.Buffer
	if err := ContrastJSON(&b, c, judged); err != nil {
		t.Fatal(err)
	}
	var again struct {
		Schema  string
		Changes []Judged
	}
	if err := json.Unmarshal(b.Bytes(), &again); err != nil || again.Schema != ContrastSchema || len(again.Changes) != len(judged) || again.Changes[0] != judged[0] {
		t.Errorf("%v: %+v", err, again)
	}
	b.Reset()
	if err := ContrastJUnit(&b, c, judged); err != nil {
		t.Fatal(err)
	}
	var suites junitSuites
	if err := xml.Unmarshal(b.Bytes(), &suites); err != nil || suites.Suites[0].Failures != 3-1 && suites.Suites[0].Failures != 3 || suites.Suites[0].Tests != len(judged) {
		t.Errorf("%v: %+v", err, suites)
	}
	if err := ContrastText(fullDisk{}, c, judged, shownMeasures, Options{}); err == nil {
		t.Error("a writer's error is lost")
	}
}

func TestForestLines(t *testing.T) {
	const scale = 0.1
	for want, ratio := range map[string]dyno.Estimate{
		"········│········": {},
		"········●········": {Value: 1, N: 1},
		"·······├●┤·······": {Value: 1, Low: 0.99, High: 1.01, N: 5},
		"····├─●─┼┤·······": {Value: 0.972, Low: 0.952, High: 1.01, N: 5},
		"├●······│········": {Value: 0.912, Low: 0.5, High: 0.92, N: 5},
		"········│······├●": {Value: 3, Low: 1.09, High: 4, N: 5},
	} {
		if got := forestLine(ratio, scale); got != want {
			t.Errorf("%+v:\n%q, want\n%q", ratio, got, want)
		}
	}
}
