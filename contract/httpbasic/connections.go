package httpbasic

import (
	"fmt"

	"dyno/contract/http1"
	"dyno/contract/internal/gate"
	"dyno/contract/internal/httpgate"
	"dyno/contract/internal/jsontext"
)

// headerCase spells the headers of the requests anew, and puts them among others.
func headerCase(p *gate.Probe) error {
	name := p.Word(1, 9)
	exchanges := []httpgate.Exchange{
		httpgate.New(http1.Request{Target: "/id/7?name=" + name, Header: others(p.Source)}, named("7", name)),
	}
	for _, header := range [][2]http1.Field{
		{{Name: "Content-Type", Value: "application/json; charset=utf-8"}, {Name: "Content-Length"}},
		{{Name: "content-type", Value: "application/json"}, {Name: "content-length"}},
		{{Name: "CONTENT-TYPE", Value: "application/json"}, {Name: "CONTENT-LENGTH"}},
		{{Name: "cOnTeNt-TyPe", Value: "application/json"}, {Name: "cOnTeNt-LeNgTh"}},
	} {
		value := small(p.Source, plainText...)
		text := jsontext.Compact(value)
		header[1].Value = fmt.Sprint(len(text))
		r := httpgate.JSONRequest(jsonPath, text)
		r.Header = append(append(others(p.Source), header[:]...), others(p.Source)...)
		exchanges = append(exchanges, httpgate.New(r, mirror(text, value)))
	}
	return httpgate.AskFresh(p, exchanges...)
}

// others returns request headers that change nothing.
func others(s *gate.Source) []http1.Field {
	fields := []http1.Field{{Name: "Accept", Value: "*/*"}, {Name: "user-agent", Value: s.Word(3, 20)}}
	for range s.Between(1, 8) {
		fields = append(fields, http1.Field{Name: "X-" + s.Word(1, 10), Value: s.Word(0, 30)})
	}
	return fields
}

// notFound asks more than once: some frameworks give away a reply that can be sent only once.
func notFound(p *gate.Probe) error {
	for _, path := range []string{"/" + p.Word(5, 12), "/" + p.Word(5, 12) + "/" + p.Word(1, 9), "/json" + p.Word(3, 9), "/id" + p.Word(3, 9)} {
		for range 2 {
			if err := httpgate.AskFresh(p, missing(path)); err != nil {
				return err
			}
		}
	}
	return httpgate.AskFresh(p, hello())
}

// mixed returns what makes exchanges of all three kinds, in random order.
func mixed(p *gate.Probe) func(n int) []httpgate.Exchange {
	return func(n int) []httpgate.Exchange {
		all := make([]httpgate.Exchange, n)
		for i := range all {
			switch p.IntN(3) {
			case 0:
				all[i] = hello()
			case 1:
				all[i] = named(p.Word(1, 12), p.Word(1, 12))
			default:
				value := small(p.Source, plainText...)
				all[i] = mirror(jsontext.Compact(value), value)
			}
		}
		return all
	}
}

// bodies returns what makes posts of text in many scripts, some of them of several segments.
func bodies(p *gate.Probe) func(n int) []httpgate.Exchange {
	return func(n int) []httpgate.Exchange {
		all := make([]httpgate.Exchange, n)
		for i := range all {
			value := small(p.Source, jsontext.Unicode)
			if i%8 == 7 {
				value = jsontext.Maker{Rand: p.Rand, Scripts: []jsontext.Script{jsontext.Unicode}}.Object(p.Between(5_000, 30_000))
			}
			all[i] = mirror(jsontext.Compact(value), value)
		}
		return all
	}
}

func pipelined(p *gate.Probe) error       { return httpgate.Pipelined(p, mixed(p)) }
func splitHead(p *gate.Probe) error       { return httpgate.SplitHead(p, mixed(p)) }
func splitBody(p *gate.Probe) error       { return httpgate.SplitBody(p, bodies(p)) }
func interleaved(p *gate.Probe) error     { return httpgate.Interleaved(p, mixed(p)) }
func manyConnections(p *gate.Probe) error { return httpgate.ManyConnections(p, mixed(p)) }
func manyRequests(p *gate.Probe) error    { return httpgate.ManyRequests(p, mixed(p)) }
