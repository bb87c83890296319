package main

import (
	"crypto/tls"
	"errors"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"dyno"
	"dyno/contract/http1"
	"dyno/internal/words"
	"dyno/load"
	"dyno/report/adhoc"
)

// httpFlags are what `dyno http` asks and expects.
type httpFlags struct {
	loadFlags
	tlsFlags
	method, body string
	headers      []string
	expectStatus int
	expectBody   string
	corpusPath   string
}

// bodyKeptBytes is how long a body may be to be repeated in the result.
const bodyKeptBytes = 4 << 10

func newHTTP() *cobra.Command {
	var f httpFlags
	cmd := &cobra.Command{
		Use:   "http URL",
		Short: "Load an HTTP/1.1 server, and say how fast and how right it answers",
		Long: `Loads one URL over HTTP/1.1 (https:// too) and prints latency and throughput as autocannon's users
know them, with what went wrong and the instrument's account of itself.

Without -R it is a closed loop: each connection sends its next request when a reply has come, and
latency is service time. With -R requests are due by a clock, wait in a queue when no connection is
free, and latency is response time, from the moment when each was due.

Every reply is read to its end. With --expect-status or --expect-body it must be exactly that;
otherwise a status of 2xx is right, whatever the body. Others are counted by code, never as
successes. Redirects are not followed.

--corpus FILE sends many requests in seeded random order. Each line of the file is a JSON object:
  {"method": "PUT", "path": "/a?b=1", "headers": ["A: b"], "body": "…",
   "expect_status": 200, "expect_body": "…"}   (all on one line)
What a line leaves out is what the URL and the flags say.

` + thresholdHelp + `

A server outside of loopback needs --allow-remote: load may bring it down, so it must be yours.
On this machine the client is pinned to a CPU of its own where there is one.
The JSON is described in report/adhoc/SCHEMA.md.`,
		Example: `  dyno http http://127.0.0.1:8080/
  dyno http -c 200 -p 50 -d 10 localhost:8080/api/json      as autocannon -c 200 -p 50 -d 10
  dyno http -R 5000 --arrivals poisson --latency http://127.0.0.1:8080/
  dyno http -m POST -H 'Content-Type: text/json' -b @new.json --expect-status 201 localhost:3000/
  dyno http -n 100000 --fail-if 'p99>50ms' --fail-if 'errors>0.1%' localhost:8080
  dyno http --corpus requests.jsonl -c 64 http://127.0.0.1:8080
  dyno http --unix /run/app.sock --json http://localhost/health`,
		Args: arguments(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := f.load(cmd, args)
			if err != nil {
				return err
			}
			return l.run(cmd)
		},
	}
	f.loadFlags.register(cmd, "requests")
	f.registerRequest(cmd)
	cmd.Flags().StringVar(&f.format, "format", "", "print the result as another tool would: "+strings.Join(adhoc.Formats("http"), ", "))
	return cmd
}

// registerRequest adds the flags that say what is sent, and what must come back.
func (f *httpFlags) registerRequest(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.method, "method", "m", "", "method (default: GET, and POST with a body)")
	flags.StringArrayVarP(&f.headers, "header", "H", nil, "add a header, `NAME: VALUE` or NAME=VALUE; may be repeated")
	flags.StringVarP(&f.body, "body", "b", "", "body of the request: the text itself, or @FILE")
	f.tlsFlags.register(cmd, "the URL")
	flags.IntVar(&f.expectStatus, "expect-status", 0, "the only status that is right (default: every 2xx)")
	flags.StringVar(&f.expectBody, "expect-body", "", "the only body that is right: the text itself, or @FILE")
	flags.StringVar(&f.corpusPath, "corpus", "", "send the requests of `FILE` in random order: a JSON object a line, each with its expected reply")
}

// load checks everything and prepares what is sent; nothing is connected to but, where a name has
// several addresses, to find the one that answers.
func (f *httpFlags) load(cmd *cobra.Command, args []string) (*adhocLoad, error) {
	if err := f.check(cmd, "http"); err != nil {
		return nil, err
	}
	if len(args) == 0 {
		if f.unixPath == "" {
			return nil, usagef("dyno http needs a URL, e.g. dyno http http://127.0.0.1:8080/; see dyno http --help")
		}
		args = []string{"http://localhost/"}
	}
	u, err := parseURL(args[0])
	if err != nil {
		return nil, err
	}
	l := &adhocLoad{loadFlags: &f.loadFlags, protocol: "http", options: f.options()}
	l.target.shown = u.String()
	if l.target.tls, err = f.tlsConfig(u); err != nil {
		return nil, err
	}
	corpus, err := f.corpus(cmd, u, &l.options)
	if err != nil {
		return nil, err
	}
	l.newSession = func(conn int) load.Session { return corpus.Session(conn, f.depth, f.seed) }
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return l, f.find(cmd.Context(), &l.target, u.Hostname(), port)
}

// parseURL reads a URL; http:// may be left out.
func parseURL(text string) (*url.URL, error) {
	whole := text
	if scheme, _, found := strings.Cut(text, "://"); !found || strings.ContainsAny(scheme, "/?#") {
		whole = "http://" + text
	}
	u, err := url.Parse(whole)
	var bad *url.Error
	switch {
	case errors.As(err, &bad):
		return nil, usagef("URL %s: %v; write it like http://127.0.0.1:8080/path", words.Quote(text), bad.Err)
	case err != nil:
		return nil, usagef("URL %s: %v; write it like http://127.0.0.1:8080/path", words.Quote(text), err)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, usagef("URL %s: dyno http speaks http and https, not %s; dyno tcp loads framed servers", words.Quote(text), words.Quote(u.Scheme))
	case u.Hostname() == "":
		return nil, usagef("URL %s names no host; write it like http://127.0.0.1:8080/path", words.Quote(text))
	case u.User != nil:
		return nil, usagef("URL %s holds a user; send it as a header, e.g. -H 'Authorization: Basic …'", words.Quote(u.Redacted()))
	}
	u.Fragment, u.RawFragment = "", "" // it is never sent
	if u.Path == "" {
		u.Path = "/"
	}
	return u, nil
}

// corpus prepares the requests and what must come back, and notes in o what they are.
func (f *httpFlags) corpus(cmd *cobra.Command, u *url.URL, o *dyno.LoadOptions) (*http1.Corpus, error) {
	a, err := f.ask(cmd, u)
	if err != nil {
		return nil, err
	}
	for _, field := range a.request.Header {
		o.Headers = append(o.Headers, dyno.LoadHeader{Name: field.Name, Value: field.Value})
	}
	o.ExpectStatus, o.ExpectBody = a.want.Status, !a.want.BodyAny
	asks := []ask{a}
	if cmd.Flags().Changed("corpus") {
		if asks, err = readCorpus(f.corpusPath, a); err != nil {
			return nil, err
		}
		o.CorpusRequests = len(asks)
	} else {
		o.Method, o.BodyBytes = a.method(), len(a.request.Body)
		if o.BodyBytes <= bodyKeptBytes {
			o.Body = string(a.request.Body)
		}
	}
	all, err := exchanges(asks)
	if err != nil {
		return nil, usage(err)
	}
	corpus, err := http1.NewCorpus(all)
	return corpus, usage(err)
}

// ask is what the URL and the flags ask for.
func (f *httpFlags) ask(cmd *cobra.Command, u *url.URL) (a ask, err error) {
	set := cmd.Flags().Changed
	a.request = http1.Request{Method: f.method, Target: u.RequestURI(), Host: u.Host}
	a.want = http1.Want{Status: f.expectStatus, BodyAny: !set("expect-body")}
	if set("body") {
		if a.request.Body, err = readText("body", f.body); err != nil {
			return a, err
		}
	}
	if set("expect-body") {
		if a.want.Body, err = readText("expect-body", f.expectBody); err != nil {
			return a, err
		}
	}
	if set("expect-status") && !isFinalStatus(f.expectStatus) {
		return a, usagef("--expect-status %d; it must lie between 200 and 599", f.expectStatus)
	}
	for _, text := range f.headers {
		header, err := parseHeader(text)
		if err != nil {
			return a, err
		}
		a.request.Header = append(a.request.Header, header)
	}
	return a, nil
}

// parseHeader reads "NAME: VALUE" or "NAME=VALUE", whichever sign comes first.
func parseHeader(text string) (http1.Field, error) {
	at := strings.IndexAny(text, ":=")
	if at <= 0 {
		return http1.Field{}, usagef("--header %s is not of the form NAME: VALUE", words.Quote(text))
	}
	return http1.Field{Name: strings.TrimSpace(text[:at]), Value: strings.TrimSpace(text[at+1:])}, nil
}

// tlsConfig returns how https is spoken; nil for http.
func (f *httpFlags) tlsConfig(u *url.URL) (*tls.Config, error) {
	if u.Scheme == "http" {
		if f.tlsFlags.given() {
			return nil, usagef("--insecure, --cert, --key and --sni are for https://, and the URL is %s", words.Quote(u.String()))
		}
		return nil, nil
	}
	c, err := f.config(u.Hostname())
	if err == nil {
		c.NextProtos = []string{"http/1.1"}
	}
	return c, err
}
