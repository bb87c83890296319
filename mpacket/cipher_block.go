package mpacket

import (
	"crypto/aes"
	"crypto/cipher"
)

// blockCFB8 is CFB8 on any block cipher with blocks of 16 bytes, one block a call: for every processor and
// every length of key.
type blockCFB8 struct {
	block cipher.Block
	// window holds the last 16 encrypted bytes, then room for the first 16 of the next call, so that
	// every block is a run of 16 bytes in memory and nothing is shifted.
	window [2 * aes.BlockSize]byte
	key    [aes.BlockSize]byte // the block that was encrypted last
}

func newBlockCFB8(block cipher.Block, iv []byte) *blockCFB8 {
	c := &blockCFB8{block: block}
	copy(c.window[:], iv)
	return c
}

func (c *blockCFB8) encrypt(dst, src []byte) {
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
func (c *blockCFB8) decrypt(dst, src []byte) {
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
func (c *blockCFB8) slide(encrypted []byte) {
	if n := len(encrypted); n >= aes.BlockSize {
		copy(c.window[:], encrypted[n-aes.BlockSize:])
	} else {
		copy(c.window[:aes.BlockSize], c.window[n:])
	}
}
