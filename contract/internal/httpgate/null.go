package httpgate

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"dyno/load/null"
)

// NullReply is what a null server answers, before it is put into bytes.
type NullReply struct {
	Status    int
	MediaType string // "": no body
	Header    string // one more line, with its line break; "": none
	Body      []byte
}

// Null returns the answer of a contract's null server: app is asked about every request once, and its
// reply is remembered by the request's bytes. A body is app's to read from the request.
func Null(app func(r *http.Request, body []byte) NullReply) null.Answer {
	return null.Remembered(func(request []byte) []byte {
		r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(request)))
		if err != nil {
			return NullReply{Status: http.StatusBadRequest}.bytes()
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return NullReply{Status: http.StatusBadRequest}.bytes()
		}
		return app(r, body).bytes()
	})
}

// NullMirror parses a JSON text and writes the value anew, or refuses it with a 400.
func NullMirror(text []byte) NullReply {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return NullReply{Status: http.StatusBadRequest}
	}
	text, err := json.Marshal(value)
	if err != nil {
		return NullReply{Status: http.StatusInternalServerError}
	}
	return NullReply{Status: http.StatusOK, MediaType: applicationJSON, Body: text}
}

func (r NullReply) bytes() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", r.Status, http.StatusText(r.Status))
	if r.MediaType != "" {
		fmt.Fprintf(&b, "Content-Type: %s\r\n", r.MediaType)
	}
	fmt.Fprintf(&b, "%sContent-Length: %d\r\n\r\n%s", r.Header, len(r.Body), r.Body)
	return b.Bytes()
}
