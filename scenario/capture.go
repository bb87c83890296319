package scenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/ohler55/ojg/jp"

	"dyno/internal/words"
)

// capture takes a value from a reply.
type capture struct {
	isMatch  bool
	as       []string
	want     template // of a match
	strict   *bool
	multiple *bool

	header   string
	json     template
	jsonPath jp.Expr // nil: its text has templates
	regexp   *regexp2.Regexp
	rxSource template // a pattern with templates
	rxFlags  regexp2.RegexOptions
	group    any
}

// captures prepares those of a request.
func (r *reader) captures(specs []Capture, isMatch bool, key string) ([]*capture, error) {
	var list []*capture
	for i, spec := range specs {
		err := r.under(func() error {
			c, err := newCapture(spec, isMatch)
			if err != nil {
				return r.fault(err)
			}
			list = append(list, c)
			return nil
		}, key, strconv.Itoa(i))
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

func newCapture(spec Capture, isMatch bool) (*capture, error) {
	c := &capture{isMatch: isMatch, strict: spec.Strict, multiple: spec.Multiple, header: strings.ToLower(spec.Header), group: plain(spec.Group)}
	var ways []string
	for name, given := range map[string]string{"json": spec.JSON, "regexp": spec.Regexp, "header": spec.Header} {
		if given != "" {
			ways = append(ways, name)
		}
	}
	switch {
	case len(ways) != 1:
		return nil, errors.New("exactly one of \"json\", \"regexp\" and \"header\" says what to take from the reply")
	case !isMatch && spec.As == "":
		return nil, errors.New("a capture needs \"as\", the name of the variable that it goes into")
	case isMatch && spec.Value == nil:
		return nil, errors.New("a match needs the \"value\" that it must be")
	}
	c.as = parsePath(spec.As)
	var err error
	if c.want, err = compile(spec.Value); err != nil {
		return nil, err
	}
	if spec.JSON != "" {
		if c.json, err = compileText(spec.JSON); err == nil && c.json.isConstant() {
			c.jsonPath, err = parseJSONPath(spec.JSON)
		}
		return c, err
	}
	if spec.Regexp != "" {
		if c.rxFlags, err = regexpFlags(spec.Flags); err != nil {
			return nil, err
		}
		if c.rxSource, err = compileText(spec.Regexp); err == nil && c.rxSource.isConstant() {
			c.regexp, err = compileRegexp(spec.Regexp, c.rxFlags)
		}
	}
	return c, err
}

func parseJSONPath(s string) (jp.Expr, error) {
	path, err := jp.ParseString(s)
	if err != nil {
		return nil, fmt.Errorf("%s is no JSONPath: %s; write it like $.items[0].id", words.Quote(s), words.Shorten(err.Error()))
	}
	return path, nil
}

func regexpFlags(flags string) (regexp2.RegexOptions, error) {
	o := regexp2.RegexOptions(regexp2.ECMAScript)
	for _, flag := range flags {
		switch flag {
		case 'i':
			o |= regexp2.IgnoreCase
		case 'm':
			o |= regexp2.Multiline
		case 's':
			o |= regexp2.Singleline
		case 'u':
			o |= regexp2.Unicode
		case 'g', 'y', 'd':
		default:
			return o, fmt.Errorf("\"flags\" %s holds %q; those of JavaScript are d, g, i, m, s, u and y", words.Quote(flags), flag)
		}
	}
	return o, nil
}

// matchWithin bounds what a pattern that backtracks without end keeps the loop from.
const matchWithin = time.Second

func compileRegexp(s string, flags regexp2.RegexOptions) (*regexp2.Regexp, error) {
	rx, err := regexp2.Compile(s, flags)
	if err != nil {
		return nil, fmt.Errorf("%s is no regular expression: %s; escape what is meant literally", words.Quote(s), words.Shorten(err.Error()))
	}
	rx.MatchTimeout = matchWithin
	return rx, nil
}

// reply is what came back, as hooks and captures see it.
type reply struct {
	status  int
	headers map[string]string // names in lower case
	body    string            // decoded
	parsed  bool
	doc     any // the body as JSON; undefined when it is none
}

// json returns the body as JSON, parsed once.
func (r *reply) json() any {
	if !r.parsed {
		r.parsed, r.doc = true, undefined
		var doc any
		if json.Unmarshal([]byte(r.body), &doc) == nil {
			r.doc = doc
		}
	}
	return r.doc
}

// take returns the value; failed when there is none and the capture is strict.
func (c *capture) take(u *user, r *reply) (v any, failed bool) {
	switch {
	case c.header != "":
		v = ""
		if value, ok := r.headers[c.header]; ok {
			v = value
		}
	case c.json.constant != nil || c.json.parts != nil:
		v = c.takeJSON(u, r.json())
	default:
		v = c.takeRegexp(u, r.body)
	}
	failed = v == undefined || same(v, "")
	if failed && c.strict != nil {
		failed = *c.strict
	} else if failed {
		failed = u.runner.program.defaults.strictCapture
	}
	return v, failed
}

func (c *capture) takeJSON(u *user, doc any) any {
	switch doc.(type) {
	case map[string]any, []any:
	default:
		return ""
	}
	path := c.jsonPath
	if path == nil {
		var err error
		if path, err = parseJSONPath(c.json.text(u)); err != nil {
			return ""
		}
	}
	found := path.Get(doc)
	switch {
	case c.multiple != nil && !*c.multiple && len(found) == 1:
		return found[0]
	case c.multiple != nil && !*c.multiple && len(found) > 1:
		return found
	case len(found) == 0:
		return undefined
	}
	return found[u.runner.rand.IntN(len(found))]
}

func (c *capture) takeRegexp(u *user, body string) any {
	rx := c.regexp
	if rx == nil {
		var err error
		if rx, err = compileRegexp(c.rxSource.text(u), c.rxFlags); err != nil {
			return ""
		}
	}
	m, err := rx.FindStringMatch(body)
	if err != nil || m == nil {
		return ""
	}
	var group *regexp2.Group
	switch by := c.group.(type) {
	case string:
		group = m.GroupByName(by)
	case float64:
		group = m.GroupByNumber(int(by))
	}
	if group != nil && len(group.Captures) > 0 {
		return group.String()
	}
	return m.String()
}

// check takes all captures and matches, in order. It sets the variables when none failed.
func (u *user) check(q *request, r *reply) bool {
	if len(q.captures) == 0 {
		return true
	}
	values := make([]any, len(q.captures))
	for i, c := range q.captures {
		v, failed := c.take(u, r)
		if c.isMatch {
			strict := c.strict == nil || *c.strict
			failed = strict && !same(v, c.want.render(u))
		}
		if failed {
			return false
		}
		values[i] = v
	}
	for i, c := range q.captures {
		if !c.isMatch {
			u.setPath(c.as, values[i])
		}
	}
	return true
}

// expectation is one thing that is expected of a reply, with the name that counters have.
type expectation struct {
	name string
	want template
	rx   *regexp2.Regexp
}

// expectations splits what is expected into single things.
func (r *reader) expectations(specs []Expect) ([]expectation, error) {
	var list []expectation
	for i, s := range specs {
		before := len(list)
		err := r.under(func() error {
			for _, e := range []struct {
				name string
				v    any
				is   bool
			}{
				{"statusCode", s.StatusCode, s.StatusCode != nil}, {"notStatusCode", s.NotStatusCode, s.NotStatusCode != nil},
				{"contentType", s.ContentType, s.ContentType != ""}, {"hasProperty", s.HasProperty, s.HasProperty != ""},
				{"notHasProperty", s.NotHasProperty, s.NotHasProperty != ""}, {"equals", s.Equals, s.Equals != nil},
				{"hasHeader", s.HasHeader, s.HasHeader != ""}, {"headerEquals", s.HeaderEquals, s.HeaderEquals != nil},
				{"matchesRegexp", s.MatchesRegexp, s.MatchesRegexp != ""},
			} {
				if !e.is {
					continue
				}
				x := expectation{name: e.name}
				var err error
				if x.want, err = compile(e.v); err == nil && e.name == "matchesRegexp" && x.want.isConstant() {
					x.rx, err = compileRegexp(s.MatchesRegexp, regexp2.ECMAScript)
				}
				if err == nil && e.name == "headerEquals" && len(s.HeaderEquals) != 2 {
					err = errors.New("\"headerEquals\" needs a header and its value: [content-type, text/plain]")
				}
				if err != nil {
					return r.fault(err)
				}
				list = append(list, x)
			}
			if len(list) == before {
				return r.fault(errors.New("nothing is expected here; write e.g. statusCode: 200"))
			}
			return nil
		}, "expect", strconv.Itoa(i))
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// met tells whether a reply is as expected, and under which name to count it.
func (e *expectation) met(u *user, r *reply) (name string, ok bool) {
	want := e.want.render(u)
	switch e.name {
	case "statusCode":
		return e.name, hasStatus(want, r.status)
	case "notStatusCode":
		return e.name, !hasStatus(want, r.status)
	case "contentType":
		return e.name, isContentType(text(want), r)
	case "hasProperty", "notHasProperty":
		return e.name, hasProperty(text(want), r, e.name == "hasProperty")
	case "equals":
		list := want.([]any)
		return e.name, !slices.ContainsFunc(list, func(v any) bool { return text(v) != text(list[0]) })
	case "hasHeader":
		return e.name, r.headers[strings.ToLower(text(want))] != ""
	case "headerEquals":
		pair := want.([]any)
		value, has := r.headers[strings.ToLower(text(pair[0]))]
		return "header " + text(pair[0]) + " values equals", has && value == text(pair[1])
	}
	rx := e.rx
	if rx == nil {
		rx, _ = compileRegexp(text(want), regexp2.ECMAScript) // one that cannot be read matches nothing
	}
	if rx != nil {
		ok, _ = rx.MatchString(r.body)
	}
	return e.name, ok
}

func hasStatus(want any, status int) bool {
	if list, ok := want.([]any); ok {
		return slices.ContainsFunc(list, func(v any) bool { return numeric(v) == float64(status) })
	}
	return !math.IsNaN(numeric(want)) && numeric(want) == float64(status)
}

func isContentType(want string, r *reply) bool {
	got := strings.ToLower(r.headers["content-type"])
	if want != "json" {
		return got == strings.ToLower(want)
	}
	return isJSONType(got) && r.json() != undefined && r.json() != nil
}

func isJSONType(contentType string) bool {
	return slices.ContainsFunc([]string{"application/json", "application/problem+json", "application/ld+json"},
		func(t string) bool { return strings.Contains(contentType, t) })
}

func hasProperty(path string, r *reply, want bool) bool {
	v := r.json()
	switch v.(type) {
	case map[string]any, []any:
	default:
		return false
	}
	has := true
	for _, key := range parsePath(path) {
		if v, has = member(v, key); !has {
			break
		}
	}
	return has == want
}
