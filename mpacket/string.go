package mpacket

import (
	"encoding/binary"
	"math"
	"strings"
	"unicode/utf8"
)

// MaxStringUnits is the limit of a string, in UTF-16 code units, where the caller names none.
const MaxStringUnits = 32_767

// stringBytes returns the most bytes that a text of limitUnits takes: UTF-8 needs up to three for
// one UTF-16 code unit.
func stringBytes(limitUnits int) int { return 3 * min(limitUnits, math.MaxInt32/3) }

// AppendString appends the length of s in bytes as a VarInt, then s. It does not check: use
// CheckString first, or a Writer, where s comes from outside.
func AppendString(b []byte, s string) []byte {
	return append(AppendVarInt(b, int32(len(s))), s...)
}

// CheckString returns nil when s may be written as a string of at most limitUnits UTF-16 code units:
// it is valid UTF-8 and short enough. Otherwise the *Error
// is an ErrBadUTF8 or ErrOverLimit.
func CheckString(s string, limitUnits int) error {
	if kind := badText([]byte(s), limitUnits); kind != ErrShort {
		return homeless(kind, "string")
	}
	return nil
}

// badText returns what is wrong with a text, ErrShort (which no whole text is) standing for nothing.
// No text has more UTF-16 units than UTF-8 bytes, so most need no count.
func badText(text []byte, limitUnits int) Kind {
	switch {
	case len(text) > stringBytes(limitUnits):
		return ErrOverLimit
	case !isASCII(text) && !utf8.Valid(text):
		return ErrBadUTF8
	case len(text) > limitUnits && utf16Len(text) > limitUnits:
		return ErrOverLimit
	}
	return ErrShort
}

// isASCII spares the usual string the call of utf8.Valid. It looks at eight bytes at a time, of which
// the last eight may overlap others, so that it branches as rarely as possible.
func isASCII(text []byte) bool {
	const high = 0x80_80_80_80_80_80_80_80
	n := len(text)
	if n < 8 {
		var seen byte
		for _, c := range text {
			seen |= c
		}
		return seen < utf8.RuneSelf
	}
	seen := binary.LittleEndian.Uint64(text[n-8:])
	for ; len(text) > 8; text = text[8:] {
		seen |= binary.LittleEndian.Uint64(text)
	}
	return seen&high == 0
}

// UTF16Len returns the length of valid UTF-8 in UTF-16 code units, the measure of the protocol's limits.
func UTF16Len(s string) int { return utf16Len([]byte(s)) }

// utf16Len counts one unit for each byte that starts a character and one more for each character
// of four bytes.
func utf16Len(text []byte) int {
	units := 0
	for _, c := range text {
		if c&0xc0 != 0x80 {
			units++
		}
		if c >= 0xf0 {
			units++
		}
	}
	return units
}

// ConsumeString reads a string of at most limitUnits UTF-16 code units and returns a copy. n is 0
// when b is too short; a bad string gives -ErrTooLong, -ErrNegative, -ErrOverLimit or -ErrBadUTF8.
// A length that no string within the limit can have is rejected before its bytes have come.
func ConsumeString(b []byte, limitUnits int) (s string, n int) {
	view, n := ConsumeStringView(b, limitUnits)
	return string(view), n
}

// ConsumeStringView is ConsumeString without the copy: the text is a part of b.
func ConsumeStringView(b []byte, limitUnits int) (text []byte, n int) {
	text, n = ConsumeBytes(b, stringBytes(limitUnits))
	if n <= 0 {
		return nil, n
	}
	if kind := badText(text, limitUnits); kind != ErrShort {
		return nil, -int(kind)
	}
	return text, n
}

// ConsumeStringLossy is ConsumeString for callers who would rather read damaged text than none: each
// run of bytes that is not valid UTF-8 becomes one U+FFFD. The limit holds for the result.
func ConsumeStringLossy(b []byte, limitUnits int) (s string, n int) {
	text, n := ConsumeBytes(b, stringBytes(limitUnits))
	if n <= 0 {
		return "", n
	}
	s = strings.ToValidUTF8(string(text), "\uFFFD")
	if UTF16Len(s) > limitUnits {
		return "", -int(ErrOverLimit)
	}
	return s, n
}
