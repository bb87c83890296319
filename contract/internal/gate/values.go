package gate

import (
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
)

// Source makes the values of one case or one corpus: equal seeds and names give equal values, and
// nobody who does not know the seed can have them ready. It is not safe for several goroutines.
type Source struct {
	*rand.Rand
	bytes *rand.ChaCha8
}

// NewSource returns the source that belongs to a seed and a name.
func NewSource(seed uint64, name string) *Source {
	h := fnv.New64a()
	h.Write([]byte(name))
	var key [32]byte
	binary.LittleEndian.PutUint64(key[0:], seed)
	binary.LittleEndian.PutUint64(key[8:], h.Sum64())
	c := rand.NewChaCha8(key)
	return &Source{Rand: rand.New(c), bytes: c}
}

// Between returns a number from low to high, both included.
func (s *Source) Between(low, high int) int { return low + s.IntN(high-low+1) }

// Bytes returns n random bytes.
func (s *Source) Bytes(n int) []byte {
	b := make([]byte, n)
	s.bytes.Read(b) // never fails
	return b
}

const alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// Word returns low to high random letters and digits.
func (s *Source) Word(low, high int) string {
	b := make([]byte, s.Between(low, high))
	for i := range b {
		b[i] = alphanumeric[s.IntN(len(alphanumeric))]
	}
	return string(b)
}

// Pick returns one of the options.
func Pick[T any](s *Source, options []T) T { return options[s.IntN(len(options))] }
