package mpacket

import (
	"encoding/hex"
	"fmt"
)

// UUID is a 128-bit identifier, most significant byte first.
type UUID [16]byte

// AppendUUID appends the 16 bytes of v.
func AppendUUID(b []byte, v UUID) []byte { return append(b, v[:]...) }

// ConsumeUUID reads 16 bytes. n is 0 when b is too short.
func ConsumeUUID(b []byte) (v UUID, n int) {
	if len(b) < len(v) {
		return UUID{}, 0
	}
	return UUID(b), len(v)
}

// String returns the lower-case form with dashes, 36 characters.
func (u UUID) String() string {
	dashed := make([]byte, 0, 36)
	for i, group := range [...][]byte{u[:4], u[4:6], u[6:8], u[8:10], u[10:]} {
		if i > 0 {
			dashed = append(dashed, '-')
		}
		dashed = hex.AppendEncode(dashed, group)
	}
	return string(dashed)
}

// ParseUUID reads 32 hexadecimal digits, with or without dashes in their usual places.
func ParseUUID(s string) (u UUID, err error) {
	digits := s
	if len(s) == 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-' {
		digits = s[:8] + s[9:13] + s[14:18] + s[19:23] + s[24:]
	}
	if len(digits) == 2*len(u) {
		if _, err = hex.Decode(u[:], []byte(digits)); err == nil {
			return u, nil
		}
	}
	return UUID{}, fmt.Errorf("mpacket: %.40q is no UUID: write 32 hexadecimal digits, with or without dashes", s)
}
