package http1

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dyno/internal/loopback"
	"dyno/load"
)

// run loads addr with the corpus and checks that nothing was forgotten. Replies are owed at most
// replyWithin.
func run(t *testing.T, addr string, c *Corpus, connections, depth int, count int64, replyWithin time.Duration) (*load.Result, map[int]int64) {
	t.Helper()
	e, err := load.New(load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var sessions []load.Session
	client, err := e.Open(t.Context(), load.Config{
		Addr: netip.MustParseAddrPort(addr), Connections: connections, Depth: depth, ReplyWithin: replyWithin,
		NewSession: func(conn int) load.Session {
			sessions = append(sessions, c.Session(conn, depth, 1))
			return sessions[conn]
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	r, err := client.Run(t.Context(), load.Window{Count: count, Duration: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if accounted := r.Verified + r.Failed(); r.Sent != accounted || r.Sent != count {
		t.Errorf("sent %d of %d, accounted for %d: %v", r.Sent, count, accounted, r.Errors())
	}
	codes := map[int]int64{}
	for _, s := range sessions {
		s.(CodeCounter).AddCodes(codes)
	}
	return r, codes
}

// handlers of a real server, by path, and what they must answer.
var handlers = map[string]struct {
	method string
	want   Want
	serve  http.HandlerFunc
}{
	"/plain": {"GET", Want{Status: 200, Body: []byte("hi"), Header: []HeaderWant{{"content-type", "text/plain", true}}},
		func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hi") }},
	"/chunked": {"GET", Want{Body: []byte("hello world")}, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "hello ")
		w.(http.Flusher).Flush()
		io.WriteString(w, "world")
	}},
	"/trailer": {"GET", Want{Body: []byte("x")}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "X-Sum")
		io.WriteString(w, "x")
		w.Header().Set("X-Sum", "1")
	}},
	"/head": {"HEAD", Want{Status: 200, Header: []HeaderWant{{"Content-Length", "1000", false}}},
		func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Content-Length", "1000") }},
	"/none":     {"DELETE", Want{Status: 204}, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(204) }},
	"/same":     {"GET", Want{Status: 304}, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(304) }},
	"/early":    {"GET", Want{Body: []byte("late")}, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(103); io.WriteString(w, "late") }},
	"/no":       {"GET", Want{Status: 404, BodyAny: true}, http.NotFound},
	"/long":     {"GET", Want{Body: []byte(strings.Repeat("long ", 60_000))}, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, strings.Repeat("long ", 60_000)) }},
	"/mirror":   {"POST", Want{Body: []byte("a body")}, func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) }},
	"/spelling": {"GET", Want{Body: []byte("abc"), Same: equalButCase("abc")}, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ABC") }},
}

// TestRealServer: every reply of a real server is followed and verified, at depth 1 and pipelined, and
// the server counts as many requests as were sent.
func TestRealServer(t *testing.T) {
	var served atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		served.Add(1)
		handlers[r.URL.Path].serve(w, r)
	}))
	defer server.Close()
	addr := server.Listener.Addr().String()
	var exchanges []Exchange
	for path, h := range handlers {
		r := Request{Method: h.method, Target: path, Host: addr}
		if h.method == "POST" {
			r.Body = h.want.Body
		}
		wire, err := r.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		exchanges = append(exchanges, Exchange{Request: wire, Method: h.method, Want: h.want})
	}
	for _, depth := range []int{1, 16} {
		served.Store(0)
		const count = 2000
		r, codes := run(t, addr, corpus(t, exchanges...), 4, depth, count, 0)
		if r.Verified != count || served.Load() != count || r.Reconnects != 0 {
			t.Errorf("depth %d: verified %d, the server says %d, %d reconnects, %v: %s", depth, r.Verified, served.Load(), r.Reconnects, r.Errors(), r.FirstFault)
		}
		if sum := codes[200] + codes[204] + codes[304] + codes[404]; sum != count || codes[404] == 0 {
			t.Errorf("depth %d: codes %v", depth, codes)
		}
	}
}

// TestServerThatCloses: a server that ends each connection after a reply, by its word or by closing,
// answers everything all the same.
func TestServerThatCloses(t *testing.T) {
	for name, reply := range map[string]string{
		"Connection: close": "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi",
		"HTTP/1.0":          "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi",
		"to the end":        "HTTP/1.0 200 OK\r\n\r\nhi",
		"chunked, close":    "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
	} {
		addr := listen(t, func(c net.Conn, r *bufio.Reader) {
			readRequest(r)
			io.WriteString(c, reply)
		})
		r, codes := run(t, addr, corpus(t, wanting(t, Want{Body: []byte("hi")})), 2, 1, 40, 0)
		if r.Verified != 40 || r.Errors() != nil || codes[200] != 40 {
			t.Errorf("%s: verified %d, %v, codes %v: %s", name, r.Verified, r.Errors(), codes, r.FirstFault)
		}
	}
}

// listen answers each connection to a port of 127.0.0.1 with handle, and then closes it.
func listen(t *testing.T, handle func(net.Conn, *bufio.Reader)) (addr string) {
	t.Helper()
	return loopback.Listen(t, func(c net.Conn) {
		c.SetDeadline(time.Now().Add(time.Minute))
		handle(c, bufio.NewReader(c))
	}).String()
}

// readRequest reads a request without a body.
func readRequest(r *bufio.Reader) error {
	for {
		line, err := r.ReadString('\n')
		if err != nil || line == "\r\n" {
			return err
		}
	}
}

// drain waits until the client closes.
func drain(r *bufio.Reader) { io.Copy(io.Discard, r) }

// TestHostileServers: whatever a server sends, the run ends, every request is accounted for under the
// right name, and the fault says what came.
func TestHostileServers(t *testing.T) {
	const count = 3
	all := func(name string) map[string]int64 { return map[string]int64{name: count} }
	broken := all("malformed")
	for _, c := range []struct {
		name   string
		serve  func(net.Conn, *bufio.Reader)
		errors map[string]int64
		fault  string
	}{
		{"garbage", say("\x15\x03\x03\x00\x02\x02\x0a"), broken, "does not begin with"},
		{"endless head", sayEndlessly("HTTP/1.1 200 OK\r\n", "X: y\r\n"), broken, "head is too long"},
		{"endless garbage", sayEndlessly("", "garbage"), broken, "does not begin with"},
		{"endless body", sayEndlessly("HTTP/1.1 200 OK\r\n\r\n", "more "), broken, "body differs at offset 0"},
		{"endless chunks", sayEndlessly(chunkedHead, "1\r\nx\r\n"), broken, "body differs at offset 0"},
		{"endless extensions", sayEndlessly(chunkedHead, "1;"+strings.Repeat("x", 4000)+"\r\nh\r\n"), broken, "extensions and trailers are too long"},
		{"endless interim replies", sayEndlessly("", "HTTP/1.1 102 Processing\r\n\r\n"), broken, "head is too long"},
		{"chunk bomb", say(chunkedHead + "FFFFFFFFFFFFFFFF\r\n"), broken, "malformed chunk size"},
		{"huge length", say("HTTP/1.1 200 OK\r\nContent-Length: 9000000000000000000\r\n\r\nhi"), broken, "want 2 B"},
		{"negative length", say("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nhi"), broken, "malformed Content-Length"},
		{"two lengths", say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 1\r\n\r\nhi"), broken, "two Content-Length"},
		{"length too large, then silent", say("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi"), all("timeout"), ""},
		{"length too large, then closed", sayAndClose("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi"), all("eof"), ""},
		{"half a head, then closed", sayAndClose("HTTP/1.1 200 OK\r\nContent-Le"), all("eof"), ""},
		{"half a body, then closed", sayAndClose("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nh"), all("eof"), ""},
		{"closed at once", func(c net.Conn, r *bufio.Reader) { readRequest(r) }, all("eof"), ""},
		{"never answers", func(c net.Conn, r *bufio.Reader) { drain(r) }, all("timeout"), ""},
		{"500", sayEach("HTTP/1.1 500 Oh\r\nContent-Length: 2\r\n\r\nno"), all("wrong"), "status 500, want 200"},
		{"503, then closed", sayAndClose("HTTP/1.1 503 Oh\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno"), all("wrong"), "status 503, want 200"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			corpus := corpus(t, wanting(t, Want{Status: 200, Body: []byte("hi")}))
			replyWithin := 30 * time.Second
			if c.errors["timeout"] > 0 {
				replyWithin = 100 * time.Millisecond
			}
			r, _ := run(t, listen(t, c.serve), corpus, 1, 1, count, replyWithin)
			if fmt.Sprint(r.Errors()) != fmt.Sprint(c.errors) || r.Verified != 0 || !strings.Contains(r.FirstFault, c.fault) {
				t.Errorf("%v, want %v; fault %q, want %q", r.Errors(), c.errors, r.FirstFault, c.fault)
			}
		})
	}
}

// TestTwoRepliesForOne: what comes behind the reply that was asked for is unasked.
func TestTwoRepliesForOne(t *testing.T) {
	addr := listen(t, func(c net.Conn, r *bufio.Reader) {
		readRequest(r)
		io.WriteString(c, reply("hi")+reply("hi"))
		drain(r)
	})
	r, _ := run(t, addr, corpus(t, wanting(t, Want{Body: []byte("hi")})), 1, 1, 3, time.Second)
	if r.Verified != 3 || r.Failures[load.Unasked] != 3 {
		t.Errorf("verified %d, %v", r.Verified, r.Errors())
	}
}

// say answers the first request with words and waits until the client closes.
func say(words string) func(net.Conn, *bufio.Reader) {
	return func(c net.Conn, r *bufio.Reader) {
		readRequest(r)
		io.WriteString(c, words)
		drain(r)
	}
}

func sayAndClose(words string) func(net.Conn, *bufio.Reader) {
	return func(c net.Conn, r *bufio.Reader) {
		readRequest(r)
		io.WriteString(c, words)
	}
}

func sayEach(words string) func(net.Conn, *bufio.Reader) {
	return func(c net.Conn, r *bufio.Reader) {
		for readRequest(r) == nil {
			io.WriteString(c, words)
		}
	}
}

// sayEndlessly goes on with more until the client closes.
func sayEndlessly(words, more string) func(net.Conn, *bufio.Reader) {
	return func(c net.Conn, r *bufio.Reader) {
		readRequest(r)
		many := strings.Repeat(more, 1+10_000/len(more))
		_, err := io.WriteString(c, words)
		for err == nil {
			_, err = io.WriteString(c, many)
		}
	}
}
