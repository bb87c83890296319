package jsontext

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode/utf16"
)

// Loose returns v in a spelling that no serialiser gives: white space of random kind and length,
// characters escaped that need no escape, numbers with an exponent or a fraction of zero. v must be an
// array or object, where there is room for white space.
func Loose(v Value, r *rand.Rand) []byte {
	w := &writer{style: &style{r}}
	w.style.space(&w.out)
	w.write(v)
	// An object or array is changed for certain, whatever chance chose so far.
	w.out.WriteString(" \n\t"[r.IntN(3):])
	return w.out.Bytes()
}

// style chooses spellings; nil is the style of JSON.stringify.
type style struct{ *rand.Rand }

func (s *style) space(out *bytes.Buffer) {
	if s == nil {
		return
	}
	for range s.IntN(4) {
		out.WriteByte(" \t\n\r"[s.IntN(4)])
	}
}

// escapes tells whether the next character is to be escaped without need.
func (s *style) escapes() bool { return s != nil && s.IntN(4) == 0 }

func (s *style) number(f float64) string {
	plain := formatNumber(f)
	if s == nil {
		return plain
	}
	switch s.IntN(3) {
	case 0:
		return plain + "e0"
	case 1:
		if !strings.Contains(plain, ".") {
			return plain + ".0"
		}
		return plain + "0"
	}
	return plain
}

// writeEscape writes r as \u escapes, with the short form that JSON.stringify never uses for a slash.
func writeEscape(out *bytes.Buffer, r rune) {
	if r == '/' {
		out.WriteString(`\/`)
		return
	}
	for _, unit := range utf16.Encode([]rune{r}) {
		fmt.Fprintf(out, `\u%04X`, unit)
	}
}
