package httpbasic

import (
	"fmt"
	"strings"

	"dyno/contract/internal/gate"
	"dyno/contract/internal/httpgate"
	"dyno/contract/internal/jsontext"
)

func root(p *gate.Probe) error {
	for range 3 {
		if err := httpgate.AskFresh(p, hello()); err != nil {
			return err
		}
	}
	return nil
}

func keepAlive(p *gate.Probe) error {
	var exchanges []httpgate.Exchange
	for range 20 {
		exchanges = append(exchanges, hello())
	}
	return httpgate.AskFresh(p, exchanges...)
}

func rootQuery(p *gate.Probe) error {
	return httpgate.AskFresh(p, get("/?"+p.Word(1, 10)+"="+p.Word(1, 10), "hi"), get("/?name="+p.Word(1, 10), "hi"))
}

// idAndName catches answers that were ready before the request came. The ids are long enough never to be
// equal: that is for the next case.
func idAndName(p *gate.Probe) error {
	exchanges := []httpgate.Exchange{named("1", "bun")} // what the seed sends
	for range 24 {
		exchanges = append(exchanges, named(p.Word(6, 16), p.Word(1, 16)))
	}
	return httpgate.AskFresh(p, exchanges...)
}

// samePath catches answers that are remembered by path.
func samePath(p *gate.Probe) error {
	id := p.Word(4, 8)
	var exchanges []httpgate.Exchange
	for range 8 {
		exchanges = append(exchanges, named(id, p.Word(1, 12)))
	}
	return httpgate.AskFresh(p, exchanges...)
}

// idShapes uses the characters that need no encoding in a path. The others are left out: frameworks
// differ in whether they decode a path parameter, and the seed does not say.
func idShapes(p *gate.Probe) error {
	var exchanges []httpgate.Exchange
	for _, id := range []string{
		"0", fmt.Sprint(p.Between(2, 9)), fmt.Sprint(-p.Between(1, 99)), fmt.Sprintf("%08d", p.Between(1, 9999)),
		fmt.Sprintf("9%d%d", p.Between(1e9, 2e9), p.Between(1e9, 2e9)), // more digits than a number keeps
		fmt.Sprintf("%de%d", p.Between(1, 9), p.Between(2, 9)), fmt.Sprintf("0x%x", p.Between(16, 255)),
		fmt.Sprintf("%d.50", p.Between(1, 99)),
		"id", "name", "json", "undefined", "null", "true",
		strings.ToUpper(p.Word(3, 6)) + strings.ToLower(p.Word(3, 6)),
		p.Word(2, 4) + "-" + p.Word(2, 4) + "_" + p.Word(2, 4) + "." + p.Word(2, 4) + "~" + p.Word(1, 4),
		fmt.Sprintf("%x-%x-%x", p.Bytes(4), p.Bytes(2), p.Bytes(6)),
		p.Word(200, 200),
	} {
		exchanges = append(exchanges, named(id, p.Word(1, 8)))
	}
	return httpgate.AskFresh(p, exchanges...)
}

// pairs returns n pairs of a query whose keys are not name.
func pairs(s *gate.Source, n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = strings.ToLower(s.Word(1, 3)) + fmt.Sprint(i) + "=" + s.Word(0, 8)
	}
	return strings.Join(all, "&")
}

func nameFirst(p *gate.Probe) error {
	var exchanges []httpgate.Exchange
	for n := range 5 {
		name := p.Word(1, 12)
		exchanges = append(exchanges, person(p.Word(1, 8), "name="+name+"&"+pairs(p.Source, n+1), name))
	}
	name := p.Word(1, 8)
	return httpgate.AskFresh(p, append(exchanges, person("1", "name="+name+"&id=1", name))...)
}

func nameLast(p *gate.Probe) error {
	var exchanges []httpgate.Exchange
	for n := range 5 {
		name := p.Word(1, 12)
		exchanges = append(exchanges,
			person(p.Word(1, 8), pairs(p.Source, n+1)+"&name="+name, name),
			person(p.Word(1, 8), pairs(p.Source, n+1)+"&name="+name+"&"+pairs(p.Source, 1), name))
	}
	return httpgate.AskFresh(p, exchanges...)
}

// nameMissing needs the blank behind the id, which some servers trim and others follow with
// "undefined" or "null".
func nameMissing(p *gate.Probe) error {
	return httpgate.AskFresh(p,
		person("1", "id=1", ""), // what the seed asks for
		person(p.Word(1, 8), "", ""),
		person(p.Word(1, 8), pairs(p.Source, 1), ""),
		person(p.Word(1, 8), pairs(p.Source, 4), ""))
}

func nameEmpty(p *gate.Probe) error {
	return httpgate.AskFresh(p,
		person(p.Word(1, 8), "name=", ""),
		person(p.Word(1, 8), "name=&"+pairs(p.Source, 1), ""),
		person(p.Word(1, 8), pairs(p.Source, 1)+"&name=", ""))
}

// nameRepeated accepts what query parsers make of it: URLSearchParams takes the first, some take
// the last, and those that make a list of both (Node's querystring, fast-querystring, qs) end up
// with a comma in a template string. Anything else did not take the query apart.
func nameRepeated(p *gate.Probe) error {
	var exchanges []httpgate.Exchange
	for _, between := range []string{"&", "&" + pairs(p.Source, 2) + "&"} {
		id, first, last := p.Word(1, 8), p.Word(2, 8), p.Word(2, 8)
		x := person(id, "name="+first+between+"name="+last, "")
		for _, name := range []string{first, last, first + "," + last} {
			x.OneOf = append(x.OneOf, []byte(id+" "+name))
		}
		exchanges = append(exchanges, x)
	}
	return httpgate.AskFresh(p, exchanges...)
}

func decoyKeys(p *gate.Probe) error {
	var exchanges []httpgate.Exchange
	for _, decoy := range []string{
		"username=", "xname=", "name2=", "names=", "Name=", "NAME=", "first-name=", "_name=", "name_=", "nam=",
		p.Word(1, 4) + "=name=", // the value contains a pair
		p.Word(1, 4) + "=name%3D",
	} {
		name := p.Word(2, 8)
		exchanges = append(exchanges,
			person(p.Word(1, 8), decoy+p.Word(2, 8), ""),
			person(p.Word(1, 8), decoy+p.Word(2, 8)+"&name="+name, name),
			person(p.Word(1, 8), "name="+name+"&"+decoy+p.Word(2, 8), name))
	}
	return httpgate.AskFresh(p, exchanges...)
}

// percentEncode encodes every byte of s that is no letter or digit, and some that are.
func percentEncode(s *gate.Source, text string) string {
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		plain := c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		switch {
		case plain && s.IntN(6) > 0:
			b.WriteByte(c)
		case s.IntN(2) == 0:
			fmt.Fprintf(&b, "%%%02X", c)
		default:
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	return b.String()
}

func nameEncoded(p *gate.Probe) error {
	exchanges := []httpgate.Exchange{person(p.Word(1, 8), "name%3D="+p.Word(1, 8), "")} // the key is "name="
	for _, mark := range []string{" ", "&", "=", "+", "%", "#", "?", "/", "%20", "&name=", `"`, "<", ";", ",", "~"} {
		name := p.Word(1, 5) + mark + p.Word(1, 5)
		encoded := percentEncode(p.Source, name)
		exchanges = append(exchanges,
			person(p.Word(1, 8), "name="+encoded, name),
			person(p.Word(1, 8), pairs(p.Source, 1)+"&name="+encoded+"&"+pairs(p.Source, 1), name))
	}
	return httpgate.AskFresh(p, exchanges...)
}

func namePlus(p *gate.Probe) error {
	var exchanges []httpgate.Exchange
	for range 4 {
		a, b, c := p.Word(1, 5), p.Word(1, 5), p.Word(1, 5)
		exchanges = append(exchanges,
			person(p.Word(1, 8), "name="+a+"+"+b, a+" "+b),
			person(p.Word(1, 8), pairs(p.Source, 1)+"&name="+a+"+"+b+"%2B"+c, a+" "+b+"+"+c))
	}
	return httpgate.AskFresh(p, exchanges...)
}

func nameUTF8(p *gate.Probe) error {
	var exchanges []httpgate.Exchange
	maker := jsontext.Maker{Rand: p.Rand, Scripts: []jsontext.Script{jsontext.Unicode}}
	for range 8 {
		name := p.Word(1, 4) + maker.Text(1, 12) + p.Word(1, 4)
		exchanges = append(exchanges,
			named(p.Word(1, 8), name),
			person(p.Word(1, 8), pairs(p.Source, 1)+"&name="+percentEncode(p.Source, name), name))
	}
	return httpgate.AskFresh(p, exchanges...)
}

func nameLong(p *gate.Probe) error {
	return httpgate.AskFresh(p,
		named(p.Word(1, 8), p.Word(1<<10, 1<<10)),
		named(p.Word(1, 8), p.Word(300, 1000)))
}
