//go:build !amd64 || purego

package mpacket

// newFastCFB8 returns nil: here crypto/aes does all the work.
func newFastCFB8(_, _ []byte) cfb8Engine { return nil }
