package codec

import (
	"errors"
	"fmt"

	"dyno"
	"dyno/internal/words"
	"dyno/load"
	"dyno/mpacket"
)

// trafficBudgetUs is how long each request of a session lets the subject work: long beside the pass that makes
// the digest, and short beside a slice.
const trafficBudgetUs = 10_000

// Traffic works out what operation w must come to over inputs of the seed, and returns a function that makes
// the session of connection conn, a contract.Worker. Every request is the same. A subject does one job after
// the other, so that more than one request in flight would only wait: depth must be 1.
func (Contract) Traffic(w dyno.Workload, depth int, seed uint64) (func(conn int) load.Session, error) {
	o, ok := operationNamed(w.Name)
	if !ok {
		return nil, errors.New("codec traffic: " + words.Unknown("operation", w.Name, names()))
	}
	if depth != 1 {
		return nil, fmt.Errorf("codec traffic: depth %d; choose 1, because a subject does one job after the other", depth)
	}
	j := job{operation: o.name, seed: uint32(seed) ^ uint32(seed>>32), budgetUs: trafficBudgetUs}
	expected := o.expect(j.seed)
	request := j.append(nil)
	return func(conn int) load.Session {
		s := &session{job: j, expected: expected, request: request, conn: conn}
		s.Reset()
		return s
	}, nil
}

func names() []string {
	all := make([]string, len(operations))
	for i, o := range operations {
		all[i] = o.name
	}
	return all
}

// session is the load.Session and contract.Worker of one connection.
type session struct {
	job      job
	expected *expectation // shared by all sessions and never changed
	request  []byte       // the same
	conn     int
	decoder  mpacket.FrameDecoder
	work     dyno.Work // verified since the last call of Work
	fault    error
}

// Request appends the one request of the session.
func (s *session) Request(dst []byte) []byte { return append(dst, s.request...) }

// Reply reads on in a reply. What a subject reports and was not to be is Wrong; what is no reply at all is Broken.
func (s *session) Reply(in []byte) (taken int, status load.Status) {
	payload, taken, err := s.decoder.Next(in)
	if err != nil {
		s.fault = err
		return 0, load.Broken
	}
	if payload == nil {
		return len(in), load.More
	}
	done, err := parseReply(payload)
	if err != nil {
		s.fault = err
		return taken, load.Wrong
	}
	work, err := s.expected.check(done, s.job.budgetUs)
	if err != nil {
		s.fault = err
		return taken, load.Wrong
	}
	s.work = s.work.Plus(work)
	return taken, load.OK
}

// Work returns the work that was verified since the last call.
func (s *session) Work() dyno.Work {
	work := s.work
	s.work = dyno.Work{}
	return work
}

// Reset forgets the reply that is owed, and the fault. Verified work stays.
func (s *session) Reset() {
	s.decoder = mpacket.FrameDecoder{MaxLen: replyBytesMax}
	s.fault = nil
}

// Fault says in one line what was wrong with a reply; it is empty when nothing was.
func (s *session) Fault() string {
	if s.fault == nil {
		return ""
	}
	return fmt.Sprintf("connection %d, %s: %v", s.conn, s.job.operation, s.fault)
}
