package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// shape is how hard the null HTTP server is loaded.
type shape struct{ connections, depth int }

func (s shape) String() string {
	return fmt.Sprintf("%d connections, depth %d", s.connections, s.depth)
}

// loader is a load generator that can be compared: it loads the null HTTP server and says how many
// replies it got, and its process is charged for what it cost.
type loader struct {
	name    string
	missing string // why it cannot be used here; "" when it can
	depth   int    // greatest pipelining depth
	run     func(ctx context.Context, addr netip.AddrPort, s shape, length time.Duration) (replies int64, cpu time.Duration, err error)
}

// The files that `make bench-load` prepares, from the root of the checkout.
const (
	floorPath      = "bin/bench-floor"
	autocannonPath = "bench/load/node_modules/autocannon/autocannon.js"
)

// loaders returns dyno and what it is compared with.
func (b *bench) loaders() []loader {
	return []loader{
		{"dyno", "", 64, b.loadDyno},
		{"bare epoll loop in C", fileMissing(floorPath, "run `make bench-load`, which needs cc"), 64, b.loadFloor},
		{"wrk", toolMissing("wrk", "wrk"), 1, b.loadWrk},
		{"h2load", toolMissing("h2load", "nghttp2-client"), 64, b.loadH2load},
		{"autocannon", fileMissing(autocannonPath, "run `make bench-load`, which needs npm"), 64, b.loadAutocannon},
	}
}

func toolMissing(name, debianPackage string) string {
	if _, err := exec.LookPath(name); err != nil {
		return "not installed; run `apt-get install " + debianPackage + "`"
	}
	return ""
}

func fileMissing(path, wayOut string) string {
	if _, err := os.Stat(path); err != nil {
		return path + " is not there; " + wayOut
	}
	return ""
}

func (b *bench) loadDyno(ctx context.Context, addr netip.AddrPort, s shape, length time.Duration) (int64, time.Duration, error) {
	a, cpu, err := b.drive(ctx, order{Addr: addr, HTTP: true, Connections: s.connections, Depth: s.depth, Duration: length})
	return a.Verified, cpu, err
}

func (b *bench) loadWrk(ctx context.Context, addr netip.AddrPort, s shape, length time.Duration) (int64, time.Duration, error) {
	return b.runWrk(ctx, "wrk", addr, s.connections, length)
}

// nullReplyBytes is the length of a reply of the null HTTP server.
const nullReplyBytes = len("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nhi")

func (b *bench) loadFloor(ctx context.Context, addr netip.AddrPort, s shape, length time.Duration) (int64, time.Duration, error) {
	done, err := b.children.runToEnd(ctx, b.placement.ClientCPUs, length, "./"+floorPath, strconv.Itoa(int(addr.Port())),
		strconv.Itoa(s.connections), strconv.Itoa(s.depth), fmt.Sprint(length.Seconds()), strconv.Itoa(nullReplyBytes))
	if err != nil {
		return 0, 0, fmt.Errorf("the C loop: %w", err)
	}
	replies, err := strconv.ParseInt(strings.TrimSpace(string(done.stdout)), 10, 64)
	return replies, done.cpu, err
}

func (b *bench) loadH2load(ctx context.Context, addr netip.AddrPort, s shape, length time.Duration) (int64, time.Duration, error) {
	done, err := b.children.runToEnd(ctx, b.placement.ClientCPUs, length, "h2load", "--h1", "-t1",
		fmt.Sprintf("-c%d", s.connections), fmt.Sprintf("-m%d", s.depth), fmt.Sprintf("-D%d", int(length.Seconds())), fmt.Sprintf("http://%v/", addr))
	if err != nil {
		return 0, 0, fmt.Errorf("h2load: %w", err)
	}
	replies, err := parseH2load(string(done.stdout))
	return replies, done.cpu, err
}

var h2loadRequests = regexp.MustCompile(`(?m)^requests: .* (\d+) succeeded, (\d+) failed, (\d+) errored`)

// parseH2load reads the number of succeeded requests from what h2load printed. Any failure is an error.
func parseH2load(output string) (replies int64, err error) {
	found := h2loadRequests.FindStringSubmatch(output)
	if found == nil {
		return 0, fmt.Errorf("h2load: no line \"requests: …\" in what it printed%s", lastLine([]byte(output)))
	}
	if found[2] != "0" || found[3] != "0" {
		return 0, fmt.Errorf("h2load: %s requests failed and %s errored; run the bench again on a quieter machine", found[2], found[3])
	}
	return strconv.ParseInt(found[1], 10, 64)
}

func (b *bench) loadAutocannon(ctx context.Context, addr netip.AddrPort, s shape, length time.Duration) (int64, time.Duration, error) {
	done, err := b.children.runToEnd(ctx, b.placement.ClientCPUs, length, "node", autocannonPath, "--json", "--no-progress",
		"-c", strconv.Itoa(s.connections), "-p", strconv.Itoa(s.depth), "-d", fmt.Sprint(length.Seconds()), fmt.Sprintf("http://%v/", addr))
	if err != nil {
		return 0, 0, fmt.Errorf("autocannon: %w", err)
	}
	replies, err := parseAutocannon(done.stdout)
	return replies, done.cpu, err
}

// parseAutocannon reads the number of replies from autocannon's JSON. Any failure is an error.
func parseAutocannon(output []byte) (replies int64, err error) {
	var found struct {
		Requests                 struct{ Total int64 }
		Errors, Timeouts, Non2xx int64
	}
	if err := json.Unmarshal(output, &found); err != nil {
		return 0, fmt.Errorf("autocannon: what it printed is no JSON: %w%s", err, lastLine(output))
	}
	if failed := found.Errors + found.Timeouts + found.Non2xx; failed > 0 || found.Requests.Total == 0 {
		return 0, fmt.Errorf("autocannon: %d replies, %d failures; run the bench again on a quieter machine", found.Requests.Total, failed)
	}
	return found.Requests.Total, nil
}
