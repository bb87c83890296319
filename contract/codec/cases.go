package codec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"dyno"
	"dyno/contract/internal/gate"
	"dyno/mpacket"
)

// cases are the promises, in the order in which the gate checks them.
var cases = []gate.Case{
	{Case: dyno.Case{Name: "write", Promise: "every write operation comes to what the codec must write, for seeds made at run time"}, Check: every("Write")},
	{Case: dyno.Case{Name: "read", Promise: "every read operation comes to what the codec must read"}, Check: every("Read")},
	{Case: dyno.Case{Name: "packets", Promise: "packets of all kinds are written and read as they must be, also in high volume"}, Check: every("Small", "Medium", "Large", "High", "Massive", "Stress")},
	{Case: dyno.Case{Name: "parallel", Promise: "the same on every thread that works at the same time"}, Check: every("Parallel")},
	{Case: dyno.Case{Name: "throughput", Promise: "frames of all sizes are made and taken apart, and plain copies are right"}, Check: every("Throughput", "Encoding", "Decoding", "Realistic", "Max", "Copy")},
	{Case: dyno.Case{Name: "own-clock", Promise: "the time that it reports is neither longer than the request took nor much shorter"}, Check: ownClock},
	{Case: dyno.Case{Name: "changing-seeds", Promise: "an operation with another seed, and the first seed again, comes to what that seed demands"}, Check: changingSeeds},
	{Case: dyno.Case{Name: "split-request", Promise: "a request that comes in pieces is one request"}, Check: splitRequest},
	{Case: dyno.Case{Name: "pipelined", Promise: "requests that come together are answered one by one, in order"}, Check: pipelined},
	{Case: dyno.Case{Name: "connections", Promise: "connections that ask at the same time all get their own replies"}, Check: connections},
	{Case: dyno.Case{Name: "refusal", Promise: "an unknown operation or a budget out of range is refused with a reason, and the connection goes on"}, Check: refusals},
	{Case: dyno.Case{Name: "half-close", Promise: "requests before the client's FIN are answered, then the connection is closed"}, Check: halfClose},
	{Case: dyno.Case{Name: "nonsense", Promise: "bytes that are no request close their connection, and no other"}, Check: nonsense},
	{Case: dyno.Case{Name: "reset", Promise: "clients that reset their connection leave the others alone"}, Check: resets},
}

const (
	// littleUs is the budget where only the result matters.
	littleUs = 100
	// clockUs is the budget of the case that checks the clock: long beside the pass that makes the digest.
	clockUs = 200_000
	// clockAttempts is how often a clock may look wrong on a machine that is busy with other things.
	clockAttempts = 4
)

// ask draws a seed and returns a job.
func ask(p *gate.Probe, operation string, budgetUs int32) job {
	return job{operation: operation, seed: p.Uint32(), budgetUs: budgetUs}
}

// ping makes one verified round trip on a connection of its own.
func ping(p *gate.Probe) error {
	c, err := p.Dial()
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = perform(p, c, ask(p, "Copy 64 B", littleUs))
	return err
}

// perform sends a job and checks its reply.
func perform(p *gate.Probe, c *gate.Conn, j job) (report, error) {
	if err := c.Send(j.append(nil)); err != nil {
		return report{}, err
	}
	return receive(p, c, j)
}

// receive reads the reply to a job and checks it.
func receive(p *gate.Probe, c *gate.Conn, j job) (report, error) {
	done, err := readReport(p, c)
	if refused := (*refusal)(nil); errors.As(err, &refused) {
		return report{}, gate.Wrong("%s: %v", j.operation, err)
	}
	if err != nil {
		return report{}, err
	}
	o, _ := operationNamed(j.operation)
	if _, err := o.expect(j.seed).check(done, j.budgetUs); err != nil {
		return report{}, gate.Wrong("%s: %v", j.operation, err)
	}
	return done, nil
}

// readReport reads a reply; a refusal is a *refusal.
func readReport(p *gate.Probe, c *gate.Conn) (report, error) {
	payload, err := readFrame(c)
	if err != nil {
		return report{}, p.Explain(err)
	}
	done, err := parseReply(payload)
	if refused := (*refusal)(nil); err != nil && !errors.As(err, &refused) {
		return report{}, gate.Wrong("no reply of this contract: %v", err)
	}
	return done, err
}

// readFrame reads one frame and not a byte more.
func readFrame(c *gate.Conn) ([]byte, error) {
	d := mpacket.FrameDecoder{MaxLen: replyBytesMax}
	var b [1]byte
	for {
		if _, err := io.ReadFull(c, b[:]); err != nil {
			return nil, err
		}
		payload, _, err := d.Next(b[:])
		if err != nil {
			return nil, gate.Wrong("%v", err)
		}
		if payload != nil {
			return payload, nil
		}
	}
}

// every checks the operations whose names have one of the beginnings.
func every(beginnings ...string) func(*gate.Probe) error {
	return func(p *gate.Probe) error {
		c, err := p.Dial()
		if err != nil {
			return err
		}
		for _, o := range operations {
			for _, beginning := range beginnings {
				if !strings.HasPrefix(o.name, beginning) {
					continue
				}
				if _, err := perform(p, c, ask(p, o.name, littleUs)); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// ownClock compares the reported time with the time between request and reply. The reply takes longer than
// the work, because inputs and digest are made too; the inputs are there already when it counts.
func ownClock(p *gate.Probe) error {
	c, err := p.Dial()
	if err != nil {
		return err
	}
	for _, operation := range []string{"ReadInt32", "Parallel small", "Throughput 4 KB"} {
		if err := checkClock(p, c, operation); err != nil {
			return fmt.Errorf("%s: %w", operation, err)
		}
	}
	return nil
}

func checkClock(p *gate.Probe, c *gate.Conn, operation string) (err error) {
	j := ask(p, operation, littleUs)
	if _, err := perform(p, c, j); err != nil {
		return err
	}
	j.budgetUs = clockUs
	for range clockAttempts {
		start := time.Now()
		done, failed := perform(p, c, j)
		if failed != nil {
			return failed
		}
		wallNs := time.Since(start).Nanoseconds()
		switch {
		case done.durationNs > wallNs:
			return gate.Wrong("reports %d ns of work, but the request took only %d ns", done.durationNs, wallNs)
		case done.durationNs >= wallNs/2:
			return nil
		}
		err = gate.Wrong("reports %d ns of work, less than half of the %d ns that the request took", done.durationNs, wallNs)
	}
	return err
}

// changingSeeds goes back to a seed that the subject may have kept, after others.
func changingSeeds(p *gate.Probe) error {
	c, err := p.Dial()
	if err != nil {
		return err
	}
	for _, operation := range []string{"WriteInt32", "ReadVarInt", "Copy 64 B"} {
		a, b := ask(p, operation, littleUs), ask(p, operation, littleUs)
		longer := a
		longer.budgetUs = 20 * littleUs
		for _, j := range []job{a, b, a, longer} {
			if _, err := perform(p, c, j); err != nil {
				return err
			}
		}
	}
	return nil
}

func splitRequest(p *gate.Probe) error {
	c, err := p.Dial()
	if err != nil {
		return err
	}
	j := ask(p, "Copy 64 B", littleUs)
	wire := j.append(nil)
	for _, cut := range []int{1, 2, p.Between(3, len(wire)-2), len(wire) - 1} {
		if err := c.Send(wire[:cut]); err != nil {
			return err
		}
		p.Pause()
		if err := c.Send(wire[cut:]); err != nil {
			return err
		}
		if _, err := receive(p, c, j); err != nil {
			return fmt.Errorf("cut after %d of %d bytes: %w", cut, len(wire), err)
		}
	}
	return nil
}

func pipelined(p *gate.Probe) error {
	c, err := p.Dial()
	if err != nil {
		return err
	}
	return pipeline(p, c, func() error { return nil })
}

// pipeline sends several jobs in one write, calls after, and checks the replies.
func pipeline(p *gate.Probe, c *gate.Conn, after func() error) error {
	var jobs []job
	var wire []byte
	for _, operation := range []string{"Copy 64 B", "Copy 512 B", "Encoding only", "Copy 64 B"} {
		jobs = append(jobs, ask(p, operation, littleUs))
		wire = jobs[len(jobs)-1].append(wire)
	}
	if err := c.Send(wire); err != nil {
		return err
	}
	if err := after(); err != nil {
		return err
	}
	for i, j := range jobs {
		if _, err := receive(p, c, j); err != nil {
			return fmt.Errorf("request %d of %d: %w", i+1, len(jobs), err)
		}
	}
	return nil
}

func connections(p *gate.Probe) error {
	jobs := make([]job, 8)
	for i := range jobs {
		jobs[i] = ask(p, []string{"Copy 64 B", "Decoding only"}[i%2], littleUs)
	}
	return p.Together(len(jobs), func(i int) error {
		c, err := p.Dial()
		if err != nil {
			return err
		}
		for range 3 {
			if _, err := perform(p, c, jobs[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// refusals asks for what cannot be done, and then for what can.
func refusals(p *gate.Probe) error {
	c, err := p.Dial()
	if err != nil {
		return err
	}
	unknown := p.Word(8, 12)
	for _, j := range []job{
		ask(p, unknown, littleUs), ask(p, "", littleUs), ask(p, "writebyte", littleUs), ask(p, "constructor", littleUs),
		ask(p, "Copy 64 B", 0), ask(p, "Copy 64 B", -1), ask(p, "Copy 64 B", budgetMaxUs+1),
	} {
		if err := c.Send(j.append(nil)); err != nil {
			return err
		}
		_, err := readReport(p, c)
		switch refused := (*refusal)(nil); {
		case err == nil:
			return gate.Wrong("operation %q for %d µs was done, want it refused", j.operation, j.budgetUs)
		case !errors.As(err, &refused):
			return fmt.Errorf("operation %q for %d µs: %w", j.operation, j.budgetUs, err)
		}
		if _, err := perform(p, c, ask(p, "Copy 64 B", littleUs)); err != nil {
			return fmt.Errorf("after a refusal: %w", err)
		}
	}
	return nil
}

func halfClose(p *gate.Probe) error {
	c, err := p.Dial()
	if err != nil {
		return err
	}
	if err := pipeline(p, c, c.EndSending); err != nil {
		return err
	}
	return expectClosed(p, c)
}

// expectClosed checks that the server ends the connection and sends nothing more.
func expectClosed(p *gate.Probe, c *gate.Conn) error {
	n, err := c.Read(make([]byte, 1))
	var timeout net.Error
	switch {
	case n > 0:
		return gate.Wrong("got a byte that nobody asked for, want the connection closed")
	case errors.As(err, &timeout) && timeout.Timeout():
		return gate.Wrong("the connection is still open, want it closed: %v", p.Explain(err))
	default:
		return nil
	}
}

// nonsense sends what is no request, each on a connection of its own.
func nonsense(p *gate.Probe) error {
	good := ask(p, "Copy 64 B", littleUs)
	payload := good.append(nil)[1:]
	for _, bad := range []struct {
		what string
		wire []byte
	}{
		{"a frame of length zero", []byte{0}},
		{"a length of four bytes", []byte{0x80, 0x80, 0x80, 1}},
		{"a negative length", []byte{0xff, 0xff, 0xff, 0xff, 0x0f}},
		{"a request that ends early", mpacket.AppendFrame(nil, payload[:len(payload)-1])},
		{"bytes behind the request", mpacket.AppendFrame(nil, append(bytes.Clone(payload), 0))},
		{"a name longer than its frame", mpacket.AppendFrame(nil, []byte{0x7f, 'a'})},
		{"a name that is not UTF-8", mpacket.AppendFrame(nil, []byte{1, 0xff, 0, 0, 0, 1, 0, 0, 0, 1})},
		{"a negative name", mpacket.AppendFrame(nil, []byte{0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0, 0, 1, 0, 0, 0, 1})},
	} {
		c, err := p.Dial()
		if err != nil {
			return err
		}
		// What comes before is still owed.
		if err := c.Send(good.append(nil)); err != nil {
			return err
		}
		if err := c.Send(bad.wire); err != nil {
			return err
		}
		if _, err := receive(p, c, good); err != nil {
			return fmt.Errorf("before %s: %w", bad.what, err)
		}
		if err := expectClosed(p, c); err != nil {
			return fmt.Errorf("%s: %w", bad.what, err)
		}
		if err := p.Others(); err != nil {
			return fmt.Errorf("%s: %w", bad.what, err)
		}
	}
	return nil
}

func resets(p *gate.Probe) error {
	wire := ask(p, "Copy 64 B", littleUs).append(nil)
	for _, sent := range [][]byte{nil, wire[:1], wire[:len(wire)/2], wire, bytes.Repeat(wire, 3)} {
		c, err := p.Dial()
		if err != nil {
			return err
		}
		if len(sent) > 0 {
			if err := c.Send(sent); err != nil {
				return err
			}
		}
		c.Abort()
		if err := p.Others(); err != nil {
			return fmt.Errorf("%d bytes and a reset: %w", len(sent), err)
		}
	}
	return nil
}
