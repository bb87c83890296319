package lab

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"dyno"
)

const visitScript = `
config: {target: "http://127.0.0.1:1", phases: [{duration: 0.2, arrivalCount: 20}]}
scenarios: [{name: visit, flow: [{get: {url: /, expect: {statusCode: 200}}}, {get: {url: /again, match: {regexp: "^.*$", value: hello}}}]}]
`

const visitSuite = `
contract: httpbasic
subjects: [a, b]
scenarios: [{script: visits.yml}]
blocks: 2
rounds: 4
warm_up: 100ms
quick: {scenarios: [{script: visits.yml, users: 8}]}
`

// visitDir returns a folder with the suite s and its script.
func visitDir(t *testing.T, suite, script string) string {
	t.Helper()
	dir := writeSuite(t, "s", suite)
	if err := os.WriteFile(filepath.Join(dir, "visits.yml"), []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// serving answers every request with a body.
func serving(body string) func(net.Conn) {
	return func(c net.Conn) {
		for r := bufio.NewReader(c); ; {
			request, err := http.ReadRequest(r)
			if err != nil {
				return
			}
			io.Copy(io.Discard, request.Body)
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		}
	}
}

func TestScenariosAreTheScriptOnceATrial(t *testing.T) {
	dir := visitDir(t, visitSuite, visitScript)
	for quick, users := range map[bool]int64{false: 20, true: 8} {
		suites, err := LoadSuites(dir, "s", quick)
		if err != nil {
			t.Fatal(err)
		}
		b := newBench(t, map[string]func(net.Conn){"a": serving("hello"), "b": serving("hello")})
		if err := b.Measure(t.Context(), testRun(suites[0], "a", "b"), done()); err != nil {
			t.Fatal(err)
		}
		if n := len(b.store.keys(t)); n != 4 {
			t.Fatalf("%d trials, want 4", n)
		}
		for _, trial := range b.store.trials {
			replies := int64(0)
			for _, s := range trial.Slices[:4] { // more make up for disturbed ones
				replies += s.Replies
			}
			v := trial.Visits
			if trial.Void != "" || replies != 2*users || v.Completed != v.Created || v.Codes[200] != v.Requests || v.Created < users {
				t.Errorf("quick %v: %+v", quick, trial)
			}
			if trial.Cell.Load.Users != int(users) || trial.FirstByte.Count() != v.Requests || trial.Session.Count() != v.Created || trial.Latency.Count() != v.Requests {
				t.Errorf("quick %v: %d, %d, %d times of %+v", quick, trial.FirstByte.Count(), trial.Session.Count(), trial.Latency.Count(), v)
			}
		}
	}
}

func TestUsersWhoFailVoidTheTrial(t *testing.T) {
	suites, err := LoadSuites(visitDir(t, visitSuite, visitScript), "s", true)
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, map[string]func(net.Conn){"a": serving("hello"), "b": serving("wrong"), "c": func(net.Conn) {}})
	if err := b.Measure(t.Context(), testRun(suites[0], "a", "b", "c"), done()); err != nil {
		t.Fatal(err)
	}
	for _, trial := range b.store.trials {
		want := map[string]string{"a": "", "b": "Failed capture or match", "c": "ECONNRESET"}[trial.Subject]
		if !strings.Contains(trial.Void, want) || want == "" && trial.Void != "" {
			t.Errorf("%s: %q; want %q", trial.Subject, trial.Void, want)
		}
	}
}

func TestScriptsOfSuitesAreRefusedWithTheirPlace(t *testing.T) {
	for _, c := range []struct{ suite, script, want string }{
		{strings.Replace(visitSuite, "httpbasic", "framed", 1), visitScript, "scripts speak HTTP, and the contract framed does not"},
		{strings.Replace(visitSuite, "[{script: visits.yml}]", "[{users: 3}]", 1), visitScript, `s.yaml:4:13: a scenario needs a "script"`},
		{strings.Replace(visitSuite, "visits.yml", "visit.yml", 1), visitScript, "visit.yml"},
		{visitSuite, strings.Replace(visitScript, "flow", "flwo", 1), `did you mean "flow"?`},
		{visitSuite, strings.Replace(visitScript, "20}", "0}", 1), "no user arrives"},
		{strings.Replace(visitSuite, "users: 8", "users: 21", 1), visitScript, "21 users; the script lets in 20"},
		{strings.Replace(visitSuite, "[{script: visits.yml}]", "[{script: visits.yml}, {script: visits.yml}]", 1), visitScript, "listed twice"},
		{strings.Replace(visitSuite, "rounds: 4", "rounds: 40", 1), visitScript, "20 users of visits.yml do not fill 40 rounds"},
		{visitSuite + "loads: [{connections: 1}]\n", visitScript, "needs workloads and loads, or scenarios alone"},
	} {
		_, err := LoadSuites(visitDir(t, c.suite, c.script), "s", false)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v; want %q", err, c.want)
		}
	}
}

// counting answers like serving, and counts the requests by path.
func counting(body string, counts *sync.Map) func(net.Conn) {
	return func(c net.Conn) {
		for r := bufio.NewReader(c); ; {
			request, err := http.ReadRequest(r)
			if err != nil {
				return
			}
			n, _ := counts.LoadOrStore(request.URL.Path, new(atomic.Int64))
			n.(*atomic.Int64).Add(1)
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		}
	}
}

func TestBeforeAndAfterRunOnceATrialAndPromisesAreKeptWithIt(t *testing.T) {
	script := strings.Replace(visitScript, "phases", "ensure: {thresholds: [{http.response_time.p99: 0.0001}], conditions: [{expression: vusers.failed == 0}, {expression: http.requests < 1, strict: false}]}, phases", 1)
	script = strings.Replace(script, "url: /again", `url: "/{{ word }}"`, 1) +
		"before: {flow: [{get: {url: /enter, capture: {regexp: \"^h\", as: word}}}]}\nafter: {flow: [{get: {url: \"/leave-{{ word }}\"}}]}\n"
	suites, err := LoadSuites(visitDir(t, visitSuite, script), "s", true)
	if err != nil {
		t.Fatal(err)
	}
	var counts sync.Map
	b := newBench(t, map[string]func(net.Conn){"a": counting("hello", &counts), "b": serving("bye")})
	if err := b.Measure(t.Context(), testRun(suites[0], "a", "b"), done()); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/enter", "/leave-h"} { // two blocks are two trials
		if n, _ := counts.Load(path); n == nil || n.(*atomic.Int64).Load() != 2 {
			t.Errorf("%s was asked %v times, want 2", path, n)
		}
	}
	if n, _ := counts.Load("/h"); n == nil {
		t.Error("what the before flow captured did not reach the users")
	}
	for _, trial := range b.store.trials {
		if trial.Subject == "b" {
			if want := "the before hook failed: Failed capture or match"; !strings.Contains(trial.Void, want) || len(trial.Visits.Promises) > 0 {
				t.Errorf("b is void for %q, want %q", trial.Void, want)
			}
			continue
		}
		want := []dyno.Promise{
			{Said: "vusers.failed == 0", Kept: 1}, {Said: "http.response_time.p99 < 0.0001", Broken: 1},
			{Said: "http.requests < 1", Optional: true, Broken: 1},
		}
		if trial.Void != "" || !slices.Equal(trial.Visits.Promises, want) || trial.Visits.Codes[200] != trial.Visits.Requests {
			t.Errorf("void %q, %+v; want %+v", trial.Void, trial.Visits, want)
		}
	}
}

// A script that leaves its subject loads somebody else.
func TestUsersStayWithTheirSubject(t *testing.T) {
	script := strings.Replace(visitScript, "url: /again", `url: "http://192.0.2.1/"`, 1)
	suites, err := LoadSuites(visitDir(t, visitSuite, script), "s", true)
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, map[string]func(net.Conn){"a": serving("hello")})
	if err := b.Measure(t.Context(), testRun(suites[0], "a"), done()); err != nil {
		t.Fatal(err)
	}
	if void := b.store.trials[0].Void; !strings.Contains(void, "192.0.2.1 is not the subject") {
		t.Errorf("void for %q", void)
	}
}
