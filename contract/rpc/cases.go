package rpc

import (
	"fmt"

	"dyno"
	"dyno/contract/http1"
	"dyno/contract/internal/gate"
	"dyno/contract/internal/httpgate"
	"dyno/contract/internal/jsontext"
)

// gateCases is the gate: what is valid first, then what is not, kind by kind, then many calls at
// once, and last what may kill the server.
var gateCases = []gate.Case{
	{Case: dyno.Case{Name: "valid", Promise: "A valid call is mirrored as application/json."}, Check: validCalls},
	{Case: dyno.Case{Name: "spaced", Promise: "JSON with white space and needless escapes is parsed and written anew, not sent back as text."}, Check: spacedCalls},
	{Case: dyno.Case{Name: "unicode", Promise: "Strings in any script, and empty ones, are valid."}, Check: unicodeCalls},
	{Case: dyno.Case{Name: "missing-key", Promise: "A call without one of the keys gets 400."}, Check: refusals(missingKeys)},
	{Case: dyno.Case{Name: "wrong-type", Promise: "A call with a value of a wrong type gets 400; null and numbers in quotes are wrong types."}, Check: refusals(wrongTypes)},
	{Case: dyno.Case{Name: "wrong-shape", Promise: "A body that is another object, or none, gets 400."}, Check: refusals(wrongShapes)},
	{Case: dyno.Case{Name: "malformed", Promise: "Malformed JSON gets 400."}, Check: malformedCalls},
	{Case: dyno.Case{Name: "content-type", Promise: "A body that is not declared as JSON gets 400 or 415."}, Check: contentTypes},
	{Case: dyno.Case{Name: "extra-key", Promise: "An extra key is kept, dropped or refused with 400."}, Check: extraKeys},
	{Case: dyno.Case{Name: "after-refusal", Promise: "A connection serves valid calls among invalid ones."}, Check: afterRefusal},
	{Case: dyno.Case{Name: "pipelined", Promise: "50 valid calls in flight are answered in order."}, Check: pipelined},
	{Case: dyno.Case{Name: "pipelined-mix", Promise: "50 valid and invalid calls in flight are answered in order."}, Check: pipelinedMix},
	{Case: dyno.Case{Name: "split-body", Promise: "A body that comes in several segments is put together again."}, Check: splitBody},
	{Case: dyno.Case{Name: "many-connections", Promise: "64 connections at once are all served."}, Check: manyConnections},
	{Case: dyno.Case{Name: "many-calls", Promise: "The 2,000th call is answered as well as the first."}, Check: manyCalls},
	{Case: dyno.Case{Name: "aborted", Promise: "Clients that reset their connection within a call leave the server alive for others."}, Check: aborted},
}

// several returns what makes n exchanges of a kind.
func several(p *gate.Probe, one func(*gate.Source) httpgate.Exchange) func(n int) []httpgate.Exchange {
	return func(n int) []httpgate.Exchange {
		all := make([]httpgate.Exchange, n)
		for i := range all {
			all[i] = one(p.Source)
		}
		return all
	}
}

func validCalls(p *gate.Probe) error  { return httpgate.AskFresh(p, several(p, valid)(20)...) }
func spacedCalls(p *gate.Probe) error { return httpgate.AskFresh(p, several(p, spaced)(12)...) }

func unicodeCalls(p *gate.Probe) error {
	exchanges := several(p, unicode)(8)
	empty := with(call(p.Source, jsontext.Plain), "name", "")
	return httpgate.AskFresh(p, append(exchanges, mirrored(with(empty, "tags", jsontext.Array{})), mirrored(with(empty, "id", -1.0)))...)
}

// refusals checks the faults one by one, each on a connection of its own after a valid call: a
// server that refuses everything is none that validates.
func refusals(faults []fault) func(p *gate.Probe) error {
	return func(p *gate.Probe) error {
		for _, f := range faults {
			if err := httpgate.AskFresh(p, valid(p.Source), spoiled(p.Source, f)); err != nil {
				return err
			}
		}
		return p.Others()
	}
}

func malformedCalls(p *gate.Probe) error {
	text := string(jsontext.Compact(call(p.Source, jsontext.Plain)))
	cut := p.Between(2, len(text)-2)
	for _, bad := range []struct{ name, text string }{
		{"JSON cut off", text[:cut]},
		{"JSON without its last brace", text[:len(text)-1]},
		{"JSON with a second brace", text + "}"},
		{"JSON with a word behind", text + " " + p.Word(3, 9)},
		{"keys without quotes", `{id:1}`},
		{"a word", p.Word(3, 9)},
	} {
		if err := httpgate.AskFresh(p, refused(bad.name, []byte(bad.text))); err != nil {
			return err
		}
	}
	return p.Others()
}

// contentTypes sends valid JSON as something else. Validators that look at JSON only see an empty
// body then, which is invalid; 415 says the same better.
func contentTypes(p *gate.Probe) error {
	for _, contentType := range []string{"text/plain", "application/xml", ""} {
		r := httpgate.JSONRequest(path, jsontext.Compact(call(p.Source, jsontext.Plain)))
		r.Header = nil
		if contentType != "" {
			r.Header = []http1.Field{{Name: "Content-Type", Value: contentType}}
		}
		x := refusedRequest(fmt.Sprintf("content type %q", contentType), r)
		x.StatusMax = 415
		if err := httpgate.AskFresh(p, x); err != nil {
			return err
		}
	}
	charset := call(p.Source, jsontext.Plain)
	r := httpgate.JSONRequest(path, jsontext.Compact(charset))
	r.Header[0].Value += "; charset=utf-8"
	return httpgate.AskFresh(p, httpgate.New(r, mirrored(charset)))
}

// extraKeys wants one of three answers for each, and nothing else to have changed.
func extraKeys(p *gate.Probe) error {
	body := call(p.Source, jsontext.Plain)
	more := append(body[:len(body):len(body)], jsontext.Member{Key: p.Word(12, 16) + "x", Value: p.Word(1, 9)})
	x := mirrored(more)
	x.Or = []httpgate.Exchange{mirrored(body), refused("an extra key", jsontext.Compact(more))}
	return httpgate.AskFresh(p, x)
}

// mixed makes a call, of which about every third is invalid.
func mixed(s *gate.Source) httpgate.Exchange {
	if s.IntN(3) == 0 {
		return invalid(s, s.IntN(16))
	}
	return valid(s)
}

func afterRefusal(p *gate.Probe) error    { return httpgate.AskFresh(p, several(p, mixed)(40)...) }
func pipelined(p *gate.Probe) error       { return httpgate.Pipelined(p, several(p, valid)) }
func pipelinedMix(p *gate.Probe) error    { return httpgate.Pipelined(p, several(p, mixed)) }
func splitBody(p *gate.Probe) error       { return httpgate.SplitBody(p, several(p, unicode)) }
func manyConnections(p *gate.Probe) error { return httpgate.ManyConnections(p, several(p, mixed)) }
func manyCalls(p *gate.Probe) error       { return httpgate.ManyRequests(p, several(p, mixed)) }

func aborted(p *gate.Probe) error {
	long := call(p.Source, jsontext.Plain)
	return httpgate.Aborted(p, valid(p.Source), mirrored(with(long, "name", p.Word(50e3, 60e3))))
}
