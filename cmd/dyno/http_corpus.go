package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"dyno/contract/http1"
)

// corpusBytesMax bounds a corpus file.
const corpusBytesMax = 64 << 20

// corpusLine is one request of a corpus file, a JSON object a line. What it leaves out is what the flags say.
type corpusLine struct {
	Method       *string  `json:"method"`
	Path         *string  `json:"path"`    // and query
	Headers      []string `json:"headers"` // NAME: VALUE, after those of the flags
	Body         *string  `json:"body"`
	ExpectStatus *int     `json:"expect_status"`
	ExpectBody   *string  `json:"expect_body"`
}

// ask is a request with the reply that it must get, before it is written as it goes over the wire.
type ask struct {
	request http1.Request
	want    http1.Want
}

// readCorpus reads the requests of a file. Blank lines do not count. The error names the line.
func readCorpus(path string, base ask) ([]ask, error) {
	data, err := readBounded(path, corpusBytesMax)
	if err != nil {
		return nil, usagef("--corpus: %v; name a file with a JSON object a line", err)
	}
	var asks []ask
	number := 0
	for text := range bytes.Lines(data) {
		number++
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		a, err := readAsk(text, base)
		if err != nil {
			return nil, usagef(`--corpus: %s:%d: %v; write it like {"path": "/a?b=1", "expect_status": 200}`, path, number, err)
		}
		asks = append(asks, a)
	}
	if len(asks) == 0 {
		return nil, usagef("--corpus: %s holds no request; give a JSON object a line", path)
	}
	return asks, nil
}

func readAsk(text []byte, base ask) (ask, error) {
	var line corpusLine
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&line)
	var other *json.UnmarshalTypeError
	switch {
	case errors.As(err, &other) && other.Field == "":
		return base, fmt.Errorf("a JSON %s in place of an object", other.Value)
	case errors.As(err, &other):
		return base, fmt.Errorf("%s cannot be a JSON %s", other.Field, other.Value)
	case err != nil:
		return base, errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := decoder.Token(); err != io.EOF {
		return base, errors.New("more than one JSON object")
	}
	return line.over(base)
}

// over returns base with what the line says.
func (l corpusLine) over(base ask) (ask, error) {
	a := base
	if l.Method != nil {
		a.request.Method = *l.Method
	}
	if l.Path != nil {
		a.request.Target = *l.Path
	}
	if l.Body != nil {
		a.request.Body = []byte(*l.Body)
	}
	a.request.Header = slices.Clone(base.request.Header)
	for _, text := range l.Headers {
		header, err := parseHeader(text)
		if err != nil {
			return a, err
		}
		a.request.Header = append(a.request.Header, header)
	}
	if l.ExpectStatus != nil {
		if a.want.Status = *l.ExpectStatus; !isFinalStatus(a.want.Status) {
			return a, fmt.Errorf("expect_status %d; it must lie between 200 and 599", a.want.Status)
		}
	}
	if l.ExpectBody != nil {
		a.want.BodyAny, a.want.Body = false, []byte(*l.ExpectBody)
	}
	x, err := a.exchange()
	if err == nil {
		_, err = http1.NewCorpus([]http1.Exchange{x}) // whether any reply could satisfy it
	}
	return a, err
}

func isFinalStatus(status int) bool { return status >= 200 && status <= 599 }

// method is what was asked for, else POST with a body and GET without.
func (a ask) method() string {
	switch {
	case a.request.Method != "":
		return a.request.Method
	case a.request.Body != nil:
		return "POST"
	}
	return "GET"
}

// exchange writes the request as it goes over the wire.
func (a ask) exchange() (http1.Exchange, error) {
	a.request.Method = a.method()
	wire, err := a.request.Bytes()
	return http1.Exchange{Request: wire, Method: a.request.Method, Want: a.want}, err
}

func exchanges(asks []ask) ([]http1.Exchange, error) {
	all := make([]http1.Exchange, len(asks))
	for i, a := range asks {
		var err error
		if all[i], err = a.exchange(); err != nil {
			return nil, err
		}
	}
	return all, nil
}
