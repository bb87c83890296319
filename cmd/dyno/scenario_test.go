package main_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const scenarioScript = `
config:
  target: %s
  phases: [{name: all, duration: 0.2, arrivalCount: 20}]
  ensure: {thresholds: [{vusers.failed: %d}]}
scenarios:
  - name: visit
    flow: [{get: {url: /, expect: {statusCode: %d}}}, {log: "seen {{ who }}"}]
`

// scenarioFile writes a script and returns its path.
func scenarioFile(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "script.yml")
	must(t, os.WriteFile(path, []byte(script), 0o644))
	return path
}

func TestScenario(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") })
	report := filepath.Join(t.TempDir(), "report.json")
	good := scenarioFile(t, fmt.Sprintf(scenarioScript, s.URL, 1, 200))
	o := b.dyno("scenario", good, "-o", report, "--seed", "5", "-v", `{"who": "ann"}`)
	for _, want := range []string{"seed 5", "phase 0, all: 200ms from 0s on, 20 users in 0.2 s", "Summary report @", "http.codes.200: ...",
		"vusers.completed: .......", "http.total:", "seen ann", "ok: vusers.failed < 1", "busy"} {
		if !strings.Contains(o.stdout, want) {
			t.Errorf("no %q in\n%s", want, o.stdout)
		}
	}
	for line := range strings.Lines(o.stdout) {
		if len(line) > 101 {
			t.Errorf("a line of %d columns: %s", len(line), line)
		}
	}
	data, err := os.ReadFile(report)
	var file struct {
		Aggregate struct{ Counters map[string]int64 }
	}
	if err != nil || json.Unmarshal(data, &file) != nil || file.Aggregate.Counters["vusers.completed"] != 20 {
		t.Errorf("report %s, %v", data, err)
	}
	if o.code() != 0 {
		t.Errorf("exit %d\n%s", o.code(), o.stderr)
	}
	quiet := b.dyno("scenario", good, "--quiet", "--out", "", "--overrides", `{"scenarios": [{"flow": [{"get": {"url": "/"}}]}]}`)
	if quiet.code() != 0 || quiet.stdout != "" || quiet.stderr != "" {
		t.Errorf("--quiet prints, exit %d\n%s%s", quiet.code(), quiet.stdout, quiet.stderr)
	}
}

// A script's repetitions are trials of a run that every other command knows.
func TestScenariosAreStored(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") })
	script, out := scenarioFile(t, fmt.Sprintf(scenarioScript, s.URL, 1, 200)), t.TempDir()
	var ids []string
	for range 2 {
		o := b.dyno("scenario", script, "--repeat", "3", "--out", out)
		id := regexp.MustCompile(`stored as (\S+); dyno report`).FindStringSubmatch(o.stdout)
		if o.code() != 0 || id == nil || !strings.Contains(o.stdout, "repetition 3 of 3") {
			t.Fatalf("exit %d\n%s\n%s", o.code(), o.stdout, o.stderr)
		}
		ids = append(ids, id[1])
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"list", "runs"}, "complete  3 of 3"},
		{[]string{"report", ids[0]}, "answers 95 % of the requests within"},
		{[]string{"report", ids[0], "--format", "md"}, "| http.codes.200 | 60 |"},
		{[]string{"report", ids[0], "--format", "md"}, "| vusers.failed &lt; 1 | 3 of 3 |"},
		{[]string{"report", ids[0], "--format", "html"}, "In Artillery"},
		{[]string{"compare", ids[0], ids[1]}, "Session of a user, mean"},
	} {
		if o := b.dyno(append(c.args, "--out", out)...); o.code() != 0 || !strings.Contains(o.stdout, c.want) {
			t.Errorf("%v: exit %d, no %q in\n%s%s", c.args, o.code(), c.want, o.stdout, o.stderr)
		}
	}
}

func TestScenarioExitStatuses(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") })
	good := fmt.Sprintf(scenarioScript, s.URL, 1, 200)
	for _, c := range []struct {
		script string
		args   []string
		code   int
		want   string
	}{
		{fmt.Sprintf(scenarioScript, s.URL, 0, 200), nil, 1, "a check of config.ensure failed: vusers.failed < 0"},
		{fmt.Sprintf(scenarioScript, s.URL, 1, 404), nil, 1, "20 expectations were not met"},
		{strings.Replace(good, "/,", "'{{ nowhere }}',", 1), nil, 1, "a check of config.ensure failed"},
		{good, []string{"--overrides", `{"config": {"ensure": {"thresholds": [{"vusers.failed": 99}]}}}`, "-t", "http://127.0.0.1:1"}, 1, "none of 20 users completed (ECONNREFUSED)"},
		{good, []string{"-e", "staging"}, 2, `environment`},
		{good, []string{"-v", "{"}, 2, "is no JSON object"},
		{good, []string{"--overrides", "{"}, 2, "--overrides:1:"},
		{good, []string{"-w", "0"}, 2, "--workers 0"},
		{good, []string{"--repeat", "0"}, 2, "--repeat 0"},
		{good, []string{"--repeat", "2", "-o", "report.json"}, 2, "leave out --repeat"},
		{good, []string{"-o", "/nowhere/at/all.json"}, 2, "choose a file that can be written"},
		{good, []string{"-t", "http://192.0.2.1"}, 2, "add --allow-remote only"},
		{strings.Replace(good, "flow:", "flwo:", 1), nil, 2, `did you mean "flow"?`},
	} {
		o := b.dyno(append([]string{"scenario", scenarioFile(t, c.script)}, c.args...)...)
		if o.code() != c.code || !strings.Contains(o.lastLine(), c.want) {
			t.Errorf("%v: exit %d, %q; want %d and %q", c.args, o.code(), o.lastLine(), c.code, c.want)
		}
	}
	for _, args := range [][]string{{"scenario"}, {"scenario", "missing.yml"}, {"scenario", "a.yml", "b.yml"}} {
		if o := b.dyno(args...); o.code() != 2 || strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("%v: exit %d, %q", args, o.code(), o.stderr)
		}
	}
}
