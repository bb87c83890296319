package http1

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"dyno/load"
)

// Exchange is a request and the reply that it must get.
type Exchange struct {
	Request []byte // whole, as sent: see Request.Bytes
	Method  string // of the request; "": the word that Request begins with. A reply to HEAD has no body
	Want    Want
}

// Want says which reply is right.
type Want struct {
	Status  int    // this status; 0: any from 200 to 299
	Body    []byte // this body, to the byte; nil: an empty one
	BodyAny bool   // any body, of any length; there must be no Body and no Same then
	// Same is asked about a body that differs from Body, e.g. whether it is equal JSON in another
	// spelling. It may be nil. It is called from several goroutines and must not keep got. The corpus
	// remembers which spelling was accepted last, so a server that keeps to one is asked about once.
	Same func(got []byte) bool
	// Header lists fields that every reply must have. They are looked up whenever a head differs from
	// the one before it on its connection in more than its Content-Length.
	Header []HeaderWant
}

// HeaderWant is a field that a reply must have. Names have no case; the first field of a name counts.
type HeaderWant struct {
	Name   string
	Value  string // blanks around it do not count
	Prefix bool   // Value is how the field begins, e.g. "text/plain" of "text/plain; charset=utf-8"
}

// Corpus holds exchanges to walk through. It is shared by the sessions of all event loops.
type Corpus struct{ entries []entry }

// entry is an exchange as sessions need it.
type entry struct {
	request []byte
	body    []byte
	learned atomic.Pointer[[]byte] // the other spelling of body that was accepted last
	same    func([]byte) bool
	header  []HeaderWant
	status  int
	class   uint32 // from 1; entries of a class want the same of a head
	noBody  bool   // the request is HEAD
	bodyAny bool
	// lengthWanted: the length is among the fields wanted, so heads that differ in it are not alike.
	lengthWanted bool
}

// NewCorpus prepares exchanges; what they hold must not be changed afterwards. The error, one line,
// names the first exchange that no reply could satisfy.
func NewCorpus(exchanges []Exchange) (*Corpus, error) {
	if len(exchanges) == 0 {
		return nil, errors.New("HTTP corpus: no exchange; give at least one")
	}
	c := &Corpus{entries: make([]entry, len(exchanges))}
	classes := map[string]uint32{}
	for i := range exchanges {
		x := &exchanges[i]
		method, _, _ := bytes.Cut(x.Request, []byte(" "))
		if err := x.check(string(method)); err != nil {
			return nil, fmt.Errorf("HTTP corpus: exchange %d of %d: %w", i+1, len(exchanges), err)
		}
		c.entries[i].prepare(x, string(method), classes)
	}
	return c, nil
}

func (e *entry) prepare(x *Exchange, method string, classes map[string]uint32) {
	e.request, e.body, e.same, e.header = x.Request, x.Want.Body, x.Want.Same, x.Want.Header
	e.status, e.bodyAny, e.noBody = x.Want.Status, x.Want.BodyAny, method == "HEAD"
	for _, w := range e.header {
		e.lengthWanted = e.lengthWanted || strings.EqualFold(w.Name, "Content-Length")
	}
	key := fmt.Sprintf("%d %v %#v", e.status, e.noBody, e.header)
	if classes[key] == 0 {
		classes[key] = uint32(len(classes) + 1)
	}
	e.class = classes[key]
}

func (x *Exchange) check(method string) error {
	w := &x.Want
	bodyless := method == "HEAD" || w.Status == 204 || w.Status == 304
	switch {
	case !isToken(method) || !bytes.Contains(x.Request, []byte("\r\n\r\n")):
		return fmt.Errorf("%s is no whole request; make it with Request.Bytes", quote(x.Request, excerptBytes))
	case x.Method != "" && x.Method != method:
		return fmt.Errorf("method %q, and the request begins with %q; leave Method out", x.Method, method)
	case w.Status != 0 && (w.Status < 200 || w.Status > 999):
		return fmt.Errorf("status %d is no final status; want 200 to 999, or 0 for any 2xx", w.Status)
	case w.BodyAny && (w.Body != nil || w.Same != nil):
		return errors.New("any body is wanted and one in particular; choose BodyAny or Body")
	case bodyless && len(w.Body) > 0:
		return errors.New("a body is wanted, and replies to HEAD and with status 204 or 304 have none; leave Body out")
	}
	for _, h := range w.Header {
		if !isToken(h.Name) || !isClean(h.Value) {
			return fmt.Errorf("header %q: %q can be in no reply; correct it", h.Name, h.Value)
		}
	}
	return nil
}

// expected returns the spelling of the body that is most likely to come.
func (e *entry) expected() []byte {
	if e.same != nil {
		if learned := e.learned.Load(); learned != nil {
			return *learned
		}
	}
	return e.body
}

func (e *entry) learn(body []byte) {
	own := bytes.Clone(body)
	e.learned.Store(&own)
}

// sameBytesMax bounds the bodies that Same is asked about: JSON with a generous indent.
func (e *entry) sameBytesMax() int { return 4*len(e.body) + 64<<10 }

func (e *entry) acceptsStatus(status int) bool {
	return status == e.status || e.status == 0 && status >= 200 && status <= 299
}

// missing returns the first field wanted that h does not have, nil when it has all.
func (e *entry) missing(h *Head) *HeaderWant {
	for i := range e.header {
		w := &e.header[i]
		value, ok := h.Value(w.Name)
		want := strings.Trim(w.Value, " \t")
		if !ok || len(value) < len(want) || string(value[:len(want)]) != want || !w.Prefix && len(value) != len(want) {
			return w
		}
	}
	return nil
}

// Session returns the session of connection number conn (from 0) with at most depth requests in
// flight; depth must lie between 1 and load.MaxDepth. Each session walks the corpus in a random order
// of its own that follows from seed and conn, and never takes the same of several exchanges twice
// running, so that a reply that is lost, repeated or swapped with its neighbour is seen.
//
// The session is also a load.EOFSession and a CodeCounter. It takes about 600 B, 4 B for each request
// in flight, and copies of the last two heads.
func (c *Corpus) Session(conn, depth int, seed uint64) load.Session {
	return newSession(c, conn, depth, seed)
}
