// Command http-net-go keeps the contract httpbasic on package net/http: the row outside JavaScript. HOST
// and PORT say where it listens; SIGTERM stops it.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"dyno/subjects/shared/delay"
)

func main() {
	err := run(os.Getenv("HOST"), os.Getenv("PORT"))
	fmt.Fprintln(os.Stderr, "http-net-go:", err)
	os.Exit(1)
}

// run listens and serves until SIGTERM, which ends the process. It returns only when it cannot serve.
func run(host, port string) error {
	if host == "" {
		host = "127.0.0.1"
	}
	if port == "" {
		return fmt.Errorf("PORT is empty; set it to the TCP port to listen on, 1 to 65535")
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	go func() {
		<-stop
		os.Exit(0) // closes the listener and every connection
	}()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", hi)
	mux.HandleFunc("GET /id/{id}", id)
	mux.HandleFunc("POST /json", mirror)
	return http.ListenAndServe(net.JoinHostPort(host, port), delayed(mux))
}

// delayed makes every request slower where an experiment asks for it.
func delayed(next http.Handler) http.Handler {
	if !delay.Asked() {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		delay.Spend()
		next.ServeHTTP(w, r)
	})
}

func hi(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
	io.WriteString(w, "hi")
}

func id(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
	w.Header().Set("X-Powered-By", "benchmark")
	io.WriteString(w, r.PathValue("id")+" "+r.URL.Query().Get("name"))
}

// mirror answers with the JSON value that it decoded.
func mirror(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		http.Error(w, "malformed JSON", http.StatusBadRequest)
		return
	}
	body, err := json.Marshal(value)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body))) // without it, large bodies are sent in chunks
	w.Write(body)
}
