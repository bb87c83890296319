package subjects_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
)

// patience bounds every wait of these tests; nothing in them is expected to take long.
const patience = 20 * time.Second

// runtimeSpec is one entry of runtimes.yaml.
type runtimeSpec struct {
	Title          string            `yaml:"title"`
	Engine         string            `yaml:"engine"`
	EngineLanguage string            `yaml:"engine_language"`
	Language       string            `yaml:"language"`
	FirstRelease   int               `yaml:"first_release"`
	Packages       map[string]string `yaml:"packages"`
	Binary         string            `yaml:"binary"`
	Build          []string          `yaml:"build"`
	Run            []string          `yaml:"run"`
	Version        []string          `yaml:"version"`
}

// manifest is one subject.yaml.
type manifest struct {
	Title    string            `yaml:"title"`
	Contract string            `yaml:"contract"`
	Runtime  string            `yaml:"runtime"`
	Entry    string            `yaml:"entry"`
	Args     []string          `yaml:"args"`
	Env      map[string]string `yaml:"env"`

	BaselineOf   string `yaml:"baseline_of"`
	Package      string `yaml:"package"`
	Backend      string `yaml:"backend"`
	Patched      string `yaml:"patched"`
	Unmaintained string `yaml:"unmaintained"`
	Unavailable  string `yaml:"unavailable"`
}

// decodeStrict reads a YAML file in which every key must be known.
func decodeStrict(t *testing.T, path string, out any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(out); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func runtimes(t *testing.T) map[string]runtimeSpec {
	t.Helper()
	specs := map[string]runtimeSpec{}
	decodeStrict(t, "runtimes.yaml", &specs)
	return specs
}

// binary returns the absolute path of a runtime's pinned executable. It skips the test where the
// runtime is not installed, except in CI, where that is a failure.
func (spec runtimeSpec) binary(t *testing.T) string {
	t.Helper()
	if spec.Binary == "" {
		return ""
	}
	path, err := filepath.Abs(filepath.Join("node_modules", spec.Packages[runtime.GOARCH], spec.Binary))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		report := t.Skipf
		if os.Getenv("CI") != "" {
			report = t.Fatalf
		}
		report("%s is not installed: run `npm ci --ignore-scripts --prefix subjects`", spec.Title)
	}
	return path
}

// expand fills in the placeholders of an argv template.
func expand(argv []string, values map[string]string) []string {
	expanded := make([]string, len(argv))
	for i, word := range argv {
		for name, value := range values {
			word = strings.ReplaceAll(word, "{"+name+"}", value)
		}
		expanded[i] = word
	}
	return expanded
}

// command returns the argv that starts a subject, after building it where its runtime says so.
func command(t *testing.T, spec runtimeSpec, m manifest, dir string) []string {
	t.Helper()
	values := map[string]string{
		"binary": spec.binary(t),
		"entry":  filepath.Join(dir, m.Entry),
		"dir":    dir,
		"output": filepath.Join(t.TempDir(), filepath.Base(dir)),
	}
	if len(spec.Build) > 0 {
		build := expand(spec.Build, values)
		if out, err := exec.Command(build[0], build[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(build, " "), err, out)
		}
	}
	return append(expand(spec.Run, values), m.Args...)
}

// server is a running subject.
type server struct {
	addr   string
	cmd    *exec.Cmd
	stderr bytes.Buffer
	done   chan struct{} // closed when the process has been waited for
}

// start runs the subject in dir and waits until it accepts connections.
func start(t *testing.T, dir string) *server {
	t.Helper()
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	var m manifest
	decodeStrict(t, filepath.Join(dir, "subject.yaml"), &m)
	argv := command(t, runtimes(t)[m.Runtime], m, dir)

	port := freePort(t)
	s := &server{addr: fmt.Sprintf("127.0.0.1:%d", port), done: make(chan struct{})}
	s.cmd = exec.Command(argv[0], argv[1:]...)
	s.cmd.Dir = dir
	s.cmd.Env = append(os.Environ(), "HOST=127.0.0.1", fmt.Sprintf("PORT=%d", port), "NODE_ENV=production")
	for key, value := range m.Env {
		s.cmd.Env = append(s.cmd.Env, key+"="+value)
	}
	s.cmd.Stderr = &s.stderr
	// Cleanup does not run when the test binary is killed or times out.
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		s.cmd.Wait()
		close(s.done)
	}()
	t.Cleanup(func() {
		s.cmd.Process.Kill()
		<-s.done
	})
	s.awaitReady(t)
	return s
}

func (s *server) awaitReady(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if conn, err := net.Dial("tcp", s.addr); err == nil {
			conn.Close()
			return
		}
		select {
		case <-s.done:
			t.Fatalf("%v ended before it listened: %v\n%s", s.cmd.Args, s.cmd.ProcessState, &s.stderr)
		default:
		}
	}
	t.Fatalf("%v did not listen within %v", s.cmd.Args, patience)
}

// terminate sends SIGTERM and returns the exit status.
func (s *server) terminate(t *testing.T) int {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case <-s.done:
		return s.cmd.ProcessState.ExitCode()
	case <-time.After(patience):
		t.Fatalf("still running %v after SIGTERM", patience)
		return -1
	}
}

func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}
