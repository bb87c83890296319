package http1

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"dyno/internal/golden"
)

// outcome is a reply as a test sees it, or why there is none.
type outcome struct {
	head Head
	raw  string
	body string
	ends bool
	err  string
}

// String shows what must not depend on how the bytes were cut.
func (o outcome) String() string {
	if o.err != "" {
		return o.err
	}
	return fmt.Sprintf("%d, minor %d, length %d, chunked %v, ends %v, head %q, body %q",
		o.head.Status, o.head.Minor, o.head.Length, o.head.Chunked, o.ends, o.raw, o.body)
}

type cutter func(left int) int

func whole(left int) int { return left }

func pieces(bytes int) cutter { return func(int) int { return bytes } }

func randomly(seed uint64) cutter {
	r := rand.New(rand.NewPCG(seed, 0))
	return func(left int) int { return 1 + r.IntN(min(left, 50)) }
}

// parse feeds wire to p, cut as cut says, and then its end. Each reply answers the next of methods,
// the last of which repeats. It checks what must hold at every step.
func parse(t testing.TB, p *Parser, wire string, cut cutter, methods ...string) (all []outcome, left string) {
	t.Helper()
	p.Begin(methods[0])
	var now outcome
	rest, chunk := []byte(wire), []byte(nil)
	for steps := 0; ; steps++ {
		if steps > 10*len(wire)+100 {
			t.Fatalf("no end in sight after %d steps", steps)
		}
		n, event := p.Next(chunk)
		if n < 0 || n > len(chunk) || event == More && n != len(chunk) {
			t.Fatalf("event %d took %d of %d bytes", event, n, len(chunk))
		}
		chunk = chunk[n:]
		if event == More && len(rest) == 0 {
			event = p.EOF()
		}
		switch event {
		case More:
			n := min(max(cut(len(rest)), 1), len(rest))
			chunk, rest = rest[:n:n], rest[n:]
		case GotHead:
			now = outcome{head: *p.Head(), raw: string(p.Head().Raw())}
		case GotBody:
			if len(p.Body()) == 0 {
				t.Fatal("an empty part of a body")
			}
			now.body += string(p.Body())
		case Done:
			now.ends = p.Ends()
			all, now = append(all, now), outcome{}
			if len(chunk)+len(rest) == 0 {
				return all, ""
			}
			if len(methods) > 1 {
				methods = methods[1:]
			}
			p.Begin(methods[0])
		case Failed:
			if p.Err() == nil || strings.ContainsAny(p.Err().Error(), "\r\n") {
				t.Fatalf("error %v, want one line", p.Err())
			}
			return append(all, outcome{err: p.Err().Error()}), string(chunk) + string(rest)
		}
	}
}

func methodsOf(methods []string) []string {
	if methods == nil {
		return []string{get}
	}
	return methods
}

func show(all []outcome) string {
	var b strings.Builder
	for _, o := range all {
		fmt.Fprintln(&b, "   ", o)
	}
	return b.String()
}

func TestReplies(t *testing.T) {
	var b strings.Builder
	for _, c := range replies {
		all, _ := parse(t, new(Parser), c.wire, whole, methodsOf(c.methods)...)
		fmt.Fprintf(&b, "%s\n%s", c.name, show(all))
		if failed := all[len(all)-1].err != ""; failed != strings.HasPrefix(c.name, "wrong: ") {
			t.Errorf("%s: %v", c.name, all[len(all)-1])
		}
	}
	golden.Check(t, "replies.golden", b.String())
}

// TestEverySplit: where the bytes are cut changes nothing, be it in two or in pieces of equal size.
func TestEverySplit(t *testing.T) {
	for _, c := range replies {
		methods := methodsOf(c.methods)
		all, _ := parse(t, new(Parser), c.wire, whole, methods...)
		want := show(all)
		for at := 1; at < len(c.wire); at++ {
			first := true
			all, _ := parse(t, new(Parser), c.wire, func(left int) int {
				if first {
					first = false
					return at
				}
				return left
			}, methods...)
			if got := show(all); !sameButExcerpt(got, want) {
				t.Fatalf("%s, cut at %d:\n%swant\n%s", c.name, at, got, want)
			}
			all, _ = parse(t, new(Parser), c.wire, pieces(at), methods...)
			if got := show(all); !sameButExcerpt(got, want) {
				t.Fatalf("%s, in pieces of %d:\n%swant\n%s", c.name, at, got, want)
			}
		}
	}
}

// sameButExcerpt compares up to what an error repeats of what came: more of it may have come.
func sameButExcerpt(a, b string) bool {
	a, _, _ = strings.Cut(a, ": got ")
	b, _, _ = strings.Cut(b, ": got ")
	return a == b
}

func TestHeadFields(t *testing.T) {
	p := new(Parser)
	parse(t, p, "HTTP/1.1 200 OK\r\nX-One: 1\r\nx-two:\t two words \r\nX-One: 3\r\nX-Folded: a\r\n b\r\nEmpty:\r\nContent-Length: 0\r\n\r\n", whole, get)
	for name, want := range map[string]string{"x-one": "1", "X-TWO": "two words", "X-Folded": "a   b", "Empty": "", "content-length": "0"} {
		if got, ok := p.Head().Value(name); !ok || string(got) != want {
			t.Errorf("%s is %q, %v; want %q", name, got, ok, want)
		}
	}
	if got, ok := p.Head().Value("X-On"); ok {
		t.Errorf("X-On is %q; there is none", got)
	}
	names := ""
	for name := range p.Head().Fields {
		names += string(name) + " "
		if string(name) == "Empty" {
			break
		}
	}
	if names != "X-One x-two X-One X-Folded Empty " {
		t.Errorf("fields %q", names)
	}
}

// endless feeds pieces of what repeats until p fails, and returns how many bytes it took.
func endless(t *testing.T, p *Parser, start, repeats string, piece int) int {
	t.Helper()
	p.Begin(get)
	wire := []byte(start)
	fed := 0
	for fed < 10<<20 {
		for len(wire) < piece {
			wire = append(wire, repeats...)
		}
		chunk := wire[:piece:piece]
		for {
			n, event := p.Next(chunk)
			if event == Failed {
				return fed
			}
			chunk = chunk[n:]
			if event == More {
				break
			}
		}
		fed += piece
		wire = wire[piece:]
	}
	t.Fatalf("%q and so on: took %d bytes and wants more", start, fed)
	return 0
}

// TestEndless: whatever is endless in a reply is given up, and little is kept of it.
func TestEndless(t *testing.T) {
	for _, c := range []struct {
		name, start, repeats string
		limit                int
	}{
		{"status line", "HTTP/1.1 200 ", "O", HeadBytesMax},
		{"header", "HTTP/1.1 200 OK\r\n", "X: y\r\n", HeadBytesMax},
		{"one field", "HTTP/1.1 200 OK\r\nX: ", "y", HeadBytesMax},
		{"folding", "HTTP/1.1 200 OK\r\nX: y", "\r\n y", HeadBytesMax},
		{"interim replies", "", "HTTP/1.1 100 Continue\r\n\r\n", HeadBytesMax},
		{"garbage", "abc", "d", 0},
		{"extension", chunkedHead + "1;", "a", chunkLineBytesMax + 100},
		{"extensions", chunkedHead, "1;" + strings.Repeat("a", 2000) + "\r\nx\r\n", chunkExtraBytesMax + 4000},
		{"trailers", chunkedHead + "0\r\n", "X: y\r\n", chunkExtraBytesMax + 100},
		{"one trailer", chunkedHead + "0\r\nX: ", "y", chunkExtraBytesMax + 100},
		{"chunk size", chunkedHead, "0", 100},
	} {
		for _, piece := range []int{1, 7, 4096, 100_000} {
			p := new(Parser)
			if fed := endless(t, p, c.start, c.repeats, piece); fed > c.limit {
				t.Errorf("%s in pieces of %d: given up after %d bytes, the limit is %d", c.name, piece, fed, c.limit)
			}
			if cap(p.buf) > 2*HeadBytesMax || cap(p.excerpt) > 100 {
				t.Errorf("%s in pieces of %d: keeps %d bytes", c.name, piece, cap(p.buf))
			}
			p.Reset()
			if cap(p.buf) > knownBytesMax {
				t.Errorf("%s: keeps %d bytes after Reset", c.name, cap(p.buf))
			}
			if all, _ := parse(t, p, replies[0].wire, whole, get); all[0].body != "hi" {
				t.Errorf("%s: after Reset %v", c.name, all)
			}
		}
	}
}

func TestHeadMax(t *testing.T) {
	head := "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
	for _, cut := range []cutter{whole, pieces(1)} {
		for _, known := range []bool{false, true} {
			p := &Parser{HeadMax: len(head)}
			if known {
				parse(t, p, head, whole, get)
			}
			if all, _ := parse(t, p, head, cut, get); all[0].err != "" {
				t.Errorf("a head as long as the limit: %v", all)
			}
			p.HeadMax--
			if all, _ := parse(t, p, head, cut, get); !strings.Contains(all[0].err, "too long") {
				t.Errorf("a head longer than the limit: %v", all)
			}
		}
	}
}

func TestErrorsOfEnds(t *testing.T) {
	for wire, want := range map[string]error{
		"":                    io.EOF,
		"HTTP/1.1 200 OK\r\n": io.ErrUnexpectedEOF,
		"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n":  io.ErrUnexpectedEOF,
		chunkedHead + "0\r\n":                           io.ErrUnexpectedEOF,
		"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n": nil,
	} {
		p := new(Parser)
		parse(t, p, wire, whole, get)
		if want != nil && !errors.Is(p.Err(), want) || want == nil && (errors.Is(p.Err(), io.EOF) || errors.Is(p.Err(), io.ErrUnexpectedEOF)) {
			t.Errorf("%q: error %v, want %v", wire, p.Err(), want)
		}
		if n, event := p.Next([]byte("HTTP/1.1 200 OK\r\n\r\n")); n != 0 || event != Failed {
			t.Errorf("%q: after the failure event %d, %d bytes taken", wire, event, n)
		}
	}
}
