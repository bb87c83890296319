package framed

import (
	"bytes"
	"io"
	"net"
	"testing"

	"dyno/contract/internal/fixture"
)

// A raw echo keeps its contract, and so does a framed server, which only does more. What loses or mixes up
// bytes does not.
func TestRawEchoes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		program func(*fixture.Server) fixture.Handler
		broken  string // the case that names the fault
	}{
		"raw":    {program: func(*fixture.Server) fixture.Handler { return func(c *net.TCPConn) { io.Copy(c, c) } }},
		"framed": {program: plain},
		"upper case": {broken: "random-payload", program: func(*fixture.Server) fixture.Handler {
			return func(c *net.TCPConn) {
				b := make([]byte, 64<<10)
				for {
					n, err := c.Read(b)
					if err != nil {
						return
					}
					c.Write(bytes.ToUpper(b[:n]))
				}
			}
		}},
		"first segment only": {broken: "random-payload", program: func(*fixture.Server) fixture.Handler {
			return func(c *net.TCPConn) {
				b := make([]byte, 2<<10)
				n, _ := c.Read(b)
				c.Write(b[:n])
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := fixture.Serve(t, c.program)
			broken := ""
			results := Raw{}.Verify(t.Context(), s.Addr, 1)
			for _, r := range results {
				if !r.OK && broken == "" {
					broken = r.Case
					t.Logf("%s: %s", r.Case, r.Reason)
				}
			}
			if broken != c.broken || len(results) != len(Raw{}.Cases()) {
				t.Errorf("breaks %q, want %q", broken, c.broken)
			}
		})
	}
}
