package rpc

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"dyno/contract/internal/fixture"
)

// app is an honest application.
func app(q *fixture.Request) *fixture.Reply {
	if q.Method != "POST" || q.Path != "/api/rpc" {
		return fixture.Status(404)
	}
	if !isJSON(q) {
		return fixture.Status(400)
	}
	var body any
	if json.Unmarshal(q.Body, &body) != nil || !isCall(body) {
		return invalidCall()
	}
	return jsonOf(body)
}

var honestApp fixture.App = app

func isJSON(q *fixture.Request) bool {
	return strings.HasPrefix(q.Header["content-type"], "application/json")
}

func invalidCall() *fixture.Reply {
	reply := fixture.JSON([]byte(`{"error":"invalid call"}`))
	reply.Status = 400
	return reply
}

func jsonOf(body any) *fixture.Reply {
	text, err := json.Marshal(body) // sorts the keys
	if err != nil {
		return fixture.Status(500)
	}
	return fixture.JSON(text)
}

// honest are servers of different style that must all pass.
var honest = map[string]func(t testing.TB) (addr string){
	"net/http":         netHTTP,
	"by hand":          byHand(honestApp.Honest),
	"chunked":          byHand(honestApp.Chunked),
	"in pieces":        byHand(honestApp.InPieces),
	"other spelling":   byHand(fixture.App(otherSpelling).Honest),
	"drops extra keys": byHand(changed(dropExtraKeys).Honest),
	"refuses extra keys": byHand(fixture.App(func(q *fixture.Request) *fixture.Reply {
		if reply := app(q); reply.Status != 0 || len(bodyOf(q)) == 5 {
			return reply
		}
		return invalidCall()
	}).Honest),
	"415 for other content types": byHand(honestApp.Instead(func(q *fixture.Request) *fixture.Reply {
		if !isJSON(q) {
			return fixture.Status(415)
		}
		return nil
	})),
}

func byHand(program fixture.Program) func(testing.TB) string {
	return func(t testing.TB) string { return fixture.Serve(t, program).Addr }
}

func netHTTP(t testing.TB) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		reply := app(&fixture.Request{Method: r.Method, Path: r.URL.Path, Body: text,
			Header: map[string]string{"content-type": r.Header.Get("Content-Type")}})
		for _, h := range reply.Header {
			w.Header().Set(h[0], h[1])
		}
		w.WriteHeader(max(reply.Status, 200))
		w.Write(reply.Body)
	})}
	go s.Serve(listener)
	t.Cleanup(func() { s.Close() })
	return listener.Addr().String()
}

// otherSpelling indents its JSON and has its headers its own way.
func otherSpelling(q *fixture.Request) *fixture.Reply {
	reply := app(q)
	if reply.Status == 0 {
		var out bytes.Buffer
		json.Indent(&out, reply.Body, "", "  ")
		reply.Body = out.Bytes()
		reply.Header = [][2]string{{"content-TYPE", "application/json;charset=UTF-8"}, {"Keep-Alive", "timeout=5"}}
	}
	return reply
}

// bodyOf returns the object that a request carries; nil when it carries none.
func bodyOf(q *fixture.Request) map[string]any {
	var body map[string]any
	json.Unmarshal(q.Body, &body)
	return body
}

// changed is an application that changes a valid call before it mirrors it.
func changed(change func(call map[string]any)) fixture.App {
	return func(q *fixture.Request) *fixture.Reply {
		reply := app(q)
		if reply.Status != 0 {
			return reply
		}
		call := bodyOf(q)
		change(call)
		return jsonOf(call)
	}
}

func dropExtraKeys(call map[string]any) {
	for key := range call {
		if !slices.Contains([]string{"id", "name", "active", "tags", "address"}, key) {
			delete(call, key)
		}
	}
}
