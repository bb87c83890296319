package httpbasic

import (
	"fmt"

	"dyno/contract/internal/gate"
	"dyno/contract/internal/httpgate"
	"dyno/contract/internal/jsontext"
)

func aborted(p *gate.Probe) error {
	value := jsontext.Maker{Rand: p.Rand, Scripts: plainText}.Object(50_000)
	return httpgate.Aborted(p, named(p.Word(1, 8), p.Word(1, 8)), mirror(jsontext.Compact(value), value))
}

// garbage sends bytes that no server may take for a request, and ends the stream behind them.
func garbage(p *gate.Probe) error {
	for _, sent := range []struct {
		name string
		wire []byte
	}{
		{"200 random bytes", append(p.Bytes(200), "\r\n\r\n"...)},
		{"a line of one word", []byte(p.Word(5, 9) + "\r\n\r\n")},
		{"a version of HTTP that there is not", []byte("GET / HTTP/9.9x\r\nHost: localhost\r\n\r\n")},
		{"a header without a colon", []byte("GET / HTTP/1.1\r\nHost: localhost\r\n" + p.Word(4, 9) + " no colon\r\n\r\n")},
	} {
		c, err := httpgate.Dial(p)
		if err != nil {
			return err
		}
		if err := c.Refused(sent.wire); err != nil {
			return fmt.Errorf("after %s: %w", sent.name, err)
		}
	}
	return p.Others()
}
