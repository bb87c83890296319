// Package jsontext makes JSON values at run time, writes each in the spelling of JSON.stringify and in
// others, and tells whether two texts are the same value. With it a contract finds out whether a
// server parsed what it was sent or only sent the text back.
package jsontext

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Value is a JSON value that remembers the order of its keys: nil, bool, float64, string, Array or
// Object.
type Value any

// Array is a JSON array.
type Array []Value

// Object is a JSON object. Its keys must differ, and must not look like integers, which JavaScript
// would move to the front.
type Object []Member

// Member is a key of an object with its value.
type Member struct {
	Key   string
	Value Value
}

// Compact returns the text that JSON.stringify gives for v. Numbers must be 0 or lie between 1e-6
// and 1e21 in size, where JavaScript writes no exponent.
func Compact(v Value) []byte {
	w := &writer{}
	w.write(v)
	return w.out.Bytes()
}

// writer puts a value into words. style, when there is one, chooses other spellings.
type writer struct {
	out   bytes.Buffer
	style *style
}

func (w *writer) write(v Value) {
	switch v := v.(type) {
	case nil:
		w.out.WriteString("null")
	case bool:
		w.out.WriteString(strconv.FormatBool(v))
	case float64:
		w.out.WriteString(w.style.number(v))
	case string:
		w.text(v)
	case Array:
		w.list('[', len(v), ']', func(i int) { w.write(v[i]) })
	case Object:
		w.list('{', len(v), '}', func(i int) {
			w.text(v[i].Key)
			w.style.space(&w.out)
			w.out.WriteByte(':')
			w.style.space(&w.out)
			w.write(v[i].Value)
		})
	default:
		panic(fmt.Sprintf("jsontext: %T is no JSON value", v)) // a programmer's error
	}
}

func (w *writer) list(opening byte, n int, closing byte, item func(i int)) {
	w.out.WriteByte(opening)
	w.style.space(&w.out)
	for i := range n {
		if i > 0 {
			w.out.WriteByte(',')
			w.style.space(&w.out)
		}
		item(i)
		w.style.space(&w.out)
	}
	w.out.WriteByte(closing)
}

func (w *writer) text(s string) {
	w.out.WriteByte('"')
	for _, r := range s {
		if w.style.escapes() {
			writeEscape(&w.out, r)
			continue
		}
		writeRune(&w.out, r)
	}
	w.out.WriteByte('"')
}

// shortEscapes are the characters with an escape of their own that JSON.stringify uses.
var shortEscapes = map[rune]string{
	'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`,
}

func writeRune(out *bytes.Buffer, r rune) {
	switch escape := shortEscapes[r]; {
	case escape != "":
		out.WriteString(escape)
	case r < ' ':
		fmt.Fprintf(out, `\u%04x`, r)
	default:
		out.WriteRune(r)
	}
}

func formatNumber(f float64) string {
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// quoteMax is how much of a text is quoted in a reason, in bytes.
const quoteMax = 60

// quote shows the start of a text in one line.
func quote(b []byte) string {
	if len(b) <= quoteMax {
		return strconv.Quote(string(b))
	}
	cut := quoteMax
	for cut > quoteMax-utf8.UTFMax && !utf8.RuneStart(b[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… (%d B)", strconv.Quote(string(b[:cut])), len(b))
}
