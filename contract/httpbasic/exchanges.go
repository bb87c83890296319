package httpbasic

import (
	"net/url"

	"dyno/contract/http1"
	"dyno/contract/internal/gate"
	"dyno/contract/internal/httpgate"
	"dyno/contract/internal/jsontext"
)

const (
	textPlain = "text/plain"
	jsonPath  = "/json"
)

// get is a GET of target whose reply is text.
func get(target, text string) httpgate.Exchange {
	return httpgate.New(http1.Request{Target: target}, httpgate.Exchange{
		MediaType: textPlain,
		Exchange: http1.Exchange{Want: http1.Want{Status: 200, Body: []byte(text),
			Header: []http1.HeaderWant{{Name: "Content-Type", Value: textPlain, Prefix: true}}}},
	})
}

func hello() httpgate.Exchange { return get("/", "hi") }

// person asks for /id/ID?QUERY, where NAME is what the query means by name.
func person(id, query, name string) httpgate.Exchange {
	target := "/id/" + id
	if query != "" {
		target += "?" + query
	}
	x := get(target, id+" "+name)
	x.Want.Header = append(x.Want.Header, http1.HeaderWant{Name: "x-powered-by", Value: "benchmark"})
	return x
}

// named asks for the most common form of it.
func named(id, name string) httpgate.Exchange {
	return person(id, "name="+url.QueryEscape(name), name)
}

// mirror posts text, a spelling of value, and wants value back.
func mirror(text []byte, value jsontext.Value) httpgate.Exchange {
	return httpgate.Mirror(jsonPath, text, value)
}

// refused posts text, which is no JSON.
func refused(text []byte) httpgate.Exchange {
	return httpgate.New(httpgate.JSONRequest(jsonPath, text), httpgate.Exchange{
		StatusMax: 499, MayClose: true,
		Exchange: http1.Exchange{Want: http1.Want{Status: 400, BodyAny: true}},
	})
}

// missing asks for a path that does not exist.
func missing(path string) httpgate.Exchange {
	return httpgate.New(http1.Request{Target: path}, httpgate.Exchange{
		Exchange: http1.Exchange{Want: http1.Want{Status: 404, BodyAny: true}},
	})
}

// plainText makes values of letters, digits and marks of ASCII.
var plainText = []jsontext.Script{jsontext.Plain}

// small returns a JSON value of about the size that the seed sends, and up to some hundred bytes.
func small(s *gate.Source, scripts ...jsontext.Script) jsontext.Value {
	return jsontext.Maker{Rand: s.Rand, Scripts: scripts}.Object(s.Between(16, 400))
}
