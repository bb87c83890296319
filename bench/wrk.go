package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// findWrk returns the path of wrk.
func findWrk() (string, error) {
	path, err := exec.LookPath("wrk")
	if err != nil {
		return "", errors.New("wrk is not installed: run `apt-get install wrk`")
	}
	return path, nil
}

// runWrk runs wrk with one thread on the client's CPU, and returns the requests that it completed and
// the CPU time of its process. wrk counts in whole seconds.
func (b *bench) runWrk(ctx context.Context, path string, addr netip.AddrPort, connections int, length time.Duration) (requests int64, cpu time.Duration, err error) {
	done, err := b.children.runToEnd(ctx, b.placement.ClientCPUs, length, path,
		"-t1", fmt.Sprintf("-c%d", connections), fmt.Sprintf("-d%ds", int(length.Seconds())), fmt.Sprintf("http://%v/", addr))
	if err != nil {
		return 0, 0, fmt.Errorf("wrk: %w", err)
	}
	requests, err = parseWrk(string(done.stdout))
	return requests, done.cpu, err
}

var wrkRequests = regexp.MustCompile(`(?m)^\s*(\d+) requests in `)

// wrkFaults begin the lines that wrk prints only when something went wrong.
var wrkFaults = []string{"Socket errors:", "Non-2xx or 3xx responses:"}

// parseWrk reads the number of completed requests from what wrk printed. Any failure is an error.
func parseWrk(output string) (requests int64, err error) {
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		for _, fault := range wrkFaults {
			if strings.HasPrefix(line, fault) {
				return 0, fmt.Errorf("wrk: %s; run the bench again on a quieter machine", line)
			}
		}
	}
	found := wrkRequests.FindStringSubmatch(output)
	if found == nil {
		return 0, fmt.Errorf("wrk: no line \"N requests in …\" in what it printed; check it with wrk -v%s", lastLine([]byte(output)))
	}
	requests, err = strconv.ParseInt(found[1], 10, 64)
	if err != nil || requests == 0 {
		return 0, fmt.Errorf("wrk: %s requests cannot be used; run the bench again", found[1])
	}
	return requests, nil
}
