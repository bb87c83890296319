package http1

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// stricter lists where dyno refuses what net/http takes, and why. Everywhere else the two must agree.
var stricter = []struct {
	why  problem
	what string
	wire string
}{
	{notHTTP, "another version than 1.x is another protocol: HTTP/2 does not look like this", "HTTP/3.0 200 OK\r\nContent-Length: 0\r\n\r\n"},
	{badStatusLine, "RFC 9112, section 4, has one blank, three digits, the first not 0, and a reason without control characters", "HTTP/1.1   200 OK\r\nContent-Length: 0\r\n\r\n"},
	{badFieldName, "section 5.1: a blank before the colon has hidden fields from one of two parsers; net/http keeps such a field under a name that nobody asks for", "HTTP/1.1 200 OK\r\nContent-Length : 0\r\n\r\n"},
	{lengthAndCoding, "section 6.3: it ought to be handled as an error; net/http lets the coding win", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
	{codingIn10, "section 6.1: the framing is faulty; net/http overlooks the coding", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
	{switched, "nobody asked to switch protocols; net/http leaves it to its caller", "HTTP/1.1 101 Switching Protocols\r\n\r\n"},
	{badChunkSize, "section 7.1 has no blank before CRLF, and 15 digits are enough; control characters in extensions are none of its text", chunkedHead + "0 \r\n\r\n"},
	{badTrailer, "trailers end with CRLF, as chunks do; net/http takes bare LF and folding between the first line and the last", chunkedHead + "0\r\nX: y\nZ: z\r\n\r\n"},
	{headTooLong, "64 KiB; net/http's limit is its caller's", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("y", HeadBytesMax) + "\r\n\r\n"},
	{tooMuchExtra, "16 KiB of extensions and trailers; net/http counts them against the data", chunkedHead + "0\r\nX: " + strings.Repeat("y", chunkExtraBytesMax) + "\r\n\r\n"},
}

// laxer lists what net/http says when it refuses what dyno takes, and why dyno does.
var laxer = map[string]string{
	"bad trailer key": "the Trailer field announces a length; dyno uses no trailer, so it does no harm",
}

// stdlib reads replies as net/http does. err is what it said to the last one.
func stdlib(wire, method string) (all []outcome, err error) {
	r := bufio.NewReaderSize(strings.NewReader(wire), 1<<18)
	for {
		if _, err := r.Peek(1); err != nil {
			return all, nil
		}
		o, err := stdlibReply(r, method)
		if err != nil {
			return all, err
		}
		all = append(all, o)
		if o.ends {
			return all, nil
		}
	}
}

func stdlibReply(r *bufio.Reader, method string) (o outcome, err error) {
	for {
		reply, err := http.ReadResponse(r, &http.Request{Method: method})
		if err != nil {
			return o, err
		}
		if reply.StatusCode < 200 && reply.StatusCode != 101 {
			continue
		}
		body, err := io.ReadAll(reply.Body)
		o = outcome{body: string(body), ends: reply.Close}
		o.head.Status, o.head.Minor = reply.StatusCode, reply.ProtoMinor
		return o, err
	}
}

// compare judges one stream by both. A reply that ends the connection ends the comparison.
func compare(t *testing.T, wire, method string, cut cutter) {
	t.Helper()
	p := new(Parser)
	ours, _ := parse(t, p, wire, cut, method)
	theirs, err := stdlib(wire, method)
	for i, o := range ours {
		if o.err != "" {
			if i < len(theirs) || err == nil && p.problem != cutBefore {
				mustBeStricter(t, p.problem, wire, o, theirs, err)
			}
			return
		}
		if i >= len(theirs) {
			for words := range laxer {
				if err != nil && strings.Contains(err.Error(), words) {
					return
				}
			}
			t.Fatalf("reply %d is %v; net/http says %v\n%q", i+1, o, err, wire)
		}
		w := theirs[i]
		if o.head.Status != w.head.Status || o.head.Minor != w.head.Minor || o.body != w.body || o.ends != w.ends {
			t.Fatalf("reply %d is %v; net/http says %v\n%q", i+1, o, w, wire)
		}
		if o.ends {
			return
		}
	}
	if len(theirs) > len(ours) {
		t.Fatalf("%d replies; net/http finds %d\n%q", len(ours), len(theirs), wire)
	}
}

func mustBeStricter(t *testing.T, why problem, wire string, o outcome, theirs []outcome, err error) {
	t.Helper()
	for _, s := range stricter {
		if s.why == why {
			return
		}
	}
	t.Fatalf("%v; net/http reads %d replies, then %v\n%q", o, len(theirs), err, wire)
}

func TestDifferencesAreReal(t *testing.T) {
	for _, s := range stricter {
		p := new(Parser)
		parse(t, p, s.wire, whole, get)
		if theirs, err := stdlib(s.wire, get); p.problem != s.why || err != nil || len(theirs) == 0 {
			t.Errorf("%s: %v; net/http reads %v, error %v: no such difference", s.what, p.Err(), theirs, err)
		}
	}
	wire := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: Content-Length\r\n\r\n0\r\n\r\n"
	ours, _ := parse(t, new(Parser), wire, whole, get)
	if _, err := stdlib(wire, get); err == nil || ours[0].err != "" {
		t.Errorf("trailer key: %v, net/http: %v", ours, err)
	}
}

func TestAgreesWithNetHTTP(t *testing.T) {
	for _, c := range replies {
		method := methodsOf(c.methods)[0]
		compare(t, c.wire, method, whole)
		compare(t, c.wire, method, pieces(1))
	}
}

// mutate changes wire by what the bytes of how say: cut, insert, repeat, replace, and splice in words
// that mean something to a parser.
func mutate(wire string, how []byte) string {
	words := []string{"\r\n", "\n", "\r", " ", "\t", ":", "\r\n\r\n", "0", "1", "5", "-", "+", "0x", ";", "\x00", "\x7f", "\xff", "HTTP/1.1", "HTTP/1.0", " 200",
		" 204", " 304", " 100", "Content-Length: ", "Transfer-Encoding: chunked\r\n", "Connection: close\r\n", "Connection: keep-alive\r\n", "chunked", "Trailer: X\r\n", ","}
	b := []byte(wire)
	for len(how) >= 3 && len(b) < 4000 {
		at := (int(how[1]) | int(how[2])<<8) % (len(b) + 1)
		switch op := how[0]; {
		case op < 32:
			b = append(b[:at], b[min(at+1+int(op)%8, len(b)):]...)
		case op < 64 && at < len(b):
			b[at] ^= 1 << (op % 8)
		case op < 96:
			b = append(b[:at:at], append(bytes.Clone(b[at:min(at+int(op), len(b))]), b[at:]...)...)
		default:
			b = append(b[:at:at], append([]byte(words[int(op)%len(words)]), b[at:]...)...)
		}
		how = how[3:]
	}
	return string(b)
}

// FuzzAgainstNetHTTP: whatever comes, and however it is cut, both read the same replies, but for
// what the tables above list.
func FuzzAgainstNetHTTP(f *testing.F) {
	for i, c := range replies {
		if len(c.wire) < 1000 {
			f.Add(c.wire, []byte{}, uint64(i), methodsOf(c.methods)[0] == "HEAD")
			f.Add(c.wire, []byte{100, byte(i), 0}, uint64(i), false)
		}
	}
	f.Fuzz(func(t *testing.T, wire string, how []byte, cuts uint64, head bool) {
		if len(wire) > 10_000 {
			return
		}
		method := get
		if head {
			method = "HEAD"
		}
		wire = mutate(wire, how)
		compare(t, wire, method, randomly(cuts))
		ours, _ := parse(t, new(Parser), wire, randomly(cuts), method)
		again, _ := parse(t, new(Parser), wire, whole, method)
		if a, b := show(ours), show(again); !sameButExcerpt(a, b) {
			t.Fatalf("cut differently:\n%s%s%q", a, b, wire)
		}
	})
}

// FuzzKnownHead: a parser that has read one reply reads the next as a parser does that has read none.
func FuzzKnownHead(f *testing.F) {
	for i, c := range replies {
		if len(c.wire) < 1000 {
			f.Add(c.wire, []byte{100, byte(i), 0}, uint64(i))
			f.Add(c.wire, []byte{40, byte(3 * i), 0}, uint64(i))
		}
	}
	f.Fuzz(func(t *testing.T, wire string, how []byte, cuts uint64) {
		if len(wire) > 10_000 {
			return
		}
		checkKnown(t, wire, mutate(wire, how), func() cutter { return randomly(cuts) })
	})
}

func checkKnown(t *testing.T, first, second string, cut func() cutter) {
	t.Helper()
	for _, method := range []string{get, "HEAD"} {
		p := new(Parser)
		parse(t, p, first, whole, method)
		p.Reset()
		got, _ := parse(t, p, second, cut(), method)
		want, _ := parse(t, new(Parser), second, cut(), method)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("after %q\n%q\nis %v\nwant %v", first, second, got, want)
		}
	}
}

func atOnce() cutter { return whole }

// TestKnownHeads changes each byte of each reply to each of the bytes that mean something, and takes
// each byte away.
func TestKnownHeads(t *testing.T) {
	hits := 0
	for _, c := range replies {
		if len(c.wire) > 1000 || strings.HasPrefix(c.name, "wrong: ") {
			continue // most wrong ones leave no head to know
		}
		for at := range len(c.wire) {
			checkKnown(t, c.wire, c.wire[:at]+c.wire[at+1:], atOnce)
			for _, by := range []byte("\r\n :,+09cX\x00\xff") {
				second := c.wire[:at] + string(by) + c.wire[at+1:]
				checkKnown(t, c.wire, second, atOnce)
				hits++
			}
		}
	}
	if hits < 30_000 {
		t.Errorf("only %d mutations", hits)
	}
}

// TestKnownHeadIsUsed: repeated heads are recognised, also with another length, and others are not.
func TestKnownHeadIsUsed(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\nContent-Length: 2\r\nX: y\r\n\r\n"
	for _, c := range []struct {
		second string
		known  bool
	}{
		{head + "hi", true},
		{strings.Replace(head, "2\r\nX", "10\r\nX", 1) + "0123456789", true},
		{strings.Replace(head, "2\r\nX", "0\r\nX", 1), true},
		{strings.Replace(head, "2\r\nX", "02\r\nX", 1) + "hi", true},
		{strings.Replace(head, "2\r\nX", "000000000000000000002\r\nX", 1) + "hi", false},
		{strings.Replace(head, "2\r\nX", "2 \r\nX", 1) + "hi", false},
		{strings.Replace(head, "00:00 GMT", "00:01 GMT", 1) + "hi", false},
		{strings.Replace(head, "X: y", "X: z", 1) + "hi", false},
		{strings.Replace(head, "200", "201", 1) + "hi", false},
	} {
		p := new(Parser)
		parse(t, p, head+"hi", whole, get)
		all, _ := parse(t, p, c.second, whole, get)
		if p.parsed == c.known || all[0].err != "" {
			t.Errorf("%q: recognised %v, want %v; %v", c.second, !p.parsed, c.known, all)
		}
	}
}
