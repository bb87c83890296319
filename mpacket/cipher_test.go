package mpacket

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"math/rand/v2"
	"testing"
)

// FuzzCFB8 compares the processor's own way, where there is one, with crypto/aes a block a byte, for every
// split of the bytes, in place and apart, in both directions.
func FuzzCFB8(f *testing.F) {
	f.Add([]byte("sixteen byte key"), []byte("and an IV, too.."), 1000, uint64(1))
	for length := range 40 {
		f.Add(bytes.Repeat([]byte{byte(length)}, 16), bytes.Repeat([]byte{0xff}, 16), length, uint64(length))
	}
	f.Fuzz(func(t *testing.T, key, iv []byte, length int, seed uint64) {
		if len(key) != aes.BlockSize || len(iv) != aes.BlockSize || length < 0 || length > 1<<14 {
			t.Skip()
		}
		if newFastCFB8(key, iv) == nil {
			t.Skip("no AES instructions are used on this processor")
		}
		rng := rand.New(rand.NewPCG(seed, 0))
		plain := make([]byte, length)
		for i := range plain {
			plain[i] = byte(rng.Uint32())
		}
		block := must(aes.NewCipher(key))
		encrypted := bytes.Clone(plain)
		newBlockCFB8(block, iv).encrypt(encrypted, encrypted)
		checkEngine(t, "encrypt", rng, newFastCFB8(key, iv).encrypt, plain, encrypted)
		checkEngine(t, "decrypt", rng, newFastCFB8(key, iv).decrypt, encrypted, plain)
		checkEngine(t, "decrypt a block a byte", rng, newBlockCFB8(block, iv).decrypt, encrypted, plain)
	})
}

// checkEngine takes bytes through one direction in pieces. Nothing around a piece may change.
func checkEngine(t *testing.T, name string, rng *rand.Rand, work func(dst, src []byte), in, want []byte) {
	t.Helper()
	const guard = 16
	got := make([]byte, len(in))
	for at := 0; at < len(in); {
		n := min(len(in)-at, 1+rng.IntN(40))
		around := bytes.Repeat([]byte{0xa5}, n+2*guard)
		dst, src := around[guard:guard+n], in[at:at+n]
		if rng.IntN(2) == 0 {
			copy(dst, src)
			src = dst
		}
		work(dst, src)
		if !bytes.Equal(around[:guard], around[guard+n:]) || around[0] != 0xa5 {
			t.Fatalf("%s: %d bytes at %d: it wrote around them", name, n, at)
		}
		copy(got[at:], dst)
		at += n
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("%s gives %x, want %x", name, got, want)
	}
}

func TestCFB8TakesNoBytesAndEveryKey(t *testing.T) {
	for _, length := range []int{16, 24, 32} {
		var c cipher.Stream = must(NewCFB8Encrypter(make([]byte, length), make([]byte, 16)))
		c.XORKeyStream(nil, nil)
		got := make([]byte, 100)
		c.XORKeyStream(got, got)
		c = must(NewCFB8Decrypter(make([]byte, length), make([]byte, 16)))
		c.XORKeyStream(nil, nil)
		c.XORKeyStream(got, got)
		if !bytes.Equal(got, make([]byte, 100)) {
			t.Errorf("a key of %d bytes: decrypting gives %x, want zeros", length, got)
		}
	}
}
