package http1

import (
	"fmt"
	"strconv"
	"strings"
)

// fault is what was wrong, in numbers and samples: the words are made when someone asks.
type fault struct {
	kind  faultKind
	entry *entry      // what was wanted; nil when nothing was
	reply int64       // number on its connection, from 1
	got   int64       // status or length
	at    int         // offset in the body
	field *HeaderWant // the field that is missing or different
	value []byte      // its value
	has   bool        // it is there
	body  []byte      // some of the body: from its start, or from at on
}

type faultKind uint8

const (
	noFault faultKind = iota
	unaskedBytes
	unfollowable // the parser knows why
	otherStatus
	otherField
	otherLength
	otherBody
	tooLong
)

// sampleBytes bounds what a fault repeats of a body.
const sampleBytes = 64

// blame remembers a fault in the place of the one before it.
func (s *session) blame(f fault) {
	f.entry, f.reply = s.current, s.replies+1
	if s.fault == nil {
		s.fault = new(fault)
	}
	f.value, f.body = s.fault.value[:0], s.fault.body[:0]
	*s.fault = f
}

// refuse blames the reply and lets it be followed to its end.
func (s *session) refuse(f fault) {
	s.verdict = refused
	s.blame(f)
}

// sample keeps some of the body.
func (f *fault) sample(part []byte) {
	f.body = append(f.body, part[:min(len(part), max(sampleBytes+1-len(f.body), 0))]...)
}

// keepValue keeps the value of the field that was wanted.
func (f *fault) keepValue(h *Head) {
	value, ok := h.Value(f.field.Name)
	f.has = ok
	f.value = append(f.value, value[:min(len(value), sampleBytes+1)]...)
}

// Fault says in one line what was wrong with the last wrong reply; it is empty when none was.
func (s *session) Fault() string {
	if s.fault == nil || s.fault.kind == noFault {
		return ""
	}
	return fmt.Sprintf("connection %d, reply %d: %s", s.conn, s.fault.reply, s.faultWords())
}

func (s *session) faultWords() string {
	f := s.fault
	e := f.entry
	switch f.kind {
	case unaskedBytes:
		return fmt.Sprintf("got %s, want nothing: no request was in flight", sampleOr("", f.body))
	case otherStatus:
		return fmt.Sprintf("status %d, want %s; body: %s", f.got, e.statusWords(), sampleOr("none", f.body))
	case otherField:
		return fmt.Sprintf("header %s, want %s", f.fieldWords(), f.field.words())
	case otherLength:
		return fmt.Sprintf("body of %d B, want %d B; got %s, want %s", f.got, len(e.body), sampleOr("none", f.body), sampleOr("none", e.body))
	case tooLong:
		return fmt.Sprintf("body of more than %d B, want %d B; got %s", f.got, len(e.body), sampleOr("none", f.body))
	case otherBody:
		return fmt.Sprintf("body differs at offset %d of %d: got %s, want %s",
			f.at, len(e.body), sampleOr("its end", f.body), sampleOr("its end", e.body[f.at:]))
	}
	if s.parser.problem == cutBefore {
		return "HTTP reply: " + problemWords[cutBefore]
	}
	return s.parser.Err().Error()
}

// sampleOr quotes the beginning of a body, or says in words that there is none.
func sampleOr(empty string, body []byte) string {
	if len(body) == 0 {
		return empty
	}
	return quote(body, sampleBytes)
}

func (e *entry) statusWords() string {
	if e.status == 0 {
		return "2xx"
	}
	return strconv.Itoa(e.status)
}

func (f *fault) fieldWords() string {
	if !f.has {
		return f.field.Name + " is missing"
	}
	return f.field.Name + ": " + quote(f.value, sampleBytes)
}

func (w *HeaderWant) words() string {
	value := strconv.QuoteToASCII(strings.Trim(w.Value, " \t"))
	if w.Prefix {
		return "a value that begins with " + value
	}
	return value
}
