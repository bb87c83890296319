package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dyno/internal/golden"
)

// write puts files into a folder of the test and returns the path of the first.
func write(t *testing.T, script string, others map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "script.yml")
	if err := os.WriteFile(path, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, content := range others {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

const frame = "config:\n  target: http://127.0.0.1:1\n"

// Every refusal is one line that names file, line and column, the cause and the way out.
func TestRefusals(t *testing.T) {
	var got strings.Builder
	for _, script := range []string{
		"",
		"config: {}\n",
		"config: {target: nowhere}\nscenarios: [{flow: [{think: 1}]}]\n",
		"config: {target: 'ftp://127.0.0.1'}\nscenarios: [{flow: [{think: 1}]}]\n",
		"config: {target: '{{ $env.NOT_SET_ANYWHERE }}'}\nscenarios: [{flow: [{think: 1}]}]\n",
		frame,
		frame + "  phases: [{duration: 1, arivalRate: 2}]\nscenarios: [{flow: [{think: 1}]}]\n",
		frame + "  phases: [{duration: 1, arrivalRate: 2}, {duration: 1}]\nscenarios: [{flow: [{think: 1}]}]\n",
		frame + "  plugins: {fake-data: {}}\nscenarios: [{flow: [{think: 1}]}]\n",
		frame + "  plugins: {metrics-by-endpoint: {useOnlyNames: true}}\nscenarios: [{flow: [{think: 1}]}]\n",
		frame + "  plugins: {apdex: {threshold: 0}}\nscenarios: [{flow: [{think: 1}]}]\n",
		frame + "  phases: [{duration: 1, arrivalRate: 2, mode: poisson}]\nscenarios: [{flow: [{think: 1}]}]\n",
		frame + "scenarios:\n  - onError: oops\n    flow: [{think: 1}]\n",
		frame + "  engines: {playwright: {}}\nscenarios: [{flow: [{think: 1}]}]\n",
		frame + "  http: {timeout: never}\nscenarios: [{flow: [{think: 1}]}]\n",
		frame + "  http: {pool: 0}\nscenarios: [{flow: [{think: 1}]}]\n",
		frame + "  payload: {path: missing.csv, fields: [a]}\nscenarios: [{flow: [{think: 1}]}]\n",
		frame + "  payload: {path: empty.csv, fields: [a]}\nscenarios: [{flow: [{think: 1}]}]\n",
		frame + "  payload: {path: a.csv}\nscenarios: [{flow: [{think: 1}]}]\n",
		frame + "  processor: ./missing.js\nscenarios: [{flow: [{think: 1}]}]\n",
		frame + "  processor: ./broken.js\nscenarios: [{flow: [{think: 1}]}]\n",
		frame + "  processor: ./module.mjs\nscenarios: [{flow: [{think: 1}]}]\n",
		frame + "  processor: ./needs.js\nscenarios: [{flow: [{think: 1}]}]\n",
		frame + "  processor: ./ok.js\nscenarios:\n  - flow:\n    - function: helo\n",
		frame + "  ensure: {conditions: [{expression: 'p99 <'}]}\nscenarios: [{flow: [{think: 1}]}]\n",
		frame + "  ensure: {maxErrorRate: few}\nscenarios: [{flow: [{think: 1}]}]\n",
		frame + "scenarios:\n  - engine: socketio\n    flow: [{think: 1}]\n",
		frame + "scenarios:\n  - flow: []\n",
		frame + "scenarios:\n  - weight: -1\n    flow: [{think: 1}]\n",
		frame + "scenarios:\n  - weight: 0\n    flow: [{think: 1}]\n",
		frame + "scenarios:\n  - flow:\n    - emit: {channel: x}\n",
		frame + "scenarios:\n  - flow:\n    - parallel: [{think: 1}]\n",
		frame + "scenarios:\n  - flow:\n    - count: 3\n",
		frame + "scenarios:\n  - flow:\n    - think: 1\n      log: x\n",
		frame + "scenarios:\n  - flow:\n    - think: long\n",
		frame + "scenarios:\n  - flow:\n    - loop: [{think: 1}]\n",
		frame + "scenarios:\n  - flow:\n    - function: hello\n",
		frame + "scenarios:\n  - flow:\n    - get: {ulr: /}\n",
		frame + "scenarios:\n  - flow:\n    - get: {}\n",
		frame + "scenarios:\n  - flow:\n    - get: {url: '/{{ id'}\n",
		frame + "scenarios:\n  - flow:\n    - get: {url: /, ifTrue: 'a =='}\n",
		frame + "scenarios:\n  - flow:\n    - get: {url: /, capture: {selector: a, as: x}}\n",
		frame + "scenarios:\n  - flow:\n    - get: {url: /, capture: {json: '$.a'}}\n",
		frame + "scenarios:\n  - flow:\n    - get: {url: /, capture: {json: '$[', as: x}}\n",
		frame + "scenarios:\n  - flow:\n    - get: {url: /, capture: {regexp: '(', as: x}}\n",
		frame + "scenarios:\n  - flow:\n    - get: {url: /, capture: [{regexp: 'a', header: b, as: x}]}\n",
		frame + "scenarios:\n  - flow:\n    - get: {url: /, match: {json: '$.a'}}\n",
		frame + "scenarios:\n  - flow:\n    - get: {url: /, expect: [{statusCod: 200}]}\n",
		frame + "scenarios:\n  - flow:\n    - get: {url: /, expect: [{}]}\n",
		frame + "scenarios:\n  - flow:\n    - post: {url: /, formData: {f: {fromFile: missing.bin}}}\n",
	} {
		path := write(t, script, map[string]string{
			"empty.csv": "", "a.csv": "1\n", "broken.js": "module.exports = {", "module.mjs": "export function f() {}",
			"needs.js": "require('fs')", "ok.js": "module.exports = { hello() {} }",
		})
		_, err := Read(path, Options{})
		if err == nil {
			t.Errorf("accepted:\n%s", script)
			continue
		}
		message := strings.ReplaceAll(err.Error(), filepath.Dir(path)+"/", "")
		if strings.Contains(message, "\n") || !strings.HasPrefix(message, "script.yml:") {
			t.Errorf("not one line with its place: %q", message)
		}
		got.WriteString(message + "\n")
	}
	golden.Check(t, "refusals.txt", got.String())
}

func TestEnvironmentsOverridesAndVariables(t *testing.T) {
	script := `
config:
  target: http://127.0.0.1:1
  phases: [{duration: 1, arrivalRate: 1}]
  variables: {a: 1, b: 2}
  http: {timeout: 3}
  environments:
    big:
      target: "http://127.0.0.1:{{ $env.PORT }}"
      phases: [{duration: 10, arrivalRate: 5}]
      variables: {b: 3}
scenarios: [{flow: [{think: 1}]}]
`
	path := write(t, script, nil)
	p, err := Read(path, Options{Environment: "big", Environ: []string{"PORT=77"}, Variables: map[string]any{"c": 4.0},
		Overrides: `{"config": {"http": {"timeout": 5}}}`})
	if err != nil {
		t.Fatal(err)
	}
	if p.Target.Host != "127.0.0.1:77" || p.Users() != 50 || p.timeoutNs != 5e9 ||
		p.shared["a"] != 1.0 || p.shared["b"] != 3.0 || p.shared["c"] != 4.0 || p.shared["$environment"] != "big" {
		t.Errorf("target %v, %d users, timeout %d ns, variables %v", p.Target, p.Users(), p.timeoutNs, p.shared)
	}
	for want, o := range map[string]Options{
		`did you mean "big"?`:       {Environment: "bug"},
		"--overrides:1:":            {Overrides: `{"config": {"fases": []}}`},
		"http://127.0.0.1:8080":     {Target: "::"},
		"something that Artillery":  {Overrides: `{"config": {"ws": {}}}`},
		"dyno scenario speaks http": {Target: "ftp://127.0.0.1:1"},
		`unknown scenario "on"`:     {Scenario: "on"},
	} {
		if _, err := Read(path, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v; want an error with %q", o, err, want)
		}
	}
}

func TestOneScenarioAlone(t *testing.T) {
	path := write(t, frame+"scenarios:\n  - {name: a, weight: 0, flow: [{think: 1}]}\n  - {name: b, flow: [{think: 1}]}\n  - {name: c, flow: [{think: 1}]}\n  - {name: c, flow: [{think: 1}]}\n", nil)
	p, err := Read(path, Options{Scenario: "a", Insecure: true})
	if err != nil || len(p.flows) != 1 || p.flows[0].name != "a" || p.flows[0].weight != 1 || !p.insecure {
		t.Errorf("%+v, %v", p, err)
	}
	for name, want := range map[string]string{"c": `2 scenarios have the name "c"`, "d": `unknown scenario "d"`} {
		if _, err := Read(path, Options{Scenario: name}); err == nil || !strings.Contains(err.Error(), "script.yml:4:3: "+want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(frame + "scenarios: [{flow: [{get: {url: /}}]}]\n")
	f.Add(frame + "  phases: [{duration: 2, arrivalRate: 1, rampTo: 3}]\nscenarios: [{flow: [{loop: [{think: 1}], count: 2}]}]\n")
	path := filepath.Join(f.TempDir(), "script.yml")
	f.Fuzz(func(t *testing.T, script string) {
		if err := os.WriteFile(path, []byte(script), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path, Options{}); err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("more than one line: %q", err)
		}
	})
}
