package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"dyno/internal/golden"
)

// badLoads are command lines of ad-hoc loads that must be refused. ADDR is where nobody listens.
var badLoads = []string{
	"http",
	"http one two",
	"http ftp://localhost/",
	"http http://",
	"http http:///path",
	"http http://user:secret@localhost/",
	"http http://localhost:99999/",
	"http http://localhost:http/",
	"http http://[::1/",
	"http http://local%zzhost/",
	"http http://localhost/%zz",
	"http ADDR/ä",
	"http http://no-such-name.invalid/",
	"http http://192.0.2.1/",
	"http ADDR",
	"http ADDR -n 5",
	"http https://ADDR",
	"http ADDR -a 1000",
	"http ADDR --threads 4",
	"http ADDR --insecur",
	"tcp ADDR -q 100",
	"tcp ADDR -i file",
	"list -a",
	"http ADDR -c 0",
	"http ADDR -c -1",
	"http ADDR -c 9999999",
	"http ADDR -c many",
	"http ADDR -p 0",
	"http ADDR -p 65",
	"http ADDR -d 0",
	"http ADDR -d -5s",
	"http ADDR -d soon",
	"http ADDR -d 25h",
	"http ADDR -n 0",
	"http ADDR -n 3",
	"http ADDR -n 1e6",
	"http ADDR -t 0",
	"http ADDR -w 0",
	"http ADDR -R 0",
	"http ADDR -R fast",
	"http ADDR -R 1:",
	"http ADDR -R 1:0",
	"http ADDR -R -5",
	"http ADDR -R 1:2:3",
	"http ADDR -R 99999999999",
	"http ADDR -R NaN",
	"http ADDR -R 10:20 -n 100",
	"http ADDR -R 10:20 --arrivals poisson",
	"http ADDR --arrivals poisson",
	"http ADDR -R 5 --arrivals posson",
	"http ADDR --poller uring",
	"http ADDR --spin 2s",
	"http ADDR --warmup -1s",
	"http ADDR --seed x",
	"http ADDR -m GE\tT",
	"http ADDR -m CONNECT",
	"http ADDR -H nothing",
	"http ADDR -H :value",
	"http ADDR -H Content-Length:7",
	"http ADDR -b @/nowhere/body",
	"http ADDR -b @/",
	"http ADDR --expect-body @/nowhere/body",
	"http ADDR --corpus /nowhere/c.jsonl",
	"http ADDR --expect-status 99",
	"http ADDR --expect-status ok",
	"http ADDR --format jsno",
	"http ADDR --format csv",
	"http ADDR --json --format oha",
	"http ADDR --json --latency",
	"http ADDR --fail-if p99",
	"http ADDR --fail-if p99>50",
	"http ADDR --fail-if p99>fast",
	"http ADDR --fail-if eror>0",
	"http ADDR --fail-if errors=0",
	"http ADDR --fail-if errors>0 --fail-if throughput<x",
	"http ADDR --insecure",
	"http ADDR --cert a.pem",
	"http https://ADDR --cert a.pem",
	"http https://ADDR --cert /nowhere/a.pem --key /nowhere/b.pem",
	"http --unix /nowhere/app.sock",
	"http --unix /" + "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678",
	"http ADDR --connectoins 5",
	"tcp",
	"tcp localhost",
	"tcp :80",
	"tcp localhost:0",
	"tcp localhost:minecraft",
	"tcp 192.0.2.1:80",
	"tcp ADDR",
	"tcp ADDR --size 0",
	"tcp ADDR --size 8,",
	"tcp ADDR --size big",
	"tcp ADDR --size 99999999",
	"tcp ADDR --size 8,16,32 -c 2",
	"tcp ADDR --format autocannon",
	"tcp ADDR --insecure",
	"tcp ADDR --tls --cert only.pem",
	"tcp ADDR --tls --sni a/b",
	"tcp --unix /no/such.sock --tls",
	"tcp ADDR --poller kqueue",
	"tcp ADDR -m GET",
}

// TestBadLoads keeps what dyno says in testdata/adhoc_bad_input.golden: exit status and one line each.
func TestBadLoads(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	nobody := closedPort(t)
	var all strings.Builder
	refusedLines(t, &all, b, badLoads, nobody)
	refused(t, &all, b, "http with a body that may not be read", unreadable(b, nobody))
	golden.Check(t, "adhoc_bad_input.golden", all.String())
}

// closedPort returns an address of this machine that refuses connections: a socket holds the port and
// does not listen.
func closedPort(t *testing.T) string {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	must(t, err)
	t.Cleanup(func() { unix.Close(fd) })
	must(t, unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	bound, err := unix.Getsockname(fd)
	must(t, err)
	return fmt.Sprintf("127.0.0.1:%d", bound.(*unix.SockaddrInet4).Port)
}

func unreadable(b *bench, addr string) *exec.Cmd {
	path := filepath.Join(b.home, "body")
	must(b.t, os.WriteFile(path, []byte("x"), 0))
	return b.command("http", addr, "-b", "@"+path)
}
