package mpacket

import "unicode/utf8"

// Text in NBT is Java's modified UTF-8: NUL takes two bytes, c0 80, and a character above U+FFFF is a
// pair of surrogates of three bytes each.

const (
	surrogateMin     = 0xd800
	surrogateLowMin  = 0xdc00
	surrogateMax     = 0xdfff
	supplementaryMin = 0x1_0000
)

// validModifiedUTF8 reports whether text can be decoded. A plain NUL byte can, as in Java; overlong
// forms other than that of NUL, surrogates without their other half and forms of four bytes cannot.
func validModifiedUTF8(text []byte) bool {
	for len(text) > 0 {
		if text[0] < utf8.RuneSelf {
			text = text[1:]
			continue
		}
		_, n := decodeModified(text)
		if n == 0 {
			return false
		}
		text = text[n:]
	}
	return true
}

// decodeModified decodes the first character of text and returns its length, 0 when it is invalid.
func decodeModified(text []byte) (r rune, n int) {
	unit, n := decodeUnit(text)
	switch {
	case n == 0 || unit < surrogateMin || unit > surrogateMax:
		return unit, n
	case unit >= surrogateLowMin:
		return 0, 0
	}
	low, size := decodeUnit(text[n:])
	if size == 0 || low < surrogateLowMin || low > surrogateMax {
		return 0, 0
	}
	return supplementaryMin + (unit-surrogateMin)<<10 + (low - surrogateLowMin), n + size
}

// decodeUnit decodes one UTF-16 code unit of one to three bytes.
func decodeUnit(b []byte) (unit rune, n int) {
	follows := func(i int) bool { return i < len(b) && b[i]&0xc0 == 0x80 }
	switch {
	case len(b) == 0:
		return 0, 0
	case b[0] < 0x80:
		return rune(b[0]), 1
	case b[0]&0xe0 == 0xc0 && follows(1):
		unit = rune(b[0]&0x1f)<<6 | rune(b[1]&0x3f)
		if unit >= 0x80 || unit == 0 {
			return unit, 2
		}
	case b[0]&0xf0 == 0xe0 && follows(1) && follows(2):
		unit = rune(b[0]&0x0f)<<12 | rune(b[1]&0x3f)<<6 | rune(b[2]&0x3f)
		if unit >= 0x800 {
			return unit, 3
		}
	}
	return 0, 0
}

// fromModifiedUTF8 decodes valid modified UTF-8.
func fromModifiedUTF8(text []byte) string {
	if isASCII(text) {
		return string(text)
	}
	plain := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, n := decodeModified(text)
		plain = utf8.AppendRune(plain, r)
		text = text[n:]
	}
	return string(plain)
}

// appendModifiedUTF8 appends s, which must be valid UTF-8.
func appendModifiedUTF8(b []byte, s string) (text []byte, ok bool) {
	if !utf8.ValidString(s) {
		return b, false
	}
	for _, r := range s {
		switch {
		case r == 0:
			b = append(b, 0xc0, 0x80)
		case r < supplementaryMin:
			b = utf8.AppendRune(b, r)
		default:
			r -= supplementaryMin
			b = appendSurrogate(b, surrogateMin+r>>10)
			b = appendSurrogate(b, surrogateLowMin+r&0x3ff)
		}
	}
	return b, true
}

// appendSurrogate is utf8.AppendRune for what is no character.
func appendSurrogate(b []byte, unit rune) []byte {
	return append(b, 0xe0|byte(unit>>12), 0x80|byte(unit>>6)&0x3f, 0x80|byte(unit)&0x3f)
}
