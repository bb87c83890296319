package framed

import (
	"bufio"
	"time"

	"dyno"
	"dyno/contract/internal/gate"
)

// probe is what a case works with: values made at run time, and connections that end with it.
type probe struct{ *gate.Probe }

// promise makes a case of the gate.
func promise(name, text string, check func(probe) error) gate.Case {
	return gate.Case{
		Case:  dyno.Case{Name: name, Promise: text},
		Check: func(p *gate.Probe) error { return check(probe{p}) },
	}
}

func newGate(addr string, seed uint64, within time.Duration) gate.Gate {
	return gate.Gate{Addr: addr, Seed: seed, Within: within, Ping: func(p *gate.Probe) error { return probe{p}.fresh() }}
}

// dial opens a connection that lives until the case ends, or its time is up.
func (p probe) dial() (*peer, error) {
	conn, err := p.Dial()
	if err != nil {
		return nil, err
	}
	return &peer{probe: p, Conn: conn, in: bufio.NewReaderSize(conn, 64<<10)}, nil
}

// fresh makes a verified round trip on a new connection.
func (p probe) fresh() error {
	c, err := p.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	return c.roundTrip(p.Bytes(pingBytes))
}
