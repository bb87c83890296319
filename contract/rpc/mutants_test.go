package rpc

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"dyno/contract/internal/fixture"
)

// checking is an application that has its own opinion of what is a call.
func checking(isCall func(body any) bool) fixture.Program {
	return honestApp.Instead(func(q *fixture.Request) *fixture.Reply {
		var body any
		switch {
		case !isJSON(q) || json.Unmarshal(q.Body, &body) != nil:
			return nil
		case isCall(body):
			return jsonOf(body)
		}
		return invalidCall()
	})
}

// lenient is a check that takes a call for one after repair has been at it.
func lenient(repair func(call map[string]any)) fixture.Program {
	return checking(func(body any) bool {
		if call, ok := body.(map[string]any); ok {
			copied := map[string]any{}
			for key, value := range call {
				copied[key] = value
			}
			repair(copied)
			return isCall(copied)
		}
		return false
	})
}

// onInvalid answers otherwise what the honest one refuses.
func onInvalid(answer fixture.App) fixture.Program {
	return honestApp.Instead(func(q *fixture.Request) *fixture.Reply {
		if app(q).Status == 400 {
			return answer(q)
		}
		return nil
	})
}

func status(code int) fixture.App {
	return func(*fixture.Request) *fixture.Reply { return fixture.Status(code) }
}

func refuses(q *fixture.Request) bool { return app(q).Status == 400 }

// mutants are in the order of the cases that catch them.
var mutants = []fixture.Mutant{
	fixture.FailsAt("valid", "refuses everything", honestApp.Instead(status(400))),
	fixture.FailsAt("valid", "hard-coded answer", honestApp.Instead(func(*fixture.Request) *fixture.Reply { return jsonOf("ok") })),
	fixture.FailsAt("valid", "no content type", honestApp.Instead(func(q *fixture.Request) *fixture.Reply {
		return &fixture.Reply{Status: app(q).Status, Body: app(q).Body}
	})),
	fixture.FailsAt("valid", "drops the address", changed(func(call map[string]any) { delete(call, "address") }).Honest),
	fixture.FailsAt("valid", "ids are text", changed(func(call map[string]any) { call["id"] = fmt.Sprint(call["id"]) }).Honest),
	fixture.FailsAt("valid", "false is missing", checking(func(body any) bool {
		return isCall(body) && body.(map[string]any)["active"] == true
	})),
	fixture.FailsAt("valid", "right for the first call of a connection only", honestApp.RightFor(1)),
	fixture.FailsAt("valid", "closes after each reply", honestApp.ClosesAfter(1)),
	fixture.FailsAt("spaced", "echo of the text", honestApp.Instead(func(q *fixture.Request) *fixture.Reply {
		if reply := app(q); reply.Status != 0 {
			return reply
		}
		return fixture.JSON(q.Body)
	})),
	fixture.FailsAt("unicode", "JSON in ASCII", honestApp.Instead(func(q *fixture.Request) *fixture.Reply {
		reply := app(q)
		reply.Body = []byte(strings.ToValidUTF8(strings.Map(func(r rune) rune { return min(r, 0x7f) }, string(reply.Body)), "?"))
		return reply
	})),
	fixture.FailsAt("unicode", "empty text is missing", checking(func(body any) bool {
		return isCall(body) && body.(map[string]any)["name"] != ""
	})),
	fixture.FailsAt("missing-key", "no validation", checking(func(any) bool { return true })),
	fixture.FailsAt("missing-key", "tags may be missing", lenient(func(call map[string]any) {
		if call["tags"] == nil {
			call["tags"] = []any{}
		}
	})),
	fixture.FailsAt("missing-key", "address not looked into", lenient(func(call map[string]any) {
		if _, ok := call["address"].(map[string]any); ok {
			call["address"] = map[string]any{"city": "", "zip": ""}
		}
	})),
	fixture.FailsAt("missing-key", "422 for what is invalid", onInvalid(status(422))),
	fixture.FailsAt("missing-key", "200 with an error inside", onInvalid(func(*fixture.Request) *fixture.Reply {
		return fixture.JSON([]byte(`{"error":"invalid call"}`))
	})),
	fixture.FailsAt("missing-key", "dies of an exception", honestApp.DiesWhen(refuses)),
	fixture.FailsAt("missing-key", "closes after a refusal", onInvalid(func(*fixture.Request) *fixture.Reply {
		return &fixture.Reply{Status: 400, Header: [][2]string{{"Connection", "close"}}}
	})),
	fixture.FailsAt("wrong-type", "keys only", checking(func(body any) bool {
		call, ok := body.(map[string]any)
		address, isObject := call["address"].(map[string]any)
		return ok && (!isObject || has(address, "city", "zip")) && has(call, "id", "name", "active", "tags", "address")
	})),
	fixture.FailsAt("wrong-type", "numbers in quotes", lenient(func(call map[string]any) {
		if text, ok := call["id"].(string); ok {
			call["id"], _ = strconv.ParseFloat(text, 64)
		}
	})),
	fixture.FailsAt("wrong-type", "ids with a fraction", lenient(func(call map[string]any) {
		if _, ok := call["id"].(float64); ok {
			call["id"] = 1.0
		}
	})),
	fixture.FailsAt("wrong-type", "null for text", lenient(func(call map[string]any) {
		if name, ok := call["name"]; ok && name == nil {
			call["name"] = ""
		}
	})),
	fixture.FailsAt("wrong-type", "first tag only", lenient(func(call map[string]any) {
		if tags, ok := call["tags"].([]any); ok && len(tags) > 1 {
			call["tags"] = tags[:1]
		}
	})),
	fixture.FailsAt("wrong-shape", "lists of calls", checking(func(body any) bool {
		list, ok := body.([]any)
		return isCall(body) || ok && len(list) > 0 && isCall(list[0])
	})),
	fixture.FailsAt("malformed", "500 for malformed JSON", honestApp.Instead(func(q *fixture.Request) *fixture.Reply {
		if !json.Valid(q.Body) {
			return fixture.Status(500)
		}
		return nil
	})),
	fixture.FailsAt("malformed", "what follows the first value is ignored", honestApp.Instead(func(q *fixture.Request) *fixture.Reply {
		var body any
		if json.NewDecoder(strings.NewReader(string(q.Body))).Decode(&body) == nil && isCall(body) && isJSON(q) {
			return jsonOf(body)
		}
		return nil
	})),
	fixture.FailsAt("content-type", "any content type", honestApp.Instead(func(q *fixture.Request) *fixture.Reply {
		copied := *q
		copied.Header = map[string]string{"content-type": "application/json"}
		return app(&copied)
	})),
	fixture.FailsAt("extra-key", "dies of extra keys", honestApp.DiesWhen(func(q *fixture.Request) bool {
		return !refuses(q) && len(bodyOf(q)) > 5
	})),
	fixture.FailsAt("extra-key", "extra keys overwrite", changed(func(call map[string]any) {
		for key, value := range call {
			if len(key) > len("address") {
				delete(call, key)
				call["name"] = value
			}
		}
	}).Honest),
	fixture.FailsAt("after-refusal", "keeps the last verdict", keepsVerdict()),
	fixture.FailsAt("pipelined", "a worker for each call", everySecondLate),
	fixture.HangsAt("pipelined", "first call of a segment only", honestApp.FirstOfSegment),
	fixture.FailsAt("pipelined-mix", "refusals overtake", refusalsOvertake),
	fixture.HangsAt("split-body", "body in one segment with its head", honestApp.InOneSegment(false)),
	fixture.FailsAt("many-connections", "at most 50 connections", honestApp.AtMost(50)),
	fixture.FailsAt("many-calls", "wrong after 1,500 calls of a connection", honestApp.RightFor(1500)),
	fixture.FailsAt("aborted", "dies of a reset", honestApp.DiesOf(fixture.IsReset)),
}

func has(m map[string]any, keys ...string) bool {
	return !slices.ContainsFunc(keys, func(key string) bool {
		_, ok := m[key]
		return !ok
	})
}

// everySecondLate answers every second call by a worker that takes its time.
func everySecondLate(s *fixture.Server) fixture.Handler {
	var count atomic.Int64
	return honestApp.OutOfOrder(func(*fixture.Request) bool { return count.Add(1)%2 == 0 })(s)
}

// keepsVerdict refuses the call that follows two refused ones on the same connection, as a validator
// with a list of errors that is never emptied.
func keepsVerdict() fixture.Program {
	return func(*fixture.Server) fixture.Handler {
		return func(c *net.TCPConn) {
			errors := 0
			fixture.Answer(func(q *fixture.Request) *fixture.Reply {
				if refuses(q) {
					errors++
				}
				if errors > 1 {
					return invalidCall()
				}
				return app(q)
			})(c)
		}
	}
}

// refusalsOvertake holds back what is mirrored until a segment is used up.
func refusalsOvertake(*fixture.Server) fixture.Handler {
	return func(c *net.TCPConn) {
		r := bufio.NewReaderSize(c, 64<<10)
		for {
			var mirrored []byte
			for first := true; first || r.Buffered() > 0; first = false {
				q, err := fixture.Read(r)
				if err != nil {
					return
				}
				if refuses(q) {
					c.Write(app(q).Bytes())
				} else {
					mirrored = append(mirrored, app(q).Bytes()...)
				}
			}
			c.Write(mirrored)
		}
	}
}

// loadMutants pass the gate.
var loadMutants = []fixture.LoadMutant{
	{Name: "wrong body once in 10,000", Workload: "valid", Program: honestApp.OnceIn(10_000, func(reply *fixture.Reply) {
		reply.Status, reply.Body = 200, []byte(`{}`)
	})},
	{Name: "no validation after a while", Workload: "valid and invalid", Program: honestApp.After(fixture.PastGate, func(q *fixture.Request) *fixture.Reply {
		return jsonOf(bodyOf(q))
	})},
	{Name: "refuses everything after a while", Workload: "valid and invalid", Program: honestApp.After(fixture.PastGate, status(400))},
	{Name: "refuses once in 10,000", Workload: "valid", Program: honestApp.OnceIn(10_000, func(reply *fixture.Reply) { reply.Status = 400 })},
	{Name: "422 after a while", Workload: "valid and invalid", Program: honestApp.After(fixture.PastGate, func(q *fixture.Request) *fixture.Reply {
		if refuses(q) {
			return fixture.Status(422)
		}
		return app(q)
	})},
	{Name: "echo of the text after a while", Workload: "valid", Program: honestApp.After(fixture.PastGate, func(q *fixture.Request) *fixture.Reply {
		return fixture.JSON(q.Body)
	})},
}
