package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
)

// shopServer is the server of the scenario benches: a small JSON API.
const shopServer = "shop"

// serveShop serves the API that the scripts in bench/scenario ask, until it is killed.
func serveShop(stdout io.Writer) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintln(stdout, listener.Addr())
	return http.Serve(listener, shopHandler())
}

func shopHandler() http.Handler {
	reply := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // what is wrong with it shows in the reply's way
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, body)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /login", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Session", "s-1")
		reply(`{"token":"t-1"}`)(w, r)
	})
	mux.HandleFunc("GET /products", reply(`{"products":[{"id":7,"name":"pen"}]}`))
	mux.HandleFunc("GET /products/7", reply(`{"id":7,"price":12}`))
	mux.HandleFunc("POST /orders", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("id") != "7" || r.FormValue("price") != "12" || r.FormValue("session") != "s-1" {
			http.Error(w, "what was captured is not what was sent", http.StatusBadRequest)
			return
		}
		w.WriteHeader(http.StatusCreated)
	})
	mux.Handle("GET /redirect", http.RedirectHandler("/products", http.StatusFound))
	return mux
}
