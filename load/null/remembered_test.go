package null

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// echo answers a request with its own bytes in brackets, so that a test sees where requests were cut.
func echo(request []byte) []byte { return fmt.Appendf(nil, "[%s]", request) }

var remembered = []string{
	"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
	"POST /json HTTP/1.1\r\ncontent-LENGTH:  5 \r\n\r\n\r\n\r\nx",
	"POST /json HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
	"POST /no-length HTTP/1.1\r\n\r\n",
	"POST /wrong HTTP/1.1\r\nContent-Length: -4\r\n\r\n",
}

func TestRememberedAnswersEveryRequestAtEverySplit(t *testing.T) {
	requests := strings.Join(remembered, "")
	want := "[" + strings.Join(remembered, "][") + "]"
	for first := range len(requests) {
		for _, second := range []int{first, (first + len(requests)) / 2, len(requests)} {
			answer, state, got := Remembered(echo), State{}, ""
			for _, part := range []string{requests[:first], requests[first:second], requests[second:]} {
				got += string(answer(&state, []byte(part), nil))
			}
			if got != want || len(state.rest) != 0 {
				t.Fatalf("cut at %d and %d: %q and %q left; want %q", first, second, got, state.rest, want)
			}
		}
	}
}

func TestRememberedAsksOnce(t *testing.T) {
	asked := 0
	answer := Remembered(func(request []byte) []byte { asked++; return echo(request) })
	a, b := State{}, State{}
	for range 3 {
		answer(&a, []byte(remembered[0]), nil)
		answer(&b, []byte(remembered[0]+remembered[1]), nil)
	}
	if asked != 2 {
		t.Errorf("asked %d times about two requests", asked)
	}
}

func TestRememberedForgets(t *testing.T) {
	asked := 0
	answer := Remembered(func(request []byte) []byte { asked++; return echo(request) })
	var state State
	for range 2 {
		for i := range rememberedMax + 1 {
			answer(&state, fmt.Appendf(nil, "GET /%d HTTP/1.1\r\n\r\n", i), nil)
		}
	}
	if asked != 2*(rememberedMax+1) {
		t.Errorf("asked %d times", asked)
	}
}

func TestRememberedKeepsNoEndlessRequest(t *testing.T) {
	answer := Remembered(echo)
	var state State
	for range 40 {
		answer(&state, bytes.Repeat([]byte("x"), 64<<10), nil)
		if len(state.rest) > requestMaxBytes {
			t.Fatalf("keeps %d bytes", len(state.rest))
		}
	}
}

// FuzzRemembered: whatever comes, answers do not depend on how it was cut.
func FuzzRemembered(f *testing.F) {
	f.Add(strings.Join(remembered, ""), uint(17))
	f.Fuzz(func(t *testing.T, in string, cut uint) {
		cut %= uint(len(in) + 1)
		whole, parts := State{}, State{}
		answer := Remembered(echo)
		want := string(answer(&whole, []byte(in), nil))
		got := string(answer(&parts, []byte(in[:cut]), nil)) + string(answer(&parts, []byte(in[cut:]), nil))
		if got != want || !bytes.Equal(whole.rest, parts.rest) {
			t.Errorf("cut at %d: %q and %q left; want %q and %q", cut, got, parts.rest, want, whole.rest)
		}
	})
}
