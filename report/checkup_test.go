package report

import (
	"fmt"
	"strings"
	"testing"

	"dyno"
	"dyno/internal/golden"
	"dyno/report/internal/typeset"
)

// inventory has subjects of three contracts; some cannot run, for three reasons.
func inventory() []dyno.Subject {
	all := []dyno.Subject{
		{Name: "framed-bun", Contract: "framed", Runtime: "bun", RuntimeVersion: "1.4.5"},
		{Name: "framed-go", Contract: "framed", Runtime: "go", RuntimeVersion: "1.26.8"},
		{Name: "http-abc-deno", Contract: "httpbasic", Runtime: "deno", Unmaintained: "no release since 2022",
			Unavailable: "not on npm, only at deno.land/x for import by URL; it needs Deno 1, too"},
		{Name: "http-bun-bakery-bun", Contract: "httpbasic", Runtime: "bun", RuntimeVersion: "1.4.5", Package: "@kapsonfire/bun-bakery", PackageVersion: "0.4.12",
			Patched: "the router", Unmaintained: "no release since 2023"},
		{Name: "http-ultimate-express-node", Contract: "httpbasic", Runtime: "node20", RuntimeVersion: "20.20.2", Package: "uWebSockets.js", PackageVersion: "20.30.0-unofficial.0",
			Backend: "native; µWebSockets"},
		{Name: "echo-bun", Contract: "raw-echo", Runtime: "bun", RuntimeVersion: "1.4.5"},
		{Name: "evil", Contract: "framed", Runtime: "exec", Unavailable: "\x1b[31mno such file\nat all: " + strings.Repeat("a/", 80)},
	}
	for i := range 9 {
		all = append(all, dyno.Subject{Name: fmt.Sprintf("http-runtime-node22-%d", i), Contract: "httpbasic", Runtime: "node22", Unavailable: "node22 is not installed: run `make reinstall`"})
	}
	return all
}

func TestListOfSubjectsGolden(t *testing.T) {
	for _, width := range []int{80, 100} {
		var b strings.Builder
		if err := Subjects(&b, inventory(), Options{Width: width}); err != nil {
			t.Fatal(err)
		}
		checkWidth(t, b.String(), width)
		golden.Check(t, fmt.Sprintf("subjects-%d.txt", width), b.String())
	}
}

func TestCheckupGolden(t *testing.T) {
	checks := []Check{
		{Thing: "CPUs", Seen: "2 usable: client on [0], servers on [1]"},
		{Thing: "Virtualisation", Seen: "kvm", Advice: "neighbours on the host are noise that dyno can only average out; prefer more blocks to longer ones"},
		{Thing: "Results", Seen: "cannot be stored", Advice: "mkdir results: permission denied; choose a folder that can be written with --out", Vital: true},
		{Thing: "Resolution", Seen: "4.4 % in a minute, 1.3 % in ten, 0.52 % in an hour (one pair of steady servers)"},
		{Thing: "Subjects", Seen: "5 of 16 can run here"},
	}
	for _, width := range []int{80, 100} {
		var b strings.Builder
		if err := Checkup(&b, checks, inventory(), Options{Width: width}); err != nil {
			t.Fatal(err)
		}
		checkWidth(t, b.String(), width)
		golden.Check(t, fmt.Sprintf("checkup-%d.txt", width), b.String())
	}
	var b strings.Builder
	if err := Checkup(&b, checks[:1], inventory()[:2], Options{}); err != nil || strings.Contains(b.String(), "Cannot run") {
		t.Errorf("%v: where all subjects can run, none cannot:\n%s", err, b.String())
	}
}

func checkWidth(t *testing.T, text string, width int) {
	t.Helper()
	for line := range strings.SplitSeq(text, "\n") {
		if typeset.Width(line) > width {
			t.Errorf("%d columns, the limit is %d: %s", typeset.Width(line), width, line)
		}
	}
}
