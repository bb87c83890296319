package httpgate

import (
	"bytes"
	"cmp"
	"fmt"
	"mime"
	"strconv"
	"strings"
	"unicode/utf8"

	"dyno/contract/http1"
	"dyno/contract/internal/gate"
	"dyno/contract/internal/jsontext"
)

// Exchange is a request and what its reply must be: what the engine verifies under load, and what
// only the gate has time for.
type Exchange struct {
	http1.Exchange
	Label string // what is asked, in words, e.g. "GET /id/7?name=x"

	MediaType string   // of the reply, e.g. "text/plain"; a charset beside it must be UTF-8; "": any
	OneOf     [][]byte // right bodies, where there are several
	JSON      []byte   // text of the value that the body must be; its spelling is free
	StatusMax int      // with it, any status from Want.Status to StatusMax is right
	MayClose  bool     // the server may close the connection after its reply

	Or []Exchange // other right replies; their requests are not sent
}

// host is what every request names as its Host: the address is not known when traffic is prepared.
const host = "127.0.0.1"

// New completes x with the request, which must be a valid one.
func New(r http1.Request, x Exchange) Exchange {
	r.Host = host
	wire, err := r.Bytes()
	if err != nil {
		panic(err) // a programmer's error
	}
	x.Request, x.Method = wire, r.Method
	x.Label = cmp.Or(r.Method, "GET") + " " + cmp.Or(r.Target, "/") + labelBody(r.Body)
	return x
}

// labelBody shows a body that is short and plain, and says how long others are.
func labelBody(body []byte) string {
	switch {
	case len(body) == 0:
		return ""
	case len(body) <= quoteMax && strconv.CanBackquote(string(body)):
		return " with " + string(body)
	}
	return fmt.Sprintf(" with %d B", len(body))
}

// JSONRequest posts text as application/json.
func JSONRequest(target string, text []byte) http1.Request {
	return http1.Request{Method: "POST", Target: target, Body: text,
		Header: []http1.Field{{Name: "Content-Type", Value: applicationJSON}}}
}

const applicationJSON = "application/json"

// Mirror posts text, a spelling of value, and wants value back in a text of the server's own making:
// an echo of the request is right only where it is what JSON.stringify gives.
func Mirror(target string, text []byte, value jsontext.Value) Exchange {
	compact := jsontext.Compact(value)
	return New(JSONRequest(target, text), Exchange{
		MediaType: applicationJSON,
		JSON:      compact,
		Exchange: http1.Exchange{Want: http1.Want{
			Status: 200, Body: compact,
			Header: []http1.HeaderWant{{Name: "Content-Type", Value: applicationJSON, Prefix: true}},
			Same: func(got []byte) bool {
				return jsontext.Equal(got, compact) && !jsontext.Echoes(got, text, compact)
			},
		}},
	})
}

func (x *Exchange) method() string {
	return cmp.Or(x.Method, "GET")
}

// blame says which request an error belongs to.
func (x *Exchange) blame(err error) error {
	return fmt.Errorf("%s: %w", shorten(x.Label), err)
}

// check returns what is wrong with a reply, in one line.
func (x *Exchange) check(r *reply) error {
	err := x.checkFirst(r)
	if err == nil || len(x.Or) == 0 {
		return err
	}
	for i := range x.Or {
		if x.Or[i].check(r) == nil {
			return nil
		}
	}
	return gate.Wrong("%v, or another of the right replies", err)
}

// checkFirst leaves the other right replies out.
func (x *Exchange) checkFirst(r *reply) error {
	if r.status != x.Want.Status && (r.status < x.Want.Status || r.status > x.StatusMax) {
		return gate.Wrong("status %d, want %s%s", r.status, x.statuses(), saying(r.body))
	}
	if err := x.checkBody(r.body); err != nil {
		return err
	}
	for _, want := range x.Want.Header {
		if err := checkField(r, want); err != nil {
			return err
		}
	}
	if x.MediaType != "" {
		return checkMediaType(r, x.MediaType)
	}
	return nil
}

func (x *Exchange) statuses() string {
	if x.StatusMax == 0 {
		return strconv.Itoa(x.Want.Status)
	}
	return fmt.Sprintf("%d to %d", x.Want.Status, x.StatusMax)
}

// saying quotes the text of a reply whose status is a surprise: it often tells why.
func saying(body []byte) string {
	if len(body) == 0 {
		return ""
	}
	return " (body " + Quote(body) + ")"
}

func (x *Exchange) checkBody(got []byte) error {
	switch {
	case x.Want.BodyAny:
		return nil
	case x.JSON != nil:
		return x.checkJSON(got)
	case x.OneOf != nil:
		for _, right := range x.OneOf {
			if bytes.Equal(got, right) {
				return nil
			}
		}
		var all []string
		for _, right := range x.OneOf {
			all = append(all, Quote(right))
		}
		return gate.Wrong("body %s, want %s", Quote(got), strings.Join(all, " or "))
	case !bytes.Equal(got, x.Want.Body):
		return differ(got, x.Want.Body)
	}
	return nil
}

// checkJSON asks for the value and, where the engine does, for a text of the server's own making.
func (x *Exchange) checkJSON(got []byte) error {
	if bytes.Equal(got, x.Want.Body) {
		return nil
	}
	if d := jsontext.Difference(got, x.JSON); d != "" {
		return gate.Wrong("body: %s", d)
	}
	if x.Want.Same != nil && !x.Want.Same(got) {
		return gate.Wrong("body is the text of the request, white space and escapes included, want the parsed value in a text of its own")
	}
	return nil
}

// differ shows two bodies, or where they part when they are long.
func differ(got, want []byte) error {
	if len(got) <= quoteMax && len(want) <= quoteMax {
		return gate.Wrong("body %s, want %s", Quote(got), Quote(want))
	}
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	return gate.Wrong("body of %d B differs from the %d B owed at offset %d: %s, want %s",
		len(got), len(want), at, Quote(got[at:]), Quote(want[at:]))
}

func checkMediaType(r *reply, want string) error {
	value, err := r.field("Content-Type", want)
	if err != nil {
		return err
	}
	got, parameters, err := mime.ParseMediaType(value)
	if err != nil || got != want {
		return gate.Wrong("content type %s, want %s", Quote([]byte(value)), want)
	}
	if charset := parameters["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
		return gate.Wrong("charset %s, want utf-8 or none", Quote([]byte(charset)))
	}
	return nil
}

func checkField(r *reply, want http1.HeaderWant) error {
	value, err := r.field(want.Name, want.Value)
	if err == nil && value != want.Value && !(want.Prefix && strings.HasPrefix(value, want.Value)) {
		return gate.Wrong("header %s is %s, want %s", want.Name, Quote([]byte(value)), Quote([]byte(want.Value)))
	}
	return err
}

// field returns the value of a header that must be there, once.
func (r *reply) field(name, want string) (string, error) {
	switch values := r.header.Values(name); len(values) {
	case 0:
		return "", gate.Wrong("no header %s, want %s", name, want)
	case 1:
		return values[0], nil
	default:
		return "", gate.Wrong("header %s comes %d times, want it once", name, len(values))
	}
}

const (
	quoteMax = 60 // bytes of a body that a reason quotes
	labelMax = 90 // bytes of a label
)

// Quote shows the start of what a server sent in one line.
func Quote(b []byte) string {
	if len(b) <= quoteMax {
		return strconv.Quote(string(b))
	}
	return strconv.Quote(string(b[:runeEnd(b, quoteMax)])) + "…"
}

func shorten(label string) string {
	if len(label) <= labelMax {
		return label
	}
	return label[:runeEnd([]byte(label), labelMax)] + "…"
}

// runeEnd returns the largest cut up to n that splits no character.
func runeEnd(b []byte, n int) int {
	for cut := n; cut > max(n-utf8.UTFMax, 0); cut-- {
		if utf8.RuneStart(b[cut]) {
			return cut
		}
	}
	return n
}
