package http1

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"dyno/load"
)

// numbered makes exchanges that can be told apart.
func numbered(t testing.TB, n int) []Exchange {
	t.Helper()
	var all []Exchange
	for i := range n {
		all = append(all, Exchange{Request: request(t, Request{Target: fmt.Sprint("/", i)}), Want: Want{Status: 200, Body: []byte(fmt.Sprint(i * i * i))}})
	}
	return all
}

// answer makes the replies that a right server sends to requests.
func answer(wire []byte) (all string) {
	for line := range bytes.Lines(wire) {
		var i int
		if n, _ := fmt.Sscanf(string(line), "GET /%d HTTP/1.1", &i); n == 1 {
			all += reply(fmt.Sprint(i * i * i))
		}
	}
	return all
}

// TestWalk: equal seeds and connections make equal traffic, others do not; a session uses the whole
// corpus and never takes the same exchange twice running.
func TestWalk(t *testing.T) {
	for _, n := range []int{1, 2, 3, 256} {
		c := corpus(t, numbered(t, n)...)
		stream := func(seed uint64, conn int) (all []string) {
			s := c.Session(conn, 1, seed)
			for range 4000 {
				wire := s.Request(nil)
				all = append(all, string(wire))
				if _, status := s.Reply([]byte(answer(wire))); status != load.OK {
					t.Fatal(s.Fault())
				}
			}
			return all
		}
		first := stream(1, 0)
		if fmt.Sprint(first) != fmt.Sprint(stream(1, 0)) {
			t.Error("equal seeds made different traffic")
		}
		if n > 2 && (fmt.Sprint(first) == fmt.Sprint(stream(2, 0)) || fmt.Sprint(first) == fmt.Sprint(stream(1, 1))) {
			t.Error("different seeds or connections made equal traffic")
		}
		seen, last := map[string]bool{}, ""
		for _, r := range first {
			if r == last && n > 1 {
				t.Error("the same request twice running")
			}
			seen[r], last = true, r
		}
		if len(seen) != n {
			t.Errorf("a connection used %d of %d exchanges", len(seen), n)
		}
	}
}

// TestPipelines: replies in the order of the requests are right at any depth, others are not.
func TestPipelines(t *testing.T) {
	c := corpus(t, numbered(t, 50)...)
	for _, depth := range []int{1, 2, 3, 16, load.MaxDepth} {
		s := c.Session(0, depth, 9)
		for range 20 {
			var wire []byte
			for range depth {
				wire = s.Request(wire)
			}
			if got := judge(t, s, 0, answer(wire), randomly(3)); strings.Count(strings.Join(got, " "), "OK") != depth {
				t.Fatalf("depth %d: %v, %s", depth, got, s.Fault())
			}
		}
	}
	s := c.Session(0, 2, 9)
	first, second := answer(s.Request(nil)), answer(s.Request(nil))
	if got := fmt.Sprint(judge(t, s, 0, second+first, whole)); got != "[Wrong Wrong]" {
		t.Errorf("swapped: %s", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("a request beyond the depth did not panic")
		}
	}()
	s.Request(s.Request(s.Request(nil)))
}

// TestSameIsAskedOnce: a spelling that was accepted is known to all sessions of the corpus.
func TestSameIsAskedOnce(t *testing.T) {
	asked := 0
	same := equalButCase("hi")
	c := corpus(t, wanting(t, Want{Body: []byte("hi"), Same: func(b []byte) bool { asked++; return same(b) }}))
	for conn := range 5 {
		if got := fmt.Sprint(judge(t, c.Session(conn, 3, 1), 3, reply("hI")+reply("hI")+reply("hI"), whole)); got != "[OK OK OK]" {
			t.Errorf("%s", got)
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times about one spelling", asked)
	}
	if got := fmt.Sprint(judge(t, c.Session(0, 2, 1), 2, reply("hi")+reply("HI"), whole)); got != "[OK OK]" || asked != 2 {
		t.Errorf("%s, asked %d times", got, asked)
	}
}

func TestCodes(t *testing.T) {
	s := corpus(t, wanting(t, Want{BodyAny: true})).Session(0, 8, 1)
	no := "HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n"
	judge(t, s, 7, reply("a")+reply("b")+no+reply("c")+no+"HTTP/1.1 100 \r\n\r\n"+reply("d"), whole)
	s.Reset()
	s.Request(nil)
	if _, status := s.Reply([]byte("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ncut off")); status != load.More { // which is no reply
		t.Errorf("status %v", status)
	}
	codes := map[int]int64{404: 1}
	s.(CodeCounter).AddCodes(codes)
	if fmt.Sprint(codes) != "map[200:4 404:3]" {
		t.Errorf("%v", codes)
	}
}

func TestSessionsDoNotAllocate(t *testing.T) {
	json := `{"a":[1,2,3],"b":"text"}`
	for name, c := range map[string]struct {
		want  Want
		reply string
	}{
		"repeated head":  {Want{Status: 200, Body: []byte("hi")}, reply("hi")},
		"any body":       {Want{BodyAny: true}, reply("hi")},
		"other spelling": {Want{Body: []byte(json), Same: equalButCase(json)}, reply(strings.ToUpper(json))},
		"chunked":        {Want{Body: []byte("hi")}, chunkedHead + "1\r\nh\r\n1;x=y\r\ni\r\n0\r\nX: y\r\n\r\n"},
		"two heads":      {Want{BodyAny: true}, reply("hi") + "HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 0\r\n\r\n"},
		"wrong":          {Want{Body: []byte("hi")}, reply("ho")},
		"long":           {Want{Body: bytes.Repeat([]byte("x"), 50_000)}, reply(strings.Repeat("x", 50_000))},
	} {
		const rounds = 4
		wire := []byte(strings.Repeat(c.reply, rounds))
		asked := strings.Count(string(wire), "HTTP/1.1")
		s := corpus(t, wanting(t, c.want)).Session(0, asked, 1)
		buf := make([]byte, 0, 10_000)
		for _, piece := range []int{len(wire), len(wire)/2 + 3, 29} {
			allocs := testing.AllocsPerRun(100, func() {
				out := buf[:0]
				for range asked {
					out = s.Request(out)
				}
				for rest := wire; len(rest) > 0; {
					chunk := rest[:min(piece, len(rest))]
					rest = rest[len(chunk):]
					for len(chunk) > 0 {
						taken, status := s.Reply(chunk)
						if status == load.Broken || status == load.Wrong && name != "wrong" {
							t.Fatalf("%s: %s", name, s.Fault())
						}
						chunk = chunk[taken:]
					}
				}
			})
			if allocs != 0 {
				t.Errorf("%s in pieces of %d: %v allocations a round", name, piece, allocs)
			}
		}
	}
}
