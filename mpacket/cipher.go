package mpacket

import (
	"crypto/aes"
	"crypto/cipher"
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
	block    cipher.Block
	decrypts bool
	// window holds the last 16 encrypted bytes, then room for the first 16 of the next call, so that
	// every block is a run of 16 bytes in memory and nothing is shifted.
	window [2 * aes.BlockSize]byte
	key    [aes.BlockSize]byte // the block that was encrypted last
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
	c := &CFB8{block: block, decrypts: decrypts}
	copy(c.window[:], iv)
	return c, nil
}

// XORKeyStream encrypts or decrypts src to dst, which may be the same memory but must not overlap it
// in any other way. It panics when dst is shorter than src, as every cipher.Stream does.
func (c *CFB8) XORKeyStream(dst, src []byte) {
	dst = dst[:len(src)]
	if c.decrypts {
		c.decrypt(dst, src)
	} else {
		c.encrypt(dst, src)
	}
}

func (c *CFB8) encrypt(dst, src []byte) {
	head := min(len(src), aes.BlockSize)
	for i := range head {
		c.block.Encrypt(c.key[:], c.window[i:i+aes.BlockSize])
		dst[i] = src[i] ^ c.key[0]
		c.window[aes.BlockSize+i] = dst[i]
	}
	for i := head; i < len(src); i++ {
		c.block.Encrypt(c.key[:], dst[i-aes.BlockSize:i])
		dst[i] = src[i] ^ c.key[0]
	}
	c.slide(dst)
}

// decrypt goes backwards after the first block, so that the encrypted bytes which a byte depends on
// are still there when dst and src are the same memory.
func (c *CFB8) decrypt(dst, src []byte) {
	head := copy(c.window[aes.BlockSize:], src)
	var last [aes.BlockSize]byte
	long := len(src) >= aes.BlockSize
	if long {
		copy(last[:], src[len(src)-aes.BlockSize:])
	}
	for i := len(src) - 1; i >= head; i-- {
		c.block.Encrypt(c.key[:], src[i-aes.BlockSize:i])
		dst[i] = src[i] ^ c.key[0]
	}
	for i := range head {
		c.block.Encrypt(c.key[:], c.window[i:i+aes.BlockSize])
		dst[i] = c.window[aes.BlockSize+i] ^ c.key[0]
	}
	if long {
		copy(c.window[:], last[:])
	} else {
		copy(c.window[:aes.BlockSize], c.window[head:])
	}
}

// slide moves the last 16 encrypted bytes to the front of the window.
func (c *CFB8) slide(encrypted []byte) {
	if n := len(encrypted); n >= aes.BlockSize {
		copy(c.window[:], encrypted[n-aes.BlockSize:])
	} else {
		copy(c.window[:aes.BlockSize], c.window[n:])
	}
}
