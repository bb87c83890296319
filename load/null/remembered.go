package null

import (
	"bytes"
	"strconv"
)

const (
	headEnd = "\r\n\r\n"

	// rememberedMax bounds the requests whose replies are remembered. A cell's traffic walks through a few
	// hundred; those of the cells before are forgotten when it is reached.
	rememberedMax = 4096

	// requestMaxBytes bounds a request. Longer ones end nothing but their own connection's memory.
	requestMaxBytes = 1 << 20
)

// Remembered answers HTTP/1.1 requests with right replies at the price of a fixed one: reply makes the
// whole reply to a whole request when that comes for the first time, and afterwards the request's bytes are
// looked up. So the traffic of a contract is verified like any other, and no server does less for it.
//
// A request ends with its head, or as many bytes behind it as Content-Length says; chunks are not known.
func Remembered(reply func(request []byte) []byte) Answer {
	known := map[string][]byte{}
	return func(state *State, in, scratch []byte) []byte {
		out := scratch[:0]
		if len(state.rest) > 0 {
			state.rest = append(state.rest, in...)
			in = state.rest
		}
		for {
			n := requestBytes(in)
			if n == 0 {
				break
			}
			answer, ok := known[string(in[:n])]
			if !ok {
				if len(known) == rememberedMax {
					clear(known)
				}
				answer = reply(in[:n])
				known[string(in[:n])] = answer
			}
			out = append(out, answer...)
			in = in[n:]
		}
		if len(in) > requestMaxBytes {
			in = nil
		}
		state.rest = append(state.rest[:0], in...) // moves to the front where it is in rest already
		return out
	}
}

// requestBytes returns the length of the request that in begins with, 0 when it is not whole.
func requestBytes(in []byte) int {
	head := bytes.Index(in, []byte(headEnd))
	if head < 0 {
		return 0
	}
	n := head + len(headEnd)
	if in[0] != 'G' { // a GET has no body
		n += contentLength(in[:head])
	}
	if n > len(in) {
		return 0
	}
	return n
}

// contentLength returns the length of a body as its head announces it, 0 where it announces none that
// can be.
func contentLength(head []byte) int {
	for line := range bytes.SplitSeq(head, []byte("\r\n")) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		if bytes.EqualFold(name, []byte("Content-Length")) {
			n, err := strconv.Atoi(string(bytes.TrimSpace(value)))
			if err != nil || n < 0 || n > requestMaxBytes {
				return 0
			}
			return n
		}
	}
	return 0
}
