package httpbasic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"dyno/contract/internal/fixture"
)

// app is an honest application.
func app(q *fixture.Request) *fixture.Reply {
	id, isID := strings.CutPrefix(q.Path, "/id/")
	switch {
	case q.Method == "GET" && q.Path == "/":
		return fixture.Text("hi")
	case q.Method == "GET" && isID:
		query, _ := url.ParseQuery(q.Query)
		return personOf(id, query.Get("name"))
	case q.Method == "POST" && q.Path == "/json":
		return mirrored(q.Body)
	}
	return fixture.Status(404)
}

func personOf(id, name string) *fixture.Reply {
	reply := fixture.Text(id + " " + name)
	reply.Header = append(reply.Header, [2]string{"X-Powered-By", "benchmark"})
	return reply
}

func mirrored(text []byte) *fixture.Reply {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return fixture.Status(400)
	}
	text, _ = json.Marshal(value) // sorts the keys
	return fixture.JSON(text)
}

var honestApp fixture.App = app

// honest are servers of different style that must all pass.
var honest = map[string]func(t testing.TB) (addr string){
	"net/http":       netHTTP,
	"by hand":        byHand(honestApp.Honest),
	"chunked":        byHand(honestApp.Chunked),
	"in pieces":      byHand(honestApp.InPieces),
	"late":           byHand(honestApp.Late),
	"other spelling": byHand(fixture.App(otherSpelling).Honest),
	"last name":      byHand(fixture.App(lastName).Honest),
}

func byHand(program fixture.Program) func(testing.TB) string {
	return func(t testing.TB) string { return fixture.Serve(t, program).Addr }
}

// netHTTP is the server of Go's standard library, which chunks long replies.
func netHTTP(t testing.TB) string {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "hi") })
	mux.HandleFunc("GET /id/{id}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("x-powered-by", "benchmark")
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprintf(w, "%s %s", r.PathValue("id"), r.URL.Query().Get("name"))
	})
	mux.HandleFunc("POST /json", func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		var value any
		if err != nil || json.Unmarshal(text, &value) != nil {
			http.Error(w, "not JSON", http.StatusUnprocessableEntity)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		json.NewEncoder(w).Encode(value)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: mux}
	go s.Serve(listener)
	t.Cleanup(func() { s.Close() })
	return listener.Addr().String()
}

// otherSpelling indents its JSON, escapes what needs no escape, and has its headers its own way.
func otherSpelling(q *fixture.Request) *fixture.Reply {
	reply := app(q)
	if q.Path == "/json" && reply.Status == 0 {
		var out bytes.Buffer
		json.Indent(&out, reply.Body, " ", "\t")
		reply.Body = bytes.ReplaceAll(out.Bytes(), []byte("é"), []byte(`\u00e9`))
	}
	for i, h := range reply.Header {
		reply.Header[i] = [2]string{strings.ToUpper(h[0]), h[1]}
		if h[0] == "Content-Type" {
			reply.Header[i][1] += `;  charset="UTF-8"`
		}
	}
	reply.Header = append(reply.Header, [2]string{"Server", "x"}, [2]string{"Keep-Alive", "timeout=5"})
	return reply
}

// lastName takes the last of several names.
func lastName(q *fixture.Request) *fixture.Reply {
	id, isID := strings.CutPrefix(q.Path, "/id/")
	if !isID {
		return app(q)
	}
	query, _ := url.ParseQuery(q.Query)
	name := ""
	if names := query["name"]; len(names) > 0 {
		name = names[len(names)-1]
	}
	return personOf(id, name)
}
