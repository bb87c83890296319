package mpacket

import (
	"crypto/aes"
	"fmt"
)

// CFB8 is AES in cipher feedback mode with segments of one byte: each byte is XORed with the first
// byte of the encryption of the 16 encrypted bytes before it. It implements cipher.Stream. The
// protocol uses the 16 bytes of the shared secret both as key and as IV, once for each direction.
// CFB8 hides content and does not protect it from change.
//
// One AES block a byte is the cost of the mode. While encrypting, each block needs the result of the
// one before it; while decrypting, the blocks are independent and the processor overlaps them.
type CFB8 struct {
	engine   cfb8Engine
	decrypts bool
}

// cfb8Engine does the work. It keeps the encrypted bytes that the next byte depends on. dst and src have
// the same length, and are the same memory or do not overlap.
type cfb8Engine interface {
	encrypt(dst, src []byte)
	decrypt(dst, src []byte)
}

// NewCFB8Encrypter returns the sending direction. The key has 16, 24 or 32 bytes, the IV 16.
func NewCFB8Encrypter(key, iv []byte) (*CFB8, error) { return newCFB8(key, iv, false) }

// NewCFB8Decrypter returns the receiving direction. The key has 16, 24 or 32 bytes, the IV 16.
func NewCFB8Decrypter(key, iv []byte) (*CFB8, error) { return newCFB8(key, iv, true) }

func newCFB8(key, iv []byte, decrypts bool) (*CFB8, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("mpacket: AES key of %d bytes: a key has 16, 24 or 32", len(key))
	}
	if len(iv) != aes.BlockSize {
		return nil, fmt.Errorf("mpacket: AES IV of %d bytes: an IV has 16", len(iv))
	}
	engine := newFastCFB8(key, iv)
	if engine == nil {
		engine = newBlockCFB8(block, iv)
	}
	return &CFB8{engine: engine, decrypts: decrypts}, nil
}

// XORKeyStream encrypts or decrypts src to dst, which may be the same memory but must not overlap it
// in any other way. It panics when dst is shorter than src, as every cipher.Stream does.
func (c *CFB8) XORKeyStream(dst, src []byte) {
	dst = dst[:len(src)]
	if c.decrypts {
		c.engine.decrypt(dst, src)
	} else {
		c.engine.encrypt(dst, src)
	}
}
