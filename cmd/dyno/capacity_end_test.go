package main_test

import (
	"io"
	"net"
	"strings"
	"syscall"
	"testing"

	"dyno"
)

// A server that is gone can be loaded at no rate: the search says so at once instead of trying all lower ones.
func TestCapacityOfAServerThatDies(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	go func() {
		var served []net.Conn
		for range 3 { // dyno's connections, and one that reconnects
			c, err := l.Accept()
			if err != nil {
				return
			}
			served = append(served, c)
			go io.CopyN(c, c, 2000)
		}
		l.Close()
		for _, c := range served {
			c.Close()
		}
	}()
	o := b.dyno("capacity", l.Addr().String(), "--slo", "errors<=100%", "-d", "300ms", "-c", "2", "--size", "8", "-t", "1s")
	if o.code() != 1 || !strings.Contains(o.lastLine(), "takes no connections any more") || strings.Count(o.stderr, "broken") > 6 {
		t.Errorf("exit %d: %s%s", o.code(), o.stdout, o.stderr)
	}
}

// Ctrl-C prints what was found until then, in the form that was asked for.
func TestInterruptedSearchIsReported(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	r := b.start(b.command("capacity", b.null("framed"), "--slo", "errors<=100%", "-d", "300ms", "-c", "2", "--most", "500", "--searches", "100", "--format", "md"))
	r.waitFor("search 2 of 100")
	r.signal(syscall.SIGINT)
	o := r.wait()
	if o.code() != 130 || !strings.Contains(o.stdout, "**PARTIAL: interrupted**") || !strings.Contains(o.stdout, "/s |") {
		t.Errorf("exit %d: %s%s", o.code(), o.stdout, o.stderr)
	}
}

// Searches for several subjects that were interrupted are finished by the command that dyno names.
func TestInterruptedComparisonOfCapacitiesIsResumed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	args := []string{"capacity", "good", "other", "--slo", "min<1ns", "-d", "200ms", "-c", "2", "--searches", "2", "--out", b.out}
	r := b.start(b.command(args...))
	r.waitFor("1 of 4 trials")
	r.signal(syscall.SIGINT)
	o := r.wait()
	hint := inBackticks.FindStringSubmatch(o.lastLine())
	if o.code() != 130 || len(hint) != 2 || !strings.HasPrefix(hint[1], "dyno capacity good other") || !strings.Contains(o.stdout, "'dyno capacity' with") {
		t.Fatalf("exit %d: %s%s", o.code(), o.stdout, o.stderr)
	}
	resumed := b.start(b.bare("/bin/sh", "-c", "dyno() { "+b.program+" \"$@\"; }; "+hint[1])).wait()
	run, trials := b.theRun()
	if resumed.code() != 1 || !strings.Contains(resumed.stderr, "at no rate") || run.State != dyno.RunComplete || len(trials) != 4 {
		t.Errorf("exit %d, run %s with %d trials: %s", resumed.code(), run.State, len(trials), resumed.stderr)
	}
}
