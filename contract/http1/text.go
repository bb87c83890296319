package http1

import (
	"encoding/binary"
	"math"
)

// tokenByte marks the bytes of a token (RFC 9110, section 5.6.2): methods and names of fields.
var tokenByte = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	for _, c := range []byte("!#$%&'*+-.^_`|~") {
		t[c] = true
	}
	return t
}()

func isToken[T string | []byte](s T) bool {
	for i := range len(s) {
		if !tokenByte[s[i]] {
			return false
		}
	}
	return len(s) > 0
}

// isClean tells whether s may be (part of) a field's value: no control character but the tab.
func isClean(s string) bool {
	for i := range len(s) {
		if isControl(s[i]) {
			return false
		}
	}
	return true
}

func isControl(c byte) bool { return c < ' ' && c != '\t' || c == 0x7f }

// isCleanBytes is isClean, eight bytes at a time: a word is looked at byte by byte only when one of
// its bytes lies below the blank or is DEL.
func isCleanBytes(b []byte) bool {
	const ones = math.MaxUint64 / 255
	for len(b) >= 8 {
		w := binary.LittleEndian.Uint64(b)
		del := w ^ ones*0x7f
		if ((w-ones*' ')&^w|(del-ones)&^del)&(ones<<7) != 0 && !isCleanShort(b[:8]) {
			return false
		}
		b = b[8:]
	}
	return isCleanShort(b)
}

func isCleanShort(b []byte) bool {
	for _, c := range b {
		if isControl(c) {
			return false
		}
	}
	return true
}

// isFold compares without case (ASCII only).
func isFold(b []byte, s string) bool {
	if len(b) != len(s) {
		return false
	}
	for i, c := range b {
		if lower(c) != lower(s[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// trim removes blanks and tabs from both ends.
func trim(b []byte) []byte {
	for len(b) > 0 && isBlank(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && isBlank(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// parseLength reads a Content-Length: digits and nothing else, up to 9.2e18.
func parseLength(b []byte) (n int64, ok bool) {
	for _, c := range b {
		if !isDigit(c) || n >= math.MaxInt64/10 {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, len(b) > 0
}
