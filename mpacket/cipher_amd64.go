//go:build !purego

package mpacket

import (
	"crypto/aes"
	"encoding/binary"
)

// roundKeys are the keys of the ten rounds of AES-128 and of what goes before them.
type roundKeys [11 * aes.BlockSize]byte

// fastCFB8 is CFB8 with a key of 16 bytes, the only length that the protocol has, by the processor's
// own instructions. crypto/aes has them, too, but takes one block a call: that costs more than the block
// while encrypting, and leaves nothing to overlap while decrypting.
type fastCFB8 struct {
	keys   roundKeys
	window [aes.BlockSize]byte // the encrypted bytes before the next one
}

// groupBytes are decrypted at once. Eight blocks keep the processor's AES units busy.
const groupBytes = 8

var haveAES = hasAES()

// newFastCFB8 returns nil for other keys and on processors without AES. The key and the IV are known to be valid.
func newFastCFB8(key, iv []byte) cfb8Engine {
	if !haveAES || len(key) != aes.BlockSize {
		return nil
	}
	f := &fastCFB8{window: [aes.BlockSize]byte(iv)}
	copy(f.keys[:], key)
	factor := byte(1) // doubles in the field of AES with each round
	for at := len(key); at < len(f.keys); at += 4 {
		word := binary.LittleEndian.Uint32(f.keys[at-4:])
		if at%len(key) == 0 {
			word = subRotWord(word) ^ uint32(factor)
			factor = factor<<1 ^ factor>>7*0x1b
		}
		binary.LittleEndian.PutUint32(f.keys[at:], word^binary.LittleEndian.Uint32(f.keys[at-len(key):]))
	}
	return f
}

func (f *fastCFB8) encrypt(dst, src []byte) {
	if len(src) > 0 {
		encryptBytes(&f.keys, &f.window, &dst[0], &src[0], len(src))
	}
}

func (f *fastCFB8) decrypt(dst, src []byte) {
	whole := len(src) / groupBytes * groupBytes
	if whole > 0 {
		decryptGroups(&f.keys, &f.window, &dst[0], &src[0], whole/groupBytes)
	}
	if whole == len(src) {
		return
	}
	var in, out [groupBytes]byte
	n := copy(in[:], src[whole:])
	window := f.window
	decryptGroups(&f.keys, &window, &out[0], &in[0], 1)
	copy(dst[whole:], out[:n])
	copy(f.window[:], f.window[n:])
	copy(f.window[aes.BlockSize-n:], in[:n])
}

// hasAES reports whether the processor has the instructions used here.
func hasAES() bool

// subRotWord puts each byte through the S-box of AES and rotates them by one.
func subRotWord(word uint32) uint32

// encryptBytes encrypts count bytes, 1 at least, and moves the window past them.
//
//go:noescape
func encryptBytes(keys *roundKeys, window *[aes.BlockSize]byte, dst, src *byte, count int)

// decryptGroups decrypts groups of groupBytes bytes, 1 at least, and moves the window past them.
//
//go:noescape
func decryptGroups(keys *roundKeys, window *[aes.BlockSize]byte, dst, src *byte, groups int)
