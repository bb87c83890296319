package jsontext

import (
	"math/rand/v2"
	"strings"
)

// Script is a kind of text that strings are made of.
type Script string

// The scripts.
const (
	Plain   Script = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .-_"
	Unicode Script = "äöüßéñçøłžαβγδжщюя漢字仮名한글עבحسकख☃€…😀🚀𝒳\u2028\u2029\u00a0\u200d"
	Escaped Script = "\"\\/\b\f\n\r\t\x00\x01\x1b\x1f\x7f'<>&"
)

// Maker makes random values.
type Maker struct {
	*rand.Rand
	Scripts []Script // what strings are mixed from
}

// Text returns low to high random characters of one of the scripts.
func (m Maker) Text(low, high int) string {
	letters := []rune(string(m.Scripts[m.IntN(len(m.Scripts))]))
	var b strings.Builder
	for range m.between(low, high) {
		b.WriteRune(letters[m.IntN(len(letters))])
	}
	return b.String()
}

// Key returns a key that differs from almost every other, and does not look like an integer.
func (m Maker) Key() string {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	b := make([]byte, m.between(6, 12))
	for i := range b {
		b[i] = letters[m.IntN(len(letters))]
	}
	return string(b)
}

// Object returns an object whose compact text has at least sizeBytes, and little more. Nothing in it
// is empty: who wants that says so.
func (m Maker) Object(sizeBytes int) Object {
	object := Object{}
	for used := 1; used < sizeBytes; {
		left := sizeBytes - used
		member := Member{m.Key(), m.member(left)}
		object = append(object, member)
		used += len(Compact(Object{member})) - 1 // of its two braces one stands for a comma
	}
	return object
}

// member returns a value that takes up no more than about leftBytes.
func (m Maker) member(leftBytes int) Value {
	switch n := m.IntN(8); {
	case n == 0 && leftBytes > 80:
		return m.Object(m.between(2, min(leftBytes/2, 400)))
	case n == 1 && leftBytes > 80:
		return m.array(m.between(1, 6))
	case n <= 3:
		return m.Scalar()
	default:
		return m.Text(1, max(min(leftBytes/2, 60), 1))
	}
}

func (m Maker) array(n int) Array {
	array := Array{}
	for range n {
		array = append(array, m.Scalar())
	}
	return array
}

// Scalar returns a value without parts: null, true, false, a number or a short string.
func (m Maker) Scalar() Value {
	switch m.IntN(8) {
	case 0:
		return nil
	case 1:
		return true
	case 2:
		return false
	case 3:
		return m.Text(1, 12)
	case 4:
		return float64(m.between(-9999, 9999)) / 64
	case 5:
		return float64(m.Int64N(1 << 53))
	default:
		return float64(m.between(-100, 100_000))
	}
}

// Nested returns depth arrays and objects, one in another, with a string in the middle.
func (m Maker) Nested(depth int) Value {
	var v Value = m.Text(1, 20)
	for range depth - 1 {
		if m.IntN(2) == 0 {
			v = Array{m.Scalar(), v}
		} else {
			v = Object{{m.Key(), v}, {m.Key(), m.Scalar()}}
		}
	}
	return Object{{m.Key(), v}}
}

func (m Maker) between(low, high int) int { return low + m.IntN(high-low+1) }
