package http1

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"dyno/load"
)

// reply180 is a reply of 180 bytes, as runtimes send them.
const reply180 = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\n" +
	"Connection: keep-alive\r\nKeep-Alive: timeout=5\r\nContent-Length: 11\r\n\r\nhello world"

func session180(b testing.TB, depth int) load.Session {
	want := Want{Status: 200, Body: []byte("hello world"), Header: []HeaderWant{{"Content-Type", "text/plain", true}}}
	return corpus(b, wanting(b, want)).Session(0, depth, 1)
}

// exchange sends depth requests and reads their replies.
func exchange(b testing.TB, s load.Session, buf, wire []byte, depth int) {
	out := buf[:0]
	for range depth {
		out = s.Request(out)
	}
	for in := wire; len(in) > 0; {
		taken, status := s.Reply(in)
		if status != load.OK {
			b.Fatal(s.Fault())
		}
		in = in[taken:]
	}
}

// BenchmarkReply is the client's own work for a request and its reply of 180 B, by depth.
func BenchmarkReply(b *testing.B) {
	for _, depth := range []int{1, 16} {
		b.Run(fmt.Sprintf("depth %d", depth), func(b *testing.B) {
			s, wire, buf := session180(b, depth), []byte(strings.Repeat(reply180, depth)), make([]byte, 0, 10_000)
			for b.Loop() {
				exchange(b, s, buf, wire, depth)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*depth), "ns/reply")
		})
	}
}

// BenchmarkReplyAnew is the same where every head must be parsed, its Date having changed.
func BenchmarkReplyAnew(b *testing.B) {
	s, buf := session180(b, 2), make([]byte, 0, 10_000)
	wire := []byte(reply180 + strings.Replace(reply180, "00:00:00", "00:00:01", 1))
	for b.Loop() {
		exchange(b, s, buf, wire, 2)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*2), "ns/reply")
}

// BenchmarkReplyOtherLength is the same where the lengths differ from reply to reply.
func BenchmarkReplyOtherLength(b *testing.B) {
	s, buf := corpus(b, wanting(b, Want{BodyAny: true})).Session(0, 2, 1), make([]byte, 0, 10_000)
	wire := []byte(reply180 + strings.Replace(reply180, "11\r\n\r\nhello world", "5\r\n\r\nhello", 1))
	for b.Loop() {
		exchange(b, s, buf, wire, 2)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*2), "ns/reply")
}

// BenchmarkReplyChunked is the same where the body comes in a chunk.
func BenchmarkReplyChunked(b *testing.B) {
	s, buf := session180(b, 1), make([]byte, 0, 10_000)
	wire := []byte(strings.Replace(reply180, "Content-Length: 11\r\n\r\nhello world", "Transfer-Encoding: chunked\r\n\r\nb\r\nhello world\r\n0\r\n\r\n", 1))
	for b.Loop() {
		exchange(b, s, buf, wire, 1)
	}
}

func readAll(b testing.TB, src *bytes.Reader, r *bufio.Reader, wire []byte) {
	src.Reset(wire)
	r.Reset(src)
	reply, err := http.ReadResponse(r, nil)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, reply.Body); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkNetHTTP reads the same reply with net/http.
func BenchmarkNetHTTP(b *testing.B) {
	src, r := bytes.NewReader(nil), bufio.NewReader(nil)
	for b.Loop() {
		readAll(b, src, r, []byte(reply180))
	}
}

// BenchmarkAgainstNetHTTP takes turns between a session and net/http on the same reply, and reports
// how many replies the one reads in the time that the other needs for one.
func BenchmarkAgainstNetHTTP(b *testing.B) {
	s, wire, buf := session180(b, 1), []byte(reply180), make([]byte, 0, 1000)
	src, r := bytes.NewReader(nil), bufio.NewReader(nil)
	var ours, theirs time.Duration
	const turn = 1000
	for b.Loop() {
		from := time.Now()
		for range turn {
			exchange(b, s, buf, wire, 1)
		}
		between := time.Now()
		for range turn {
			readAll(b, src, r, wire)
		}
		ours, theirs = ours+between.Sub(from), theirs+time.Since(between)
	}
	b.ReportMetric(float64(theirs)/float64(ours), "x-net/http")
	b.ReportMetric(float64(ours.Nanoseconds())/float64(b.N*turn), "ns/reply")
	b.ReportMetric(0, "ns/op")
}
