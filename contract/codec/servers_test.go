package codec

import (
	"errors"
	"net"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"dyno/contract/internal/fixture"
	"dyno/mpacket"
)

// A subject of these tests knows what a job must come to, waits for the time that it was given, and claims as
// many rounds as it likes. That cheat needs this package, which no subject may import; to the gate it is an
// honest server. Subjects that really work are in subjects/codec-*.

const claimedRounds = 1000

// performer answers a job with the payload of a reply; nil closes the connection.
type performer func(j job) []byte

// honest does what a subject must.
func honest(j job) []byte { return answer(j, nil, nil) }

// answer is honest but for what change makes of the operation, and adjust of the report. Nil leaves them.
func answer(j job, change func(operation) operation, adjust func(*report)) []byte {
	o, known := operationNamed(j.operation)
	if !known || j.budgetUs < 1 || j.budgetUs > budgetMaxUs {
		return mpacket.AppendString([]byte{statusRefused}, "not here")
	}
	if change != nil {
		o = change(o)
	}
	e := expected(o, j.seed, change == nil)
	start := time.Now()
	done := report{lanes: 1, rounds: claimedRounds, allocatedBytes: -1, allocations: -1, digest: e.digest}
	done.sink, _ = e.after(done.rounds)
	for done.durationNs < 1000*int64(j.budgetUs) {
		time.Sleep(time.Duration(1000*int64(j.budgetUs) - done.durationNs))
		done.durationNs = time.Since(start).Nanoseconds()
	}
	if adjust != nil {
		adjust(&done)
	}
	return done.append(nil)
}

// append appends the payload of a reply.
func (r report) append(b []byte) []byte {
	b = mpacket.AppendInt32(append(b, statusDone), r.lanes)
	for _, v := range []int64{r.rounds, r.durationNs, r.allocatedBytes, r.allocations} {
		b = mpacket.AppendInt64(b, v)
	}
	return mpacket.AppendUint32(mpacket.AppendUint32(b, r.digest), r.sink)
}

// lastExpected keeps what was worked out last, since jobs repeat.
var lastExpected struct {
	sync.Mutex
	name string
	seed uint32
	*expectation
}

func expected(o operation, seed uint32, keep bool) *expectation {
	if !keep {
		return o.expect(seed)
	}
	l := &lastExpected
	l.Lock()
	defer l.Unlock()
	if l.expectation == nil || l.name != o.name || l.seed != seed {
		l.name, l.seed, l.expectation = o.name, seed, o.expect(seed)
	}
	return l.expectation
}

// connection is how a server treats what comes over one connection; the zero value does as it must.
type connection struct {
	jobsPerRead   int  // answer no more requests of one read; 0 for all
	wholeReads    bool // take what one read gives for whole requests
	dropsAtFIN    bool // answer nothing of what came right before the FIN
	keepsNonsense bool // go on after bytes that are no request
	diesOfReset   bool
	reversed      bool // answer what came in one read from the end
}

// serve is a server with a performer of its own.
func (k connection) serve(newPerformer func() performer) fixture.Program {
	return func(s *fixture.Server) fixture.Handler {
		perform := newPerformer()
		return func(c *net.TCPConn) {
			if err := k.handle(c, perform); k.diesOfReset && errors.Is(err, syscall.ECONNRESET) {
				s.Die()
			}
		}
	}
}

func (k connection) handle(c *net.TCPConn, perform performer) error {
	decoder := mpacket.FrameDecoder{}
	buf := make([]byte, 16<<10)
	for {
		n, readErr := c.Read(buf)
		if k.dropsAtFIN {
			c.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
			more, err := c.Read(buf[n:])
			if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
				return err
			}
			n += more
			c.SetReadDeadline(time.Time{})
		}
		if k.wholeReads {
			decoder.Reset()
		}
		replies, ok := k.answers(&decoder, buf[:n], perform)
		if k.reversed {
			slices.Reverse(replies)
		}
		for _, reply := range replies {
			if _, err := c.Write(mpacket.AppendFrame(nil, reply)); err != nil {
				return err
			}
		}
		if readErr != nil || !ok && !k.keepsNonsense {
			return readErr
		}
	}
}

// answers returns the replies to the requests that in completes, and whether all of it made sense.
func (k connection) answers(d *mpacket.FrameDecoder, in []byte, perform performer) (replies [][]byte, ok bool) {
	for len(in) > 0 {
		frame, taken, err := d.Next(in)
		if err != nil {
			return replies, false
		}
		in = in[taken:]
		if frame == nil || k.jobsPerRead > 0 && len(replies) == k.jobsPerRead {
			continue
		}
		j, err := parseJob(frame)
		if err != nil {
			return replies, false
		}
		reply := perform(j)
		if reply == nil {
			return replies, false
		}
		replies = append(replies, reply)
	}
	return replies, true
}

func parseJob(payload []byte) (job, error) {
	r := mpacket.NewReader(payload)
	j := job{operation: r.ReadString(), seed: r.ReadUint32(), budgetUs: r.ReadInt32()}
	return j, r.Finish()
}
