package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"time"

	"dyno/bench/internal/frame"
	"dyno/load/null"
)

// serverCommand makes this program a null server: bench null-server framed|http, or one that the
// scenario and the capacity benches load: bench null-server shop|worker. It serves until it is killed, which the
// kernel does at the latest when the bench ends.
const serverCommand = "null-server"

// serverSpin keeps the null servers awake between two round trips of a single connection, as those of
// `dyno null` are; at rest they sleep.
const serverSpin = 50 * time.Microsecond

// serverMain serves, and prints the address as its only line.
func serverMain(args []string, stdout, stderr io.Writer) int {
	if len(args) != 1 {
		fmt.Fprintf(stderr, "bench %s: %d arguments, want the protocol; this command is for the bench itself\n", serverCommand, len(args))
		return frame.ExitUsage
	}
	if args[0] == shopServer {
		err := serveShop(stdout)
		fmt.Fprintln(stderr, err)
		return frame.ExitMissed
	}
	if args[0] == workerServer {
		err := serveWorker(stdout)
		fmt.Fprintln(stderr, err)
		return frame.ExitMissed
	}
	answer, err := null.ByName(args[0])
	if err != nil {
		fmt.Fprintln(stderr, err)
		return frame.ExitUsage
	}
	server, err := null.Listen(netip.MustParseAddrPort("127.0.0.1:0"), answer)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return frame.ExitMissed
	}
	fmt.Fprintln(stdout, server.Addr())
	server.Serve(context.Background(), serverSpin)
	return 0
}

// server is a running null server.
type server struct {
	cmd  *exec.Cmd
	addr netip.AddrPort
}

// serve starts a null server on the server's CPU and returns when it listens.
func (b *bench) serve(protocol string) (*server, error) {
	cmd := exec.Command(self, serverCommand, protocol)
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = b.children.start(cmd, b.placement.ServerCPUs)
	}
	if err != nil {
		return nil, fmt.Errorf("start the null %s server: %w", protocol, err)
	}
	s := &server{cmd: cmd}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err == nil {
		s.addr, err = netip.ParseAddrPort(strings.TrimSpace(line))
	}
	if err != nil {
		s.stop()
		return nil, fmt.Errorf("the null %s server did not say where it listens: %w", protocol, err)
	}
	return s, nil
}

// stop ends the server. It holds nothing that could be lost, so it is not asked.
func (s *server) stop() {
	_ = s.cmd.Process.Kill() // it may have ended by itself
	_ = s.cmd.Wait()         // "killed" is what is wanted
}
