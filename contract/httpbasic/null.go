package httpbasic

import (
	"net/http"
	"strings"

	"dyno/contract/internal/httpgate"
	"dyno/load/null"
)

// Null returns the answer of a null server that keeps the contract: the ceiling of every subject.
func (Contract) Null() null.Answer { return httpgate.Null(nullReply) }

func nullReply(r *http.Request, body []byte) httpgate.NullReply {
	id, isID := strings.CutPrefix(r.URL.Path, "/id/")
	switch {
	case r.Method == http.MethodGet && r.URL.Path == "/":
		return httpgate.NullReply{Status: http.StatusOK, MediaType: textPlain, Body: []byte("hi")}
	case r.Method == http.MethodGet && isID:
		return httpgate.NullReply{Status: http.StatusOK, MediaType: textPlain, Header: "x-powered-by: benchmark\r\n",
			Body: []byte(id + " " + r.URL.Query().Get("name"))}
	case r.Method == http.MethodPost && r.URL.Path == jsonPath:
		return httpgate.NullMirror(body)
	}
	return httpgate.NullReply{Status: http.StatusNotFound}
}
