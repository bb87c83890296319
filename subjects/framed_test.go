// Package subjects_test starts every server of this folder on its pinned runtime. It is a smoke
// test: what a contract demands in full is checked by the gate (package contract).
package subjects_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"dyno/mpacket"
)

// framedCases are tried in this order on one server of each subject.
var framedCases = []struct {
	name  string
	check func(*testing.T, *server)
}{
	{"sizes", checkSizes},
	{"split", checkSplits},
	{"many frames in one write", checkBatch},
	{"hostile length", checkHostile},
	{"half-close", checkHalfClose},
	{"slow reader", checkSlowReader},
	{"reset", checkReset},
	{"SIGTERM", checkTerminate}, // last: it ends the server
}

func TestFramedSubjects(t *testing.T) {
	dirs, err := filepath.Glob("framed-*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no framed subjects found: %v", err)
	}
	for _, name := range dirs {
		t.Run(name, func(t *testing.T) { checkFramed(t, name) })
	}
}

// checkFramed starts the subject in dir and tries every case on it.
func checkFramed(t *testing.T, dir string) {
	t.Parallel()
	s := start(t, dir)
	for _, c := range framedCases {
		if !t.Run(c.name, func(t *testing.T) { c.check(t, s) }) {
			t.Logf("stderr of %s:\n%s", dir, &s.stderr)
		}
	}
}

// dial opens a connection on which nothing can hang.
func dial(t *testing.T, s *server) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatalf("the server no longer accepts: %v", err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(patience))
	return conn.(*net.TCPConn)
}

func send(t *testing.T, conn net.Conn, data []byte) {
	t.Helper()
	if _, err := conn.Write(data); err != nil {
		t.Fatalf("send %d bytes: %v", len(data), err)
	}
}

// expect reads len(want) bytes and compares them.
func expect(t *testing.T, conn net.Conn, want []byte) {
	t.Helper()
	got := make([]byte, len(want))
	if n, err := io.ReadFull(conn, got); err != nil {
		t.Fatalf("got %d of %d bytes: %v", n, len(want), err)
	}
	if !bytes.Equal(got, want) {
		at := 0
		for got[at] == want[at] {
			at++
		}
		t.Fatalf("byte %d of %d is %#x, want %#x", at, len(want), got[at], want[at])
	}
}

// expectEnd demands that the server closes the connection and sends nothing before that.
func expectEnd(t *testing.T, conn net.Conn) {
	t.Helper()
	n, err := conn.Read(make([]byte, 1))
	if n > 0 || err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("the server did not close: %d bytes, error %v", n, err)
	}
}

func randomBytes(n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(rand.Uint32())
	}
	return data
}

func frame(payload []byte) []byte { return mpacket.AppendFrame(nil, payload) }

func checkSizes(t *testing.T, s *server) {
	conn := dial(t, s)
	for _, n := range []int{1, 2, 47, 48, 49, 127, 128, 1024, 16_383, 16_384, 70_000, 1 << 20, 1} {
		f := frame(randomBytes(n))
		go conn.Write(f)
		expect(t, conn, f)
	}
}

func checkSplits(t *testing.T, s *server) {
	f := frame(randomBytes(130))
	for cut := range f {
		conn := dial(t, s)
		send(t, conn, f[:cut])
		time.Sleep(time.Millisecond) // the halves should travel apart; right either way
		send(t, conn, f[cut:])
		expect(t, conn, f)
		conn.Close()
	}
}

// checkBatch sends frames with padded prefixes in between: they come back minimal and in order.
func checkBatch(t *testing.T, s *server) {
	var batch, want []byte
	for i := range 500 {
		payload := randomBytes(1 + i%100)
		want = append(want, frame(payload)...)
		if i%3 == 0 {
			batch = append(batch, byte(len(payload))|0x80, 0x80, 0)
			batch = append(batch, payload...)
		} else {
			batch = append(batch, frame(payload)...)
		}
	}
	conn := dial(t, s)
	send(t, conn, batch)
	expect(t, conn, want)
}

func checkHostile(t *testing.T, s *server) {
	bystander := dial(t, s)
	hello := frame([]byte("hello"))
	for name, hostile := range map[string][]byte{
		"zero":        {0},
		"padded zero": {0x80, 0x80, 0},
		"four bytes":  {0x80, 0x80, 0x80, 1},
		"negative":    {0xff, 0xff, 0xff, 0xff, 0x0f},
	} {
		t.Run(name, func(t *testing.T) {
			conn := dial(t, s)
			send(t, conn, append(bytes.Clone(hello), hostile...))
			expect(t, conn, hello) // owed from before
			expectEnd(t, conn)
			send(t, bystander, hello)
			expect(t, bystander, hello)
		})
	}
}

func checkHalfClose(t *testing.T, s *server) {
	f := frame(randomBytes(1 << 20))
	conn := dial(t, s)
	send(t, conn, f)
	if err := conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	expect(t, conn, f)
	expectEnd(t, conn)

	truncated := dial(t, s)
	send(t, truncated, f[:100])
	if err := truncated.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	expectEnd(t, truncated)
}

// checkSlowReader sends until the server stops reading, which it must, or it would have to keep
// everything; then it reads: nothing may be missing. A FIN sent meanwhile must not lose anything.
func checkSlowReader(t *testing.T, s *server) {
	const total = 64 << 20 // more than the socket buffers of both sides can hold
	block := bytes.Repeat(frame(randomBytes(10_000)), 100)
	conn := dial(t, s)
	sent := 0
	for sent < total {
		conn.SetWriteDeadline(time.Now().Add(500 * time.Millisecond))
		n, err := conn.Write(block)
		sent += n
		if err != nil {
			break
		}
	}
	if sent >= total {
		t.Fatalf("the server took %d bytes from a client that read nothing", sent)
	}
	rest := block[sent%len(block):]
	go func() {
		conn.SetWriteDeadline(time.Now().Add(patience))
		conn.Write(rest)
		conn.CloseWrite()
	}()
	for range (sent + len(rest)) / len(block) {
		expect(t, conn, block)
	}
	expectEnd(t, conn)
}

func checkReset(t *testing.T, s *server) {
	f := frame(randomBytes(1 << 20))
	for _, sent := range []int{0, 1, 2, 100, len(f)} {
		conn := dial(t, s)
		send(t, conn, f[:sent])
		conn.SetLinger(0) // Close sends a reset
		conn.Close()
	}
	conn := dial(t, s)
	go conn.Write(f)
	expect(t, conn, f)
}

// checkTerminate stops the server while one connection is idle and another owes it a read.
func checkTerminate(t *testing.T, s *server) {
	idle, behind := dial(t, s), dial(t, s)
	hello := frame([]byte("hello"))
	send(t, idle, hello)
	expect(t, idle, hello)
	go behind.Write(bytes.Repeat(frame(randomBytes(1<<20)), 16))
	expect(t, behind, []byte{0x80})
	if code := s.terminate(t); code != 0 {
		t.Errorf("exit status %d after SIGTERM, want 0", code)
	}
	if s.stderr.Len() > 0 {
		t.Errorf("stderr: %s", &s.stderr)
	}
	if conn, err := net.Dial("tcp", s.addr); err == nil {
		conn.Close()
		t.Error("still listening")
	}
}
