package scenario

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"mime/multipart"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dyno/contract/http1"
	"dyno/internal/words"
)

// request is one HTTP request of a flow, prepared.
type request struct {
	address string // as written
	params  params // as the script has them, for hooks that change them
	draft   draft

	endpoint string   // of metrics-by-endpoint, where it goes by the URL as written
	name     template // where it does not

	captures    []*capture
	expects     []expectation
	ifTrue      expression
	ifFunction  string
	probability float64 // 0 to 100
	before      []string
	after       []string
}

// params are the parts of a request under Artillery's names; hooks see and change them.
type params map[string]any

// draft is a request whose templates are not rendered yet.
type draft struct {
	method         string
	url            template
	headers        []field
	cookie         []field
	qs, form       []field
	formData       []field
	json, body     template
	hasJSON        bool
	hasBody        bool
	followRedirect bool
	gzip           bool
	user, pass     template
	hasAuth        bool
}

// requestDefaults hold for every request.
type requestDefaults struct {
	headers       []field
	cookie        []field
	strictCapture bool
}

func (r *reader) requestDefaults(p *Program, d Defaults) error {
	p.defaults.strictCapture = d.StrictCapture == nil || *d.StrictCapture
	headers := d.Headers
	if headers == nil {
		headers = map[string]any{"user-agent": "dyno"}
	}
	var err error
	if p.defaults.headers, err = fields(lowerKeys(headers)); err == nil {
		p.defaults.cookie, err = fields(d.Cookie)
	}
	if err != nil {
		return r.fault(err)
	}
	return nil
}

func lowerKeys(m map[string]any) map[string]any {
	lower := make(map[string]any, len(m))
	for key, value := range m {
		lower[strings.ToLower(key)] = value
	}
	return lower
}

// fields prepares a map, in the order of its keys.
func fields(m map[string]any) ([]field, error) {
	var list []field
	for _, key := range slices.Sorted(maps.Keys(m)) {
		name, err := compileText(key)
		if err != nil {
			return nil, err
		}
		value, err := compile(m[key])
		if err != nil {
			return nil, err
		}
		list = append(list, field{name, value})
	}
	return list, nil
}

// request prepares a request of the script.
func (r *reader) request(p *Program, method string, s *Request) (*request, error) {
	if s.URL == "" {
		return nil, r.fault(errors.New("a request needs a \"url\", such as /products"))
	}
	q := &request{address: s.URL, params: s.params(method), probability: 100, before: s.BeforeRequest, after: s.AfterResponse}
	if p.endpoints != nil {
		p.endpoints.label(q)
	}
	var err error
	if q.draft, err = newDraft(q.params); err != nil {
		return nil, r.fault(err)
	}
	for i := range q.draft.formData {
		if err := r.formFile(&q.draft.formData[i].value); err != nil {
			return nil, err
		}
	}
	if s.Probability != nil {
		if q.probability, err = aNumber(s.Probability); err != nil {
			return nil, r.fault(fmt.Errorf("\"probability\" %w; give a percentage", err))
		}
	}
	if s.IfTrue != "" {
		if p.processor != nil && slices.Contains(p.processor.functions, s.IfTrue) {
			q.ifFunction = s.IfTrue
		} else if q.ifTrue, err = parseExpression(strings.Trim(s.IfTrue, "{} ")); err != nil {
			return nil, r.under(func() error { return r.fault(err) }, "ifTrue")
		}
	}
	for key, names := range map[string][]string{"beforeRequest": q.before, "afterResponse": q.after} {
		for _, name := range names {
			if err := r.under(func() error { return r.function(p, name) }, key); err != nil {
				return nil, err
			}
		}
	}
	if q.captures, err = r.captures(s.Capture, false, "capture"); err != nil {
		return nil, err
	}
	matches, err := r.captures(s.Match, true, "match")
	if err != nil {
		return nil, err
	}
	q.captures = append(q.captures, matches...)
	if s.Expect != nil && p.expect == nil {
		p.expect = &ExpectPlugin{}
	}
	q.expects, err = r.expectations(s.Expect)
	return q, err
}

func (s *Request) params(method string) params {
	m := params{"method": strings.ToUpper(method), "url": s.URL}
	for key, v := range map[string]map[string]any{"headers": s.Headers, "cookie": s.Cookie, "qs": s.QS, "form": s.Form, "formData": s.FormData} {
		if v != nil {
			m[key] = plain(v)
		}
	}
	for key, v := range map[string]any{"json": s.JSON, "body": s.Body} {
		if v != nil {
			m[key] = plain(v)
		}
	}
	if s.Name != "" {
		m["name"] = s.Name
	}
	if s.FollowRedirect != nil {
		m["followRedirect"] = *s.FollowRedirect
	}
	if s.Gzip != nil {
		m["gzip"] = *s.Gzip
	}
	if s.Auth != nil {
		m["auth"] = map[string]any{"user": s.Auth.User, "pass": s.Auth.Pass}
	}
	return m
}

// formFile makes the path of an upload count from the script's folder.
func (r *reader) formFile(t *template) error {
	object, ok := t.constant.(map[string]any)
	name, isFile := object["fromFile"].(string)
	if !ok || !isFile {
		return nil
	}
	object = maps.Clone(object)
	object["fromFile"] = r.beside(name)
	t.constant = object
	if _, err := os.Stat(r.beside(name)); err != nil {
		return r.fault(fmt.Errorf("the file %s cannot be read: %w; correct its path", words.Quote(name), errors.Unwrap(err)))
	}
	return nil
}

// newDraft prepares params, those of the script or those that a hook left.
func newDraft(m params) (draft, error) {
	d := draft{method: strings.ToUpper(text(m["method"])), followRedirect: true, gzip: true}
	var err error
	compiled := func(v any) (t template) {
		if err == nil {
			t, err = compile(v)
		}
		return t
	}
	compiledFields := func(key string) (list []field) {
		if object, ok := m[key].(map[string]any); ok && err == nil {
			if key == "headers" {
				object = lowerKeys(object)
			}
			list, err = fields(object)
		}
		return list
	}
	d.url = compiled(m["url"])
	d.headers, d.cookie, d.qs = compiledFields("headers"), compiledFields("cookie"), compiledFields("qs")
	d.form, d.formData = compiledFields("form"), compiledFields("formData")
	if v, ok := m["json"]; ok && truthy(v) {
		d.json, d.hasJSON = compiled(v), true
	} else if v, ok := m["body"]; ok && truthy(v) {
		d.body, d.hasBody = compiled(v), true
	}
	if auth, ok := m["auth"].(map[string]any); ok {
		d.user, d.pass, d.hasAuth = compiled(auth["user"]), compiled(auth["pass"]), true
	}
	if follow, ok := m["followRedirect"].(bool); ok {
		d.followRedirect = follow
	}
	if gzip, ok := m["gzip"].(bool); ok {
		d.gzip = gzip
	}
	return d, err
}

// hop is one request as it goes over the wire; a redirect makes another one of it.
type hop struct {
	method  string
	address string // as the script gives it, rendered
	url     *url.URL
	headers map[string]string // names in lower case
	body    []byte
}

// hop renders the draft for a user.
func (d *draft) hop(u *user) (*hop, error) {
	address := d.url.text(u)
	h := &hop{method: d.method, address: address, headers: map[string]string{}}
	if strings.HasPrefix(address, "/") {
		address = u.runner.program.config.Target + address
	}
	var err error
	if h.url, err = url.Parse(address); err != nil || h.url.Host == "" || !spoken(h.url) {
		return nil, errorCode("Invalid URL - " + words.Shorten(address))
	}
	h.url.RawQuery = escapedQuery(h.url.RawQuery)
	if d.qs != nil {
		query := url.Values{}
		for _, f := range d.qs {
			query.Set(f.key.text(u), f.value.text(u))
		}
		h.url.RawQuery = query.Encode()
	}
	if d.gzip {
		h.headers["accept-encoding"] = "gzip, deflate"
	}
	for _, list := range [][]field{u.runner.program.defaults.headers, d.headers} {
		for i := range list {
			h.headers[list[i].key.text(u)] = list[i].value.text(u)
		}
	}
	if d.hasAuth {
		h.headers["authorization"] = "Basic " + base64.StdEncoding.EncodeToString([]byte(d.user.text(u)+":"+d.pass.text(u)))
	}
	return h, d.content(u, h)
}

// escapedQuery encodes what must not stand in a query, as browsers and Node do, and leaves alone what is encoded.
func escapedQuery(query string) string {
	var b strings.Builder
	for i := range len(query) {
		if c := query[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`"<>'`, c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// content adds the body.
func (d *draft) content(u *user, h *hop) error {
	contentType := ""
	switch {
	case d.hasJSON:
		contentType, h.body = "application/json", encodeJSON(d.json.render(u))
	case d.form != nil:
		form := url.Values{}
		for _, f := range d.form {
			form.Set(f.key.text(u), f.value.text(u))
		}
		contentType, h.body = "application/x-www-form-urlencoded", []byte(form.Encode())
	case d.formData != nil:
		var err error
		if contentType, h.body, err = d.multipart(u); err != nil {
			return err
		}
	case d.hasBody:
		h.body = []byte(d.body.text(u))
	}
	if contentType != "" && h.headers["content-type"] == "" {
		h.headers["content-type"] = contentType
	}
	return nil
}

// multipart writes the parts of a form; {fromFile: PATH} and {value: X} may name a contentType.
func (d *draft) multipart(u *user) (contentType string, body []byte, err error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, f := range d.formData {
		v := f.value.render(u)
		disposition := fmt.Sprintf(`form-data; name="%s"`, quoteEscaper.Replace(f.key.text(u)))
		header := textproto.MIMEHeader{}
		content := []byte(nil)
		if object, ok := v.(map[string]any); ok {
			if kind, ok := object["contentType"].(string); ok {
				header.Set("Content-Type", kind)
			}
			v = object["value"]
			if path, ok := object["fromFile"].(string); ok {
				disposition += fmt.Sprintf(`; filename="%s"`, quoteEscaper.Replace(filepath.Base(path)))
				if content, err = os.ReadFile(path); err != nil {
					return "", nil, err
				}
			}
		}
		if content == nil {
			content = []byte(text(v))
		}
		header.Set("Content-Disposition", disposition)
		part, err := w.CreatePart(header)
		if err != nil {
			return "", nil, err
		}
		_, _ = part.Write(content) // into memory
	}
	err = w.Close()
	return w.FormDataContentType(), b.Bytes(), err
}

var quoteEscaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\r", "", "\n", "")

// wire returns the bytes of a hop. The error is that of a value that would make it another request.
func (h *hop) wire() ([]byte, error) {
	request := http1.Request{Method: h.method, Target: h.url.RequestURI(), Host: h.url.Host, Body: h.body}
	for _, name := range slices.Sorted(maps.Keys(h.headers)) {
		if name == "content-length" || name == "connection" {
			continue // the engine's business
		}
		request.Header = append(request.Header, http1.Field{Name: name, Value: h.headers[name]})
	}
	return request.Bytes()
}

// spoken reports whether users can follow a URL.
func spoken(u *url.URL) bool { return u.Scheme == "http" || u.Scheme == "https" }

// redirected returns where a reply leads to, or nil when it does not.
func (h *hop) redirected(status int, location string) (*hop, error) {
	if location == "" || !slices.Contains([]int{300, 301, 302, 303, 304, 307, 308}, status) {
		return nil, nil
	}
	to, err := h.url.Parse(location)
	if err != nil || !spoken(to) || to.Host == "" {
		return nil, fmt.Errorf("redirected to %s, which dyno cannot follow", words.Quote(location))
	}
	next := &hop{method: h.method, url: to, headers: maps.Clone(h.headers), body: h.body}
	if status != 307 && status != 308 && h.method != "GET" && h.method != "HEAD" {
		next.method, next.body = "GET", nil
		delete(next.headers, "content-type")
	}
	if to.Host != h.url.Host {
		delete(next.headers, "authorization")
		delete(next.headers, "cookie")
	}
	return next, nil
}
