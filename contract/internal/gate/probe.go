package gate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// Probe is what a case works with: values made at run time, and connections that end with it.
type Probe struct {
	*Source
	addr   string
	within time.Duration
	ping   func(*Probe) error
	ctx    context.Context // ends after within, or when a part of the case has failed
	cancel context.CancelCauseFunc
	stop   context.CancelFunc

	mu    sync.Mutex
	conns []*net.TCPConn
	parts sync.WaitGroup // goroutines that the case started
}

func newProbe(ctx context.Context, addr string, values *Source, within time.Duration) *Probe {
	p := &Probe{Source: values, addr: addr, within: within}
	ctx, p.stop = context.WithTimeout(ctx, within)
	p.ctx, p.cancel = context.WithCancelCause(ctx)
	return p
}

// close ends all connections and waits for all goroutines of the case.
func (p *Probe) close() {
	p.cancel(nil)
	p.stop()
	p.mu.Lock()
	for _, c := range p.conns {
		c.Close()
	}
	p.mu.Unlock()
	p.parts.Wait()
}

// Conn is the gate's end of one connection to the server. Its errors are words about the server.
type Conn struct {
	*net.TCPConn
	probe *Probe
}

// Dial opens a connection that lives until the case ends, or its time is up.
func (p *Probe) Dial() (*Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(p.ctx, "tcp", p.addr)
	if err != nil {
		return nil, fmt.Errorf("the server does not accept connections: %w", err)
	}
	c := conn.(*net.TCPConn)
	context.AfterFunc(p.ctx, func() { c.SetDeadline(time.Unix(1, 0)) })
	p.mu.Lock()
	p.conns = append(p.conns, c)
	p.mu.Unlock()
	return &Conn{c, p}, nil
}

// Send sends b in one write; TCP_NODELAY, Go's default, makes it a segment of its own.
func (c *Conn) Send(b []byte) error {
	if _, err := c.Write(b); err != nil {
		return c.probe.Explain(err)
	}
	return nil
}

// EndSending half-closes the connection: the server sees the end of the stream.
func (c *Conn) EndSending() error {
	if err := c.CloseWrite(); err != nil {
		return c.probe.Explain(err)
	}
	return nil
}

// Abort closes the connection with RST instead of FIN.
func (c *Conn) Abort() {
	c.SetLinger(0)
	c.Close()
}

// Within returns the bound of the case.
func (p *Probe) Within() time.Duration { return p.within }

// Go runs part beside the case, which does not end before it.
func (p *Probe) Go(part func()) { p.parts.Go(part) }

// Together runs part(0) to part(n-1) at the same time and returns the first error. The first
// failure ends the others, so that the cause is named and not what followed from it.
func (p *Probe) Together(n int, part func(i int) error) error {
	var wait sync.WaitGroup
	var once sync.Once
	var first error
	for i := range n {
		wait.Go(func() {
			if err := part(i); err != nil {
				once.Do(func() { first = err })
				p.cancel(err)
			}
		})
	}
	wait.Wait()
	return first
}

// Others checks that new connections are still served. It looks more than once, so that a server
// that dies a little later is seen too.
func (p *Probe) Others() error {
	for range 2 {
		p.Pause()
		if err := p.ping(p); err != nil {
			return fmt.Errorf("another connection, opened after: %w", err)
		}
	}
	return nil
}

// AbortAll sends each of the messages on a connection of its own, and resets that. In the first round the
// reset follows at once; in the others the server is probably in the middle of its reply.
func (p *Probe) AbortAll(rounds int, messages ...[]byte) error {
	for round := range rounds {
		for _, b := range messages {
			c, err := p.Dial()
			if err != nil {
				return fmt.Errorf("round %d: %w", round+1, err)
			}
			if err := c.Send(b); err != nil {
				return fmt.Errorf("round %d, %d bytes to be sent before the reset: %w", round+1, len(b), err)
			}
			if round > 0 {
				p.Pause()
			}
			c.Abort()
		}
	}
	return nil
}

// Pause lets the server read what was sent so far, so that the next write reaches it separately.
func (p *Probe) Pause() { time.Sleep(time.Millisecond) }

// Explain turns an error of a connection into words about the server.
func (p *Probe) Explain(err error) error {
	switch {
	case IsTimeout(err) && errors.Is(context.Cause(p.ctx), context.DeadlineExceeded):
		return fmt.Errorf("nothing more came in the %v of the case", p.within)
	case IsTimeout(err) && context.Cause(p.ctx) != nil:
		return context.Cause(p.ctx)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the server closed the connection")
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return errors.New("the server reset the connection")
	default:
		return err
	}
}

// IsTimeout reports whether an error of a connection says that the case is over.
func IsTimeout(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }
