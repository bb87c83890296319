package httpbasic

import (
	"encoding/json"
	"net"
	"net/url"
	"strconv"
	"strings"

	"dyno/contract/internal/fixture"
)

// on is a mutant that is honest but for what change makes of a request. Nil leaves the honest reply.
func on(change fixture.App) fixture.Program { return honestApp.Instead(change) }

// onName is a mutant with a way of its own to find the name.
func onName(name func(query string) string) fixture.Program {
	return onPerson(func(id, query string) *fixture.Reply { return personOf(id, name(query)) })
}

func onPerson(person func(id, query string) *fixture.Reply) fixture.Program {
	return on(func(q *fixture.Request) *fixture.Reply {
		if id, ok := strings.CutPrefix(q.Path, "/id/"); ok {
			return person(id, q.Query)
		}
		return nil
	})
}

func onJSON(mirror func(text []byte) *fixture.Reply) fixture.Program {
	return on(func(q *fixture.Request) *fixture.Reply {
		if q.Path == "/json" {
			return mirror(q.Body)
		}
		return nil
	})
}

// onRoot is a mutant that answers GET / with those bytes.
func onRoot(wire string) fixture.Program {
	return on(func(q *fixture.Request) *fixture.Reply {
		if q.Path == "/" {
			return &fixture.Reply{Raw: []byte(wire)}
		}
		return nil
	})
}

// onHeader is a mutant whose replies to a path have other headers.
func onHeader(path string, header ...[2]string) fixture.Program {
	return on(func(q *fixture.Request) *fixture.Reply {
		if !strings.HasPrefix(q.Path, path) || path == "/" && q.Path != "/" {
			return nil
		}
		reply := app(q)
		reply.Header = header
		return reply
	})
}

// queryOf finds the values of a query as a form, and keeps what cannot be decoded.
func queryOf(query string) url.Values {
	values, _ := url.ParseQuery(query)
	return values
}

const textHead = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"

// mutants are in the order of the cases that catch them.
var mutants = []fixture.Mutant{
	fixture.FailsAt("root", "no content type", onHeader("/")),
	fixture.FailsAt("root", "wrong content type", onHeader("/", [2]string{"Content-Type", "text/html"})),
	fixture.FailsAt("root", "wrong charset", onHeader("/", [2]string{"Content-Type", "text/plain; charset=latin1"})),
	fixture.FailsAt("root", "length too small", onRoot(textHead+"Content-Length: 1\r\n\r\nhi")),
	fixture.HangsAt("root", "length too large", onRoot(textHead+"Content-Length: 3\r\n\r\nhi")),
	fixture.FailsAt("root", "bytes behind the reply", onRoot(textHead+"Content-Length: 2\r\n\r\nhi\x00")),
	fixture.FailsAt("root", "two lengths", onRoot(textHead+"Content-Length: 2\r\nContent-Length: 3\r\n\r\nhi")),
	fixture.HangsAt("root", "last chunk missing", onRoot(textHead+"Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n")),
	fixture.FailsAt("root", "closes and says so", onRoot(textHead+"Connection: close\r\nContent-Length: 2\r\n\r\nhi")),
	fixture.FailsAt("keep-alive", "closes without a word", honestApp.ClosesAfter(1)),
	fixture.FailsAt("keep-alive", "right for the first request of a connection only", honestApp.RightFor(1)),
	fixture.FailsAt("root-query", "routes the query", on(func(q *fixture.Request) *fixture.Reply {
		if q.Path == "/" && q.Query != "" {
			return fixture.Status(404)
		}
		return nil
	})),

	fixture.FailsAt("id-and-name", "hard-coded answer", onPerson(func(string, string) *fixture.Reply { return personOf("1", "bun") })),
	fixture.FailsAt("id-and-name", "hi for everybody", onPerson(func(string, string) *fixture.Reply { return fixture.Text("hi") })),
	fixture.FailsAt("id-and-name", "URL in lower case", onPerson(func(id, query string) *fixture.Reply {
		return personOf(strings.ToLower(id), strings.ToLower(queryOf(query).Get("name")))
	})),
	fixture.FailsAt("id-and-name", "x-powered-by missing", onHeader("/id/", [2]string{"Content-Type", "text/plain"})),
	fixture.FailsAt("id-and-name", "x-powered-by of the framework", onHeader("/id/", [2]string{"Content-Type", "text/plain"}, [2]string{"X-Powered-By", "Express"})),
	fixture.FailsAt("id-and-name", "x-powered-by twice", onHeader("/id/", [2]string{"Content-Type", "text/plain"},
		[2]string{"X-Powered-By", "benchmark"}, [2]string{"X-Powered-By", "Express"})),
	fixture.FailsAt("same-path", "remembers answers by path", remembersPaths),
	fixture.FailsAt("id-shapes", "ids are numbers", onPerson(func(id, query string) *fixture.Reply {
		if n, err := strconv.ParseFloat(id, 64); err == nil {
			id = strconv.FormatFloat(n, 'f', -1, 64)
		}
		return personOf(id, queryOf(query).Get("name"))
	})),
	fixture.FailsAt("name-first", "query cut by index", onName(func(query string) string { return query[min(len("name="), len(query)):] })),
	fixture.FailsAt("name-last", "first key only", onName(func(query string) string {
		first, _, _ := strings.Cut(query, "&")
		return queryOf(first).Get("name")
	})),
	fixture.FailsAt("name-missing", "undefined for a missing name", onName(func(query string) string {
		if values := queryOf(query); values.Has("name") {
			return values.Get("name")
		}
		return "undefined"
	})),
	fixture.FailsAt("name-missing", "blank trimmed", onPerson(func(id, query string) *fixture.Reply {
		reply := personOf(id, queryOf(query).Get("name"))
		reply.Body = []byte(strings.TrimSpace(string(reply.Body)))
		return reply
	})),
	fixture.FailsAt("name-empty", "400 for an empty name", onPerson(func(id, query string) *fixture.Reply {
		if values := queryOf(query); values.Has("name") && values.Get("name") == "" {
			return fixture.Status(400)
		}
		return personOf(id, queryOf(query).Get("name"))
	})),
	fixture.FailsAt("name-repeated", "name up to the end of the query", onName(func(query string) string {
		if names := queryOf(query)["name"]; len(names) > 1 {
			return names[0] + "&name=" + names[1]
		}
		return queryOf(query).Get("name")
	})),
	fixture.FailsAt("decoy-keys", "first name= anywhere", onName(func(query string) string {
		_, rest, _ := strings.Cut(query, "name=")
		name, _, _ := strings.Cut(rest, "&")
		name, _ = url.QueryUnescape(name)
		return name
	})),
	fixture.FailsAt("decoy-keys", "keys in any case", onName(func(query string) string {
		for key, values := range queryOf(query) {
			if strings.EqualFold(key, "name") {
				return values[0]
			}
		}
		return ""
	})),
	fixture.FailsAt("name-encoded", "escapes not decoded", onName(func(query string) string {
		for pair := range strings.SplitSeq(query, "&") {
			if name, ok := strings.CutPrefix(pair, "name="); ok {
				return name
			}
		}
		return ""
	})),
	fixture.FailsAt("name-encoded", "decoded before it is taken apart", onName(func(query string) string {
		decoded, _ := url.PathUnescape(query)
		for pair := range strings.SplitSeq(decoded, "&") {
			if name, ok := strings.CutPrefix(pair, "name="); ok {
				return name
			}
		}
		return ""
	})),
	fixture.FailsAt("name-encoded", "blanks only", onName(func(query string) string {
		for pair := range strings.SplitSeq(query, "&") {
			if name, ok := strings.CutPrefix(pair, "name="); ok {
				return strings.ReplaceAll(name, "%20", " ")
			}
		}
		return ""
	})),
	fixture.FailsAt("name-plus", "plus kept", onName(func(query string) string {
		return queryOf(strings.ReplaceAll(query, "+", "%2B")).Get("name")
	})),
	fixture.FailsAt("name-utf8", "bytes taken for characters", onName(func(query string) string {
		var latin1 []rune
		for _, c := range []byte(queryOf(query).Get("name")) {
			latin1 = append(latin1, rune(c))
		}
		return string(latin1)
	})),
	fixture.FailsAt("name-utf8", "length in characters", onPerson(func(id, query string) *fixture.Reply {
		reply := personOf(id, queryOf(query).Get("name"))
		wire := reply.Head("Content-Length: " + strconv.Itoa(len([]rune(string(reply.Body)))))
		return &fixture.Reply{Raw: append(wire, reply.Body...)}
	})),
	fixture.FailsAt("name-long", "names of 256 characters", onName(func(query string) string {
		name := queryOf(query).Get("name")
		return name[:min(len(name), 256)]
	})),

	fixture.FailsAt("json", "JSON as text", onHeader("/json", [2]string{"Content-Type", "text/plain"})),
	fixture.FailsAt("json", "201 for JSON", onJSON(func(text []byte) *fixture.Reply {
		reply := mirrored(text)
		reply.Status = 201
		return reply
	})),
	fixture.FailsAt("json", "hard-coded JSON", onJSON(func([]byte) *fixture.Reply { return fixture.JSON([]byte(`{"hello":"world"}`)) })),
	fixture.FailsAt("json-spaced", "echo of the text", onJSON(fixture.JSON)),
	fixture.FailsAt("json-spaced", "echo of the checked text", onJSON(func(text []byte) *fixture.Reply {
		if !json.Valid(text) {
			return fixture.Status(400)
		}
		return fixture.JSON(text)
	})),
	fixture.FailsAt("json-spaced", "echo without white space", onJSON(withoutSpace)),
	fixture.FailsAt("json-unicode", "JSON in ASCII", onJSON(func(text []byte) *fixture.Reply {
		reply := mirrored(text)
		reply.Body = []byte(strings.Map(func(r rune) rune {
			if r > 0x7f {
				return '?'
			}
			return r
		}, string(reply.Body)))
		return reply
	})),
	fixture.FailsAt("json-escapes", "control characters dropped", onJSON(func(text []byte) *fixture.Reply {
		reply := mirrored(text)
		reply.Body = []byte(strings.NewReplacer(`\u0000`, "", `\u0001`, "", `\u001b`, "", `\u001f`, "").Replace(string(reply.Body)))
		return reply
	})),
	fixture.FailsAt("json-nested", "empty strings are null", onJSON(func(text []byte) *fixture.Reply {
		reply := mirrored(text)
		reply.Body = []byte(strings.NewReplacer(`:""`, `:null`, `[""`, `[null`, `,"",`, `,null,`, `,""]`, `,null]`).Replace(string(reply.Body)))
		return reply
	})),
	fixture.FailsAt("json-large", "bodies of 64 KiB", onJSON(func(text []byte) *fixture.Reply {
		if len(text) > 1<<16 {
			return fixture.Status(413)
		}
		return mirrored(text)
	})),
	fixture.FailsAt("json-malformed", "200 for malformed JSON", onJSON(func(text []byte) *fixture.Reply {
		if !json.Valid(text) {
			return fixture.JSON([]byte(`{"error":"not JSON"}`))
		}
		return mirrored(text)
	})),
	fixture.FailsAt("json-malformed", "500 for malformed JSON", onJSON(func(text []byte) *fixture.Reply {
		if !json.Valid(text) {
			return fixture.Status(500)
		}
		return mirrored(text)
	})),
	fixture.FailsAt("json-malformed", "dies of malformed JSON", honestApp.DiesWhen(func(q *fixture.Request) bool {
		return q.Path == "/json" && !json.Valid(q.Body)
	})),
	fixture.FailsAt("json-malformed", "repairs what is cut off", onJSON(func(text []byte) *fixture.Reply {
		if !json.Valid(text) {
			text = append(text, '}')
		}
		return mirrored(text)
	})),

	fixture.HangsAt("header-case", "headers in one spelling", readsHeaders(strictSpelling)),
	fixture.FailsAt("not-found", "404 once", honestApp.PerServer(notFoundOnce)),
	fixture.FailsAt("not-found", "hi for every path", on(func(q *fixture.Request) *fixture.Reply {
		if app(q).Status == 404 {
			return fixture.Text("hi")
		}
		return nil
	})),
	fixture.FailsAt("pipelined", "a worker for each request", honestApp.OutOfOrder(func(q *fixture.Request) bool { return q.Method == "POST" })),
	fixture.HangsAt("pipelined", "first request of a segment only", honestApp.FirstOfSegment),
	fixture.FailsAt("pipelined", "last request of a segment first", honestApp.InBatches(1, reversed)),
	fixture.HangsAt("split-head", "head in one segment", honestApp.InOneSegment(true)),
	fixture.HangsAt("split-body", "body in one segment with its head", honestApp.InOneSegment(false)),
	fixture.HangsAt("interleaved", "one buffer for all connections", honestApp.SharedBuffer),
	fixture.HangsAt("interleaved", "answers on the newest connection", honestApp.OnNewest),
	fixture.HangsAt("interleaved", "one connection at a time", honestApp.OneAtATime),
	fixture.FailsAt("many-connections", "at most 50 connections", honestApp.AtMost(50)),
	fixture.FailsAt("many-requests", "wrong after 1,500 requests of a connection", honestApp.RightFor(1500)),
	fixture.FailsAt("many-requests", "dies after 2,500 requests", honestApp.DiesAfter(2500)),
	fixture.FailsAt("aborted", "dies of a reset", honestApp.DiesOf(fixture.IsReset)),
	fixture.FailsAt("garbage", "dies of garbage", honestApp.DiesOf(fixture.IsNoHTTP)),
	fixture.HangsAt("garbage", "waits after garbage", honestApp.OnNoHTTP(fixture.WaitForEnd)),
	fixture.FailsAt("garbage", "takes garbage for a request", honestApp.OnNoHTTP(func(c *net.TCPConn) {
		c.Write(fixture.Text("hi").Bytes())
	})),
}
