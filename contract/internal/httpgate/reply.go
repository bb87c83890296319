package httpgate

import (
	"io"
	"net/http"

	"dyno/contract/http1"
)

// reply is a whole reply.
type reply struct {
	status int
	header http.Header
	body   []byte
	ends   bool // the connection ends after it
}

// replies reads the replies of one connection, by the parser that reads them under load.
type replies struct{ *http1.Reader }

func newReplies(src io.Reader) replies { return replies{http1.NewReader(src, bodyMaxBytes)} }

// next reads the reply to a request with that method.
func (r replies) next(method string) (*reply, error) {
	came, err := r.Next(method)
	if err != nil {
		return nil, err
	}
	got := &reply{came.Status, http.Header{}, came.Body, came.Ends}
	for name, value := range came.Fields {
		got.header.Add(string(name), string(value))
	}
	return got, nil
}
