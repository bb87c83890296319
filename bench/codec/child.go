package main

import (
	"bytes"
	"context"
	"dyno/bench/internal/frame"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// childCommand makes this program a child that times the operations of one side and prints them.
const childCommand = "child"

// self is this very program, even if its file was removed, as go run does.
const self = "/proc/self/exe"

// childDeadline bounds the life of a child.
const childDeadline = 60 * time.Second

// sides are what a Go child can be.
var sides = map[string]func() []op{"mpacket": ourOps, "go-mc": gomcOps}

// childMain is the child: codec child SIDE SLICES MILLISECONDS. It prints its timings as JSON.
func childMain(args []string, stdout, stderr io.Writer) int {
	var side string
	var slices, milliseconds int
	if _, err := fmt.Sscan(strings.Join(args, " "), &side, &slices, &milliseconds); err != nil || len(args) != 3 || sides[side] == nil {
		fmt.Fprintf(stderr, "codec child: %q: only the bench starts children; run it without arguments\n", args)
		return frame.ExitUsage
	}
	timings := takeTurns(sides[side](), pace{slices, time.Duration(milliseconds) * time.Millisecond})
	if err := json.NewEncoder(stdout).Encode(timings); err != nil {
		fmt.Fprintf(stderr, "codec child: %v\n", err)
		return frame.ExitMissed
	}
	return 0
}

// runChild runs a command to its end and returns the timings that it prints.
func runChild(ctx context.Context, argv []string) (map[string]timing, error) {
	ctx, cancel := context.WithTimeout(ctx, childDeadline)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "NO_COLOR=1", "DENO_NO_UPDATE_CHECK=1", "GOMAXPROCS=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("no end within %v", childDeadline)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w%s", strings.Join(argv, " "), err, firstLine(stderr.String()))
	}
	var timings map[string]timing
	if err := json.Unmarshal(stdout.Bytes(), &timings); err != nil {
		return nil, fmt.Errorf("%s: no timings in %.80q: %w", strings.Join(argv, " "), stdout.String(), err)
	}
	return timings, nil
}

// firstLine returns ": " and the first line that says something, "" when there is none.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return ": " + line
		}
	}
	return ""
}

// sample is what one pair of fresh processes took, by side.
type sample map[string]map[string]timing

// agree returns an error when two sides made different things of the same inputs: then their times
// cannot be compared.
func (s sample) agree() error {
	sums := map[string]uint64{}
	for _, timings := range s {
		for name, t := range timings {
			if t.Sum == 0 {
				continue
			}
			if sum, seen := sums[name]; seen && sum != t.Sum {
				return fmt.Errorf("%s: the sides made different things of the same input; run the tests of mpacket", name)
			}
			sums[name] = t.Sum
		}
	}
	return nil
}
