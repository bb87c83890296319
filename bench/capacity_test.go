package main

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"dyno"
	"dyno/bench/internal/table"
	"dyno/internal/queueing"
)

// The worker echoes, and needs at least its service time for each request: nobody is served faster than it says.
func TestWorkerServer(t *testing.T) {
	placement, err := twoCPUs()
	if err != nil {
		t.Skip(err)
	}
	b := &bench{placement: placement, children: newLauncher(), stderr: io.Discard}
	s, err := b.serve(workerServer)
	if err != nil {
		t.Fatal(err)
	}
	defer s.stop()
	c, err := net.Dial("tcp", s.addr.String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const requests = 50
	began := time.Now()
	for i := range requests {
		sent, got := bytes.Repeat([]byte{byte(i)}, 9), make([]byte, 9)
		if _, err := c.Write(sent); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(c, got); err != nil || !bytes.Equal(sent, got) {
			t.Fatalf("request %d: %v, %v", i, got, err)
		}
	}
	if took := time.Since(began); took < requests*workerService {
		t.Errorf("%d requests took %v, less than %v", requests, took, requests*workerService)
	}
}

// A worker that is late by little stays with its times; one that lost its CPU does not catch up.
func TestWorkerKeepsToItsTimes(t *testing.T) {
	for name, c := range map[string]struct {
		idle  bool
		freed time.Duration // before now
		atMin time.Duration // when it is free again, from now
	}{
		"idle":      {true, time.Hour, workerService},
		"busy":      {false, 10 * time.Microsecond, workerService - 10*time.Microsecond - workerLost},
		"stolen":    {false, time.Second, workerService},
		"idle late": {true, time.Microsecond, workerService},
	} {
		now := time.Now()
		w := &worker{free: now.Add(-c.freed)}
		w.work(c.idle)
		if w.free.Before(now.Add(c.atMin)) {
			t.Errorf("%s: free after %v, want at least %v", name, w.free.Sub(now), c.atMin)
		}
	}
}

func TestCapacityResult(t *testing.T) {
	known := queueing.Capacity(workerService.Seconds(), capacityLimit.Seconds(), capacityShare)
	if busy := known * workerService.Seconds(); busy < 0.7 || busy > 0.95 {
		t.Errorf("the worker is busy for %.3f of the time at its capacity", busy)
	}
	estimate := func(ratio float64) dyno.Estimate {
		return dyno.Estimate{Value: ratio * known, Low: 0.99 * ratio * known, High: 1.01 * ratio * known, N: 5}
	}
	good := capacityResult(known, capacityProbe, 5, []dyno.Estimate{estimate(1.01), estimate(0.995), estimate(1.005)})
	if missed := good.Missed("capacity"); len(missed) > 0 {
		t.Error(missed)
	}
	bad := capacityResult(known, capacityProbe, 5, []dyno.Estimate{estimate(0.92), estimate(1)})
	if missed := strings.Join(bad.Missed("capacity"), "\n"); !strings.Contains(missed, "0.080") || !strings.Contains(missed, "do not overlap is 1") {
		t.Error(missed)
	}
	var out bytes.Buffer
	table.Write(&out, "capacity", good, true)
	for line := range strings.Lines(out.String()) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > 100 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}
