package subject

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"dyno/host"
	"dyno/internal/golden"
)

func TestEnvironmentIsSmallAndTheSameEverywhere(t *testing.T) {
	t.Setenv("HOME", "/home/nobody")
	t.Setenv("TMPDIR", "/tmp")
	t.Setenv("LANG", "de_DE")
	t.Setenv("NODE_OPTIONS", "--inspect")
	t.Setenv("GOMAXPROCS", "7")
	p := mustStart(t, server(t, "environment", "OWN=value", "NODE_ENV=test"), options())
	waitFor(t, "the environment", func() bool { return len(p.Stderr()) >= 11 })
	port := regexp.MustCompile(`PORT=\d+`)
	golden.Check(t, "environment.golden", port.ReplaceAllString(strings.Join(p.Stderr(), "\n"), "PORT=N")+"\n")
}

func TestWhatASubjectInherits(t *testing.T) {
	s, o := server(t, "files"), options()
	cpus := host.AllowedCPUs()
	o.CPUs = cpus[len(cpus)-1:]
	p := mustStart(t, s, o)
	waitFor(t, "its report", func() bool { return len(p.Stderr()) >= 5 })
	lines := p.Stderr()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if lines[0] != "1" {
		t.Errorf("it inherited %s pipes and sockets, want its stderr alone", lines[0])
	}
	if got, _ := strconv.ParseUint(lines[1], 10, 64); got < min(openFiles, limit.Max) {
		t.Errorf("limit on open files is %s", lines[1])
	}
	if ignored := ignoredSignals(t, lines[2]); ignored&^ownIgnoredSignals(t) != 0 {
		t.Errorf("it ignores signals that dyno does not: %s", lines[2])
	}
	if fields := strings.Fields(lines[3]); fields[len(fields)-1] != strconv.Itoa(o.CPUs[0]) {
		t.Errorf("it may use %s, want CPU %v", lines[3], o.CPUs)
	}
	if lines[4] != s.Dir {
		t.Errorf("it works in %s, want %s", lines[4], s.Dir)
	}
}

// ignoredSignals reads a line "SigIgn:	mask" of /proc/PID/status.
func ignoredSignals(t *testing.T, line string) uint64 {
	t.Helper()
	fields := strings.Fields(line)
	mask, err := strconv.ParseUint(fields[len(fields)-1], 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return mask
}

// ownIgnoredSignals returns what this process was told to ignore: make, for one, leaves two signals of
// the C library ignored in what it starts.
func ownIgnoredSignals(t *testing.T) uint64 {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`SigIgn:\s+\w+`).Find(status)
	return ignoredSignals(t, string(line))
}
