package http1

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"dyno/internal/golden"
	"dyno/load"
)

func corpus(t testing.TB, exchanges ...Exchange) *Corpus {
	t.Helper()
	c, err := NewCorpus(exchanges)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func request(t testing.TB, r Request) []byte {
	t.Helper()
	r.Host = "test"
	b, err := r.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// wanting returns an exchange that wants w of GET /.
func wanting(t testing.TB, w Want) Exchange {
	t.Helper()
	return Exchange{Request: request(t, Request{}), Want: w}
}

var statusNames = [...]string{load.More: "More", load.OK: "OK", load.Wrong: "Wrong", load.Broken: "Broken", load.OKClose: "OKClose", load.WrongClose: "WrongClose"}

// judge asks for as many replies as depth and feeds wire to s as the engine does, then its end. It
// returns every judgement.
func judge(t testing.TB, s load.Session, asked int, wire string, cut cutter) (all []string) {
	t.Helper()
	for range asked {
		s.Request(nil)
	}
	rest := []byte(wire)
	for len(rest) > 0 {
		n := min(max(cut(len(rest)), 1), len(rest))
		chunk := rest[:n:n]
		rest = rest[n:]
		for len(chunk) > 0 {
			taken, status := s.Reply(chunk)
			if taken < 0 || taken > len(chunk) || status == load.More && taken != len(chunk) {
				t.Fatalf("%s took %d of %d bytes", statusNames[status], taken, len(chunk))
			}
			chunk = chunk[taken:]
			if status != load.More {
				all = append(all, statusNames[status])
			}
			if status == load.Broken || status == load.OKClose || status == load.WrongClose {
				return all
			}
		}
	}
	if len(all) < asked {
		all = append(all, statusNames[s.(load.EOFSession).EOF()])
	}
	return all
}

func reply(body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

// equalButCase stands for equal JSON in another spelling.
func equalButCase(want string) func([]byte) bool {
	return func(got []byte) bool { return strings.EqualFold(string(got), want) }
}

func TestVerdicts(t *testing.T) {
	hi := Want{Status: 200, Body: []byte("hi")}
	plain := Want{Status: 200, Body: []byte("hi"), Header: []HeaderWant{{"content-type", "text/plain", true}, {"X-By", " me ", false}}}
	same := Want{Body: []byte("hi"), Same: equalButCase("hi")}
	head := Exchange{Request: request(t, Request{Method: "HEAD"}), Want: Want{Header: []HeaderWant{{"Content-Length", "2", false}}}}
	var b strings.Builder
	for _, c := range []struct {
		name  string
		x     Exchange
		asked int
		wire  string
	}{
		{"right", wanting(t, hi), 1, reply("hi")},
		{"right, three at once", wanting(t, hi), 3, reply("hi") + reply("hi") + reply("hi")},
		{"right, chunked", wanting(t, hi), 1, chunkedHead + "1\r\nh\r\n1\r\ni\r\n0\r\n\r\n"},
		{"right, then closed", wanting(t, hi), 1, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi"},
		{"right, to the end", wanting(t, hi), 1, "HTTP/1.0 200 OK\r\n\r\nhi"},
		{"right, any body", wanting(t, Want{BodyAny: true}), 2, reply("abc") + "HTTP/1.1 204 \r\n\r\n"},
		{"right, any 2xx", wanting(t, Want{Body: []byte("hi")}), 1, "HTTP/1.1 299 \r\nContent-Length: 2\r\n\r\nhi"},
		{"right, 404 as wanted", wanting(t, Want{Status: 404, BodyAny: true}), 1, "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno"},
		{"right, HEAD", head, 2, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"},
		{"right, headers", wanting(t, plain), 1, "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nx-by: me\r\nContent-Length: 2\r\n\r\nhi"},
		{"right, other spelling", wanting(t, same), 3, reply("HI") + reply("HI") + reply("hi")},
		{"right, other spelling in chunks", wanting(t, same), 1, chunkedHead + "1\r\nh\r\n1\r\nI\r\n0\r\n\r\n"},

		{"status", wanting(t, hi), 1, "HTTP/1.1 500 Oh\r\nContent-Length: 9\r\n\r\nIt \"broke\n"},
		{"status, no body", wanting(t, hi), 1, "HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n"},
		{"status, long body", wanting(t, hi), 1, "HTTP/1.1 404 No\r\nContent-Length: 3000\r\n\r\n" + strings.Repeat("abc", 1000)},
		{"status, endless body", wanting(t, hi), 1, "HTTP/1.1 404 No\r\n\r\n" + strings.Repeat("abc", 1<<20)},
		{"status 3xx", wanting(t, Want{BodyAny: true}), 2, "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n" + reply("hi")},
		{"status, then closed", wanting(t, hi), 1, "HTTP/1.1 503 No\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno"},
		{"status, then right", wanting(t, hi), 2, "HTTP/1.1 503 No\r\nContent-Length: 2\r\n\r\nno" + reply("hi")},
		{"body", wanting(t, hi), 1, reply("ho")},
		{"body, then right", wanting(t, hi), 2, reply("ho") + reply("hi")},
		{"body too long", wanting(t, hi), 1, reply("high")},
		{"body too short", wanting(t, hi), 1, reply("h")},
		{"body empty", wanting(t, hi), 1, reply("")},
		{"body, chunked, too long", wanting(t, hi), 1, chunkedHead + "4\r\nhigh\r\n0\r\n\r\n"},
		{"body, chunked, too short", wanting(t, hi), 1, chunkedHead + "1\r\nh\r\n0\r\n\r\n"},
		{"body of 10 GB", wanting(t, hi), 1, "HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\nhi"},
		{"body, chunked, endless", wanting(t, hi), 1, chunkedHead + strings.Repeat("fff\r\n"+strings.Repeat("x", 0xfff)+"\r\n", 300)},
		{"no body where one is wanted", wanting(t, Want{Body: []byte("hi")}), 1, "HTTP/1.1 204 No Content\r\n\r\n"},
		{"not the same", wanting(t, same), 1, reply("HO")},
		{"not the same, shorter", wanting(t, same), 1, reply("h")},
		{"not the same, longer, chunked", wanting(t, same), 1, chunkedHead + "3\r\nhi!\r\n0\r\n\r\n"},
		{"not the same, much longer", wanting(t, same), 1, reply(strings.Repeat("x", 100_000))},
		{"not the same, much longer, chunked", wanting(t, same), 1, chunkedHead + "10000\r\n" + strings.Repeat("x", 1<<16) + "\r\nff\r\n" + strings.Repeat("y", 0xff) + "\r\n0\r\n\r\n"},
		{"header missing", wanting(t, plain), 1, reply("hi")},
		{"header differs", wanting(t, plain), 1, "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nX-By: me\r\nContent-Length: 2\r\n\r\nhi"},
		{"header longer", wanting(t, plain), 1, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-By: mee\r\nContent-Length: 2\r\n\r\nhi"},
		{"header, HEAD", head, 2, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"},
		{"swapped lengths", wanting(t, hi), 2, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nhi" + reply("hi")},
		{"one more than asked", wanting(t, hi), 1, reply("hi") + reply("hi")},
		{"not asked", wanting(t, hi), 0, reply("hi")},
		{"bytes behind", wanting(t, hi), 2, reply("hi") + "!" + reply("hi")},
		{"garbage", wanting(t, hi), 1, "\x16\x03\x01\x02\x00"},
		{"closed at once", wanting(t, hi), 2, ""},
		{"closed in the head", wanting(t, hi), 1, "HTTP/1.1 200 OK\r\nCont"},
		{"closed in the body", wanting(t, hi), 2, reply("hi") + strings.TrimSuffix(reply("hi"), "i")},
		{"closed in a chunk", wanting(t, hi), 1, chunkedHead + "2\r\nh"},
		{"closed, to the end, too short", wanting(t, hi), 1, "HTTP/1.1 200 OK\r\n\r\nh"},
		{"chunk bomb", wanting(t, hi), 1, chunkedHead + "fffffffffffffff\r\nhi"},
		{"wrong, then broken", wanting(t, hi), 1, "HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\nzz"},
	} {
		c1 := corpus(t, c.x)
		s := c1.Session(3, max(c.asked, 1), 1)
		all := judge(t, s, c.asked, c.wire, whole)
		fmt.Fprintf(&b, "%s\n    %s\n    %s\n", c.name, strings.Join(all, " "), s.Fault())
		if strings.ContainsAny(s.Fault(), "\r\n") || len(s.Fault()) > 1000 {
			t.Errorf("%s: fault %q", c.name, s.Fault())
		}
		for _, cut := range []cutter{pieces(1), pieces(2), pieces(7), pieces(30), randomly(1)} {
			if len(c.wire) > 5000 {
				break
			}
			s := corpus(t, c.x).Session(3, max(c.asked, 1), 1)
			if got := judge(t, s, c.asked, c.wire, cut); fmt.Sprint(got) != fmt.Sprint(all) {
				t.Errorf("%s, cut differently: %v, want %v", c.name, got, all)
			}
		}
	}
	golden.Check(t, "verdicts.golden", b.String())
}

// oracle judges a stream without a session: by a fresh parser, and by comparing whole replies.
func oracle(t testing.TB, x Exchange, asked int, wire string) (all []string) {
	t.Helper()
	var e entry
	e.prepare(&x, get, map[string]uint32{})
	outcomes, left := parse(t, new(Parser), wire, whole, get)
	for _, o := range outcomes {
		if len(all) == asked {
			return append(all, "Broken")
		}
		if o.err != "" {
			return append(all, "Broken")
		}
		var h Head
		h.parse([]byte(o.raw))
		right := e.acceptsStatus(h.Status) && e.missing(&h) == nil &&
			(e.bodyAny || o.body == string(e.body) || e.same != nil && e.same([]byte(o.body)))
		all = append(all, map[bool]string{true: "OK", false: "Wrong"}[right])
		if o.ends {
			all[len(all)-1] += "Close"
			return all
		}
	}
	if left == "" && len(all) < asked {
		all = append(all, "Broken")
	}
	return all
}

// TestFastPathIsNeverWrong changes each byte of the second of three replies, and inserts and takes
// away bytes, after the session has come to know the first: all that it then says must be what a
// session says that knows nothing, and what the oracle says.
func TestFastPathIsNeverWrong(t *testing.T) {
	wants := map[string]Want{
		"exact":   {Status: 200, Body: []byte("hi")},
		"any":     {BodyAny: true},
		"same":    {Status: 200, Body: []byte("hi"), Same: equalButCase("hi")},
		"headers": {Status: 200, Body: []byte("hi"), Header: []HeaderWant{{"X-By", "me", false}, {"content-type", "text/", true}}},
		"length":  {Body: []byte("hi"), Header: []HeaderWant{{"Content-Length", "2", false}}},
	}
	const known = "HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nX-By: me\r\n\r\nhi"
	for name, want := range wants {
		x := wanting(t, want)
		warm := corpus(t, x)
		check := func(second string) {
			t.Helper()
			wire := second + known
			expected := fmt.Sprint(oracle(t, x, 2, wire))
			for _, cut := range []cutter{whole, pieces(len(second))} {
				s := warm.Session(0, 1, 1)
				judge(t, s, 1, known, whole)
				s.(*session).depth, s.(*session).owed = 2, make([]uint32, 2)
				if got := fmt.Sprint(judge(t, s, 2, wire, cut)); got != expected {
					t.Fatalf("%s: %q\n%s, the oracle says %s; %s", name, second, got, expected, s.Fault())
				}
				s = warm.Session(0, 2, 1)
				if got := fmt.Sprint(judge(t, s, 2, wire, cut)); got != expected {
					t.Fatalf("%s: %q without a known head\n%s, the oracle says %s", name, second, got, expected)
				}
			}
		}
		check(known)
		for at := range len(known) {
			check(known[:at] + known[at+1:])
			for _, by := range []string{"\r", "\n", " ", ":", "0", "1", "2", "3", "9", "a", "I", "\x00", "\xff"} {
				check(known[:at] + by + known[at+1:])
				check(known[:at] + by + known[at:])
			}
		}
	}
}

// FuzzSession: the judgement of a session that has seen replies before, cut at will, is the oracle's.
func FuzzSession(f *testing.F) {
	for i, c := range replies {
		if len(c.wire) < 1000 {
			f.Add(c.wire, []byte{}, uint64(i), uint8(i))
			f.Add(c.wire+c.wire, []byte{100, byte(i), 0}, uint64(i), uint8(i))
		}
	}
	f.Fuzz(func(t *testing.T, wire string, how []byte, cuts uint64, kind uint8) {
		if len(wire) > 10_000 {
			return
		}
		want := []Want{
			{Status: 200, Body: []byte("hi")}, {BodyAny: true}, {Body: []byte("hi"), Same: equalButCase("hi")},
			{Status: 200, Body: []byte("hi"), Header: []HeaderWant{{"X", "y", true}}},
			{Status: 200, Body: []byte("hi"), Header: []HeaderWant{{"Content-Length", "2", false}}},
		}[kind%5]
		x := wanting(t, want)
		s := corpus(t, x).Session(0, 8, 1)
		judge(t, s, 3, wire, randomly(cuts+1))
		s.Reset()
		wire = mutate(wire, how)
		got, expected := fmt.Sprint(judge(t, s, 3, wire, randomly(cuts))), fmt.Sprint(oracle(t, x, 3, wire))
		if got != expected {
			t.Fatalf("%s; the oracle says %s; %s\n%q", got, expected, s.Fault(), wire)
		}
	})
}

// TestBrokenStaysBroken: after a fault no reply counts until Reset, after which the session is as
// good as new.
func TestBrokenStaysBroken(t *testing.T) {
	s := corpus(t, wanting(t, Want{Body: []byte("hi")})).Session(7, 2, 1)
	if got := fmt.Sprint(judge(t, s, 2, "garbage", whole)); got != "[Broken]" {
		t.Fatal(got)
	}
	fault := s.Fault()
	if _, status := s.Reply([]byte(reply("hi"))); status != load.Broken || s.Fault() != fault || fault == "" {
		t.Errorf("%s, fault %q, want Broken and %q", statusNames[status], s.Fault(), fault)
	}
	s.Reset()
	if s.Fault() != "" {
		t.Errorf("after Reset the fault is %q", s.Fault())
	}
	if got := fmt.Sprint(judge(t, s, 2, reply("hi")+reply("hi"), whole)); got != "[OK OK]" || s.Fault() != "" {
		t.Errorf("after Reset %s, %s", got, s.Fault())
	}
	s.Request(nil)
	s.Reply([]byte("HTTP/1.1 200"))
	s.Reset()
	if got := fmt.Sprint(judge(t, s, 1, reply("hi"), whole)); got != "[OK]" {
		t.Errorf("Reset within a reply: %s", got)
	}
}

func TestCorpusRefuses(t *testing.T) {
	ok := request(t, Request{})
	var b strings.Builder
	for _, all := range [][]Exchange{
		nil,
		{{}},
		{{Request: ok}, {Request: []byte("GET / HTTP/1.1\r\n")}},
		{{Request: ok, Method: "POST"}},
		{{Request: ok, Want: Want{Status: 100}}},
		{{Request: ok, Want: Want{Status: 1000}}},
		{{Request: ok, Want: Want{Body: []byte("x"), BodyAny: true}}},
		{{Request: ok, Want: Want{Same: func([]byte) bool { return true }, BodyAny: true}}},
		{{Request: ok, Want: Want{Status: 204, Body: []byte("x")}}},
		{{Request: request(t, Request{Method: "HEAD"}), Want: Want{Body: []byte("x")}}},
		{{Request: ok, Want: Want{Header: []HeaderWant{{"X Y", "z", false}}}}},
		{{Request: ok, Want: Want{Header: []HeaderWant{{"X", "a\r\nb", false}}}}},
	} {
		c, err := NewCorpus(all)
		if err == nil || c != nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: error %v, want one line", all, err)
			continue
		}
		fmt.Fprintln(&b, err)
	}
	golden.Check(t, "corpus_errors.golden", b.String())
	for _, depth := range []int{0, -1, load.MaxDepth + 1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("depth %d did not panic", depth)
				}
			}()
			corpus(t, Exchange{Request: ok}).Session(0, depth, 1)
		}()
	}
}

// TestHeadsOfOneAreNotTakenForOthers: that a known head is what one exchange wants says nothing about
// another exchange, nor about another head.
func TestHeadsOfOneAreNotTakenForOthers(t *testing.T) {
	byMe := wanting(t, Want{Status: 200, Body: []byte("hi"), Header: []HeaderWant{{"X-By", "me", false}}})
	exchanges := []Exchange{
		wanting(t, Want{Status: 200, BodyAny: true}),
		wanting(t, Want{Status: 404, Body: []byte("hi")}),
		{Request: request(t, Request{Method: "HEAD"}), Want: Want{Status: 200, BodyAny: true}},
		byMe, byMe, byMe,
	}
	heads := []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nX-By: me\r\nContent-Length: 2\r\n\r\n",
		"HTTP/1.1 200 OK\r\nX-By:\r\n me\r\nContent-Length: 2\r\n\r\n",
		"HTTP/1.1 200 OK\r\nX-By: me\r\nX-Long: " + strings.Repeat("y", knownBytesMax) + "\r\nContent-Length: 2\r\n\r\n",
		"HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\n",
	}
	// right says whether a reply with heads[head] is right for exchanges[x].
	right := func(x, head int) bool {
		switch x {
		case 0, 2:
			return head != 5
		case 1:
			return head == 5
		}
		return head >= 2 && head <= 4
	}
	const depth = 3
	s := newSession(corpus(t, exchanges...), 0, depth, 1)
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var wire string
		var want, asked []string
		for range depth {
			s.Request(nil)
			x, head := int(s.last), r.IntN(len(heads))
			asked = append(asked, fmt.Sprintf("exchange %d, head %d", x, head))
			want = append(want, map[bool]string{true: "OK", false: "Wrong"}[right(x, head)])
			wire += heads[head]
			if x != 2 && head != 1 {
				wire += "hi"
			}
		}
		if got := judge(t, s, 0, wire, whole); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%v: %v, want %v; %s", asked, got, want, s.Fault())
		}
	}
}
