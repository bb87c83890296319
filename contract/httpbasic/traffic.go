package httpbasic

import (
	"dyno"
	"dyno/contract/internal/gate"
	"dyno/contract/internal/httpgate"
	"dyno/contract/internal/jsontext"
	"dyno/load"
)

// workloads are the three tests of the seed, in the order of its table.
var workloads = httpgate.Workloads{
	{Name: "GET /", Make: func(*gate.Source, int) httpgate.Exchange { return hello() }},
	{Name: "GET /id/:id", Make: somePerson},
	{Name: "POST /json", Make: someJSON},
}

// somePerson makes mostly what the seed asks for, and now and then what shows that the query is
// taken apart.
func somePerson(s *gate.Source, i int) httpgate.Exchange {
	id, name := s.Word(1, 8), s.Word(1, 12)
	switch i % 8 {
	case 0:
		scripts := []jsontext.Script{jsontext.Unicode, " &=+%"}
		name += jsontext.Maker{Rand: s.Rand, Scripts: scripts}.Text(1, 3) + s.Word(1, 4)
	case 1:
		return person(id, pairs(s, 1)+"&name="+name, name)
	case 2:
		return person(id, "name="+name+"&"+pairs(s, 1), name)
	}
	return named(id, name)
}

// someJSON makes bodies of 64 B to 2 KB, and some in a spelling that shows that they are parsed.
func someJSON(s *gate.Source, i int) httpgate.Exchange {
	value := jsontext.Maker{Rand: s.Rand, Scripts: plainText}.Object(s.Between(64, 512))
	switch i % 8 {
	case 0:
		scripts := []jsontext.Script{jsontext.Plain, jsontext.Unicode, jsontext.Escaped}
		value = jsontext.Maker{Rand: s.Rand, Scripts: scripts}.Object(s.Between(512, 1900))
	case 1:
		return mirror(jsontext.Loose(value, s.Rand), value)
	}
	return mirror(jsontext.Compact(value), value)
}

// Workloads lists "GET /", "GET /id/:id" and "POST /json".
func (Contract) Workloads() []dyno.Workload { return workloads.Plain() }

// Traffic makes a corpus of requests of the workload, whose ids, names and bodies all differ, and
// returns a function that makes the session of connection conn. Every reply is compared in status and
// whole body with what its request must get, and in its headers when they change.
func (Contract) Traffic(w dyno.Workload, depth int, seed uint64) (func(conn int) load.Session, error) {
	return workloads.Traffic(w, depth, seed)
}
