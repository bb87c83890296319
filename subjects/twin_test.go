package subjects_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"syscall"
	"testing"
	"time"

	"dyno/mpacket"
)

// The twin of package mpacket in TypeScript, mpacket/ts, must do what the Go package does: on the test
// vectors, and on random values and random hostile bytes.

var twinSeed = flag.Uint64("twin-seed", 0, "seed of the differential test; 0 means a new one")

// twinPatience bounds one program on one runtime, on a machine that is busy with others.
const twinPatience = 2 * time.Minute

// twinCommand returns the command that runs a program of mpacket/ts on a runtime, killed with the test.
func twinCommand(t *testing.T, specs map[string]runtimeSpec, runtime, program string, args ...string) *exec.Cmd {
	t.Helper()
	argv := map[string][]string{
		"bun":  {"run", "--no-install"},
		"deno": {"run", "--quiet", "--no-check", "--no-lock", "--no-prompt", "--cached-only", "--allow-read"},
		"node": {},
	}[runtime]
	argv = append(slices.Clone(argv), filepath.Join("..", "mpacket", "ts", program))
	cmd := exec.CommandContext(t.Context(), specs[runtime].binary(t), append(argv, args...)...)
	cmd.Env = append(os.Environ(), "NO_COLOR=1", "DENO_NO_UPDATE_CHECK=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.WaitDelay = time.Second
	timer := time.AfterFunc(twinPatience, func() {
		if cmd.Process != nil {
			cmd.Process.Kill()
		}
	})
	t.Cleanup(func() { timer.Stop() })
	return cmd
}

// eachTwin runs check on every runtime that the twin supports.
func eachTwin(t *testing.T, check func(t *testing.T, runtime string)) {
	for _, runtime := range []string{"bun", "deno", "node"} {
		t.Run(runtime, func(t *testing.T) {
			t.Parallel()
			check(t, runtime)
		})
	}
}

// TestTwinVectors runs every vector on every runtime and compares the list of those that ran with the
// files, so that none can be left out.
func TestTwinVectors(t *testing.T) {
	want := vectorNames(t)
	specs := runtimes(t)
	eachTwin(t, func(t *testing.T, runtime string) {
		cmd := twinCommand(t, specs, runtime, "vectors/run.ts")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		ran := map[string]bool{}
		for line := range bytes.Lines(out) {
			var result struct{ File, Name, Problem string }
			if err := json.Unmarshal(line, &result); err != nil {
				t.Fatalf("line %.200q: %v", line, err)
			}
			if result.Problem != "" {
				t.Errorf("%s: %s: %s", result.File, result.Name, result.Problem)
			}
			ran[result.File+"/"+result.Name] = true
		}
		if err != nil && !t.Failed() {
			t.Fatalf("%v: %v\n%s", cmd.Args, err, &stderr)
		}
		for name := range want {
			if !ran[name] {
				t.Errorf("%s was skipped", name)
			}
		}
		if len(ran) != len(want) {
			t.Errorf("%d vectors ran, want %d", len(ran), len(want))
		}
	})
}

// vectorNames returns FILE/NAME of every case of every file.
func vectorNames(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "mpacket", "vectors", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no vectors found: %v", err)
	}
	names := map[string]bool{}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var file struct {
			Cases []struct{ Name string }
		}
		if err := json.Unmarshal(text, &file); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, c := range file.Cases {
			name := filepath.Base(path) + "/" + c.Name
			if names[name] {
				t.Errorf("%s: the name is there twice", name)
			}
			names[name] = true
		}
	}
	return names
}

// twinRequest is a question to mpacket/ts/twin/answer.ts; each op uses some of the fields.
type twinRequest struct {
	Op        string   `json:"op"`
	Type      string   `json:"type,omitempty"`
	Codec     int      `json:"codec"`
	Strict    bool     `json:"strict"`
	SkipEmpty bool     `json:"skip_empty"`
	Limit     int      `json:"limit"`
	Hex       string   `json:"hex"`
	Value     any      `json:"value"`
	Units     *string  `json:"units,omitempty"`
	Pieces    []string `json:"pieces"`
	Secret    string   `json:"secret,omitempty"`
	Threshold int      `json:"threshold"`
	MaxLen    int      `json:"max_len"`
	Ratio     int      `json:"ratio"`
	Burst     int      `json:"burst"`
	Protocol  int32    `json:"protocol"`
}

// twinAnswer is what came of it: the kind and offset of the error, or where reading ended, the value and
// its bytes.
type twinAnswer struct {
	Kind   string   `json:"kind,omitempty"`
	At     int64    `json:"at,omitempty"`
	Offset int      `json:"offset,omitempty"`
	Shown  any      `json:"shown,omitempty"`
	Hex    string   `json:"hex,omitempty"`
	Pieces []string `json:"pieces,omitempty"`
}

// twinCase is a question and what the Go package says to it. read, when set, makes the twin's answer
// comparable where its bytes may differ.
type twinCase struct {
	request twinRequest
	want    twinAnswer
	read    func(twinAnswer) twinAnswer
}

// TestTwinAgrees puts the same random questions to the Go package and to the twin on each runtime.
func TestTwinAgrees(t *testing.T) {
	seed := *twinSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	cases := twinCases(seed)
	var questions []byte
	for i := range cases {
		text, err := json.Marshal(cases[i].request)
		if err != nil {
			t.Fatal(err)
		}
		questions = mpacket.AppendFrame(questions, text)
	}
	specs := runtimes(t)
	eachTwin(t, func(t *testing.T, runtime string) {
		if problem := compareTwin(t, twinCommand(t, specs, runtime, "twin/answer.ts"), questions, cases); problem != "" {
			t.Errorf("%s\nagain: go test ./subjects -run TestTwinAgrees -twin-seed %d", problem, seed)
		}
	})
}

// compareTwin asks all questions and describes the first answer that differs, or what went wrong.
func compareTwin(t *testing.T, cmd *exec.Cmd, questions []byte, cases []twinCase) (problem string) {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(questions), &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(stdout)
	for i := range cases {
		text, err := readFrame(answers)
		if err != nil {
			cmd.Process.Kill()
			problem = fmt.Sprintf("question %d, %s: no answer: %v", i, showJSON(cases[i].request), err)
			break
		}
		if problem = cases[i].differs(text); problem != "" {
			cmd.Process.Kill()
			problem = fmt.Sprintf("question %d: %s", i, problem)
			break
		}
	}
	if err := cmd.Wait(); err != nil && problem == "" || problem != "" && stderr.Len() > 0 {
		return fmt.Sprintf("%s %v\n%s", problem, err, &stderr)
	}
	return problem
}

// differs describes how an answer differs from what Go says, "" when it does not.
func (c *twinCase) differs(text []byte) string {
	var got twinAnswer
	if err := json.Unmarshal(text, &got); err != nil {
		return fmt.Sprintf("answer %.200q: %v", text, err)
	}
	if c.read != nil {
		got = c.read(got)
	}
	var want twinAnswer
	if err := json.Unmarshal(showJSON(c.want), &want); err != nil {
		return err.Error()
	}
	if len(got.Pieces) == 0 {
		got.Pieces = nil // JSON keeps none and an empty list apart
	}
	if reflect.DeepEqual(got, want) {
		return ""
	}
	return fmt.Sprintf("%.1000s\nTypeScript: %.1000s\n        Go: %.1000s", showJSON(c.request), showJSON(got), showJSON(want))
}

func showJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

// readFrame reads one frame, of which bufio hands out the prefix byte by byte.
func readFrame(from *bufio.Reader) ([]byte, error) {
	var prefix []byte
	for {
		c, err := from.ReadByte()
		if err != nil {
			return nil, err
		}
		prefix = append(prefix, c)
		length, n := mpacket.ConsumeFrameLen(prefix)
		if n < 0 {
			return nil, mpacket.ParseError(n)
		}
		if n > 0 {
			frame := make([]byte, length)
			_, err := io.ReadFull(from, frame)
			return frame, err
		}
	}
}
