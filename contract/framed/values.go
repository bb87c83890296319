package framed

import "dyno/mpacket"

// payloads returns count payloads of lowBytes to highBytes each.
func (p probe) payloads(count, lowBytes, highBytes int) [][]byte {
	all := make([][]byte, count)
	for i := range all {
		all[i] = p.Bytes(p.Between(lowBytes, highBytes))
	}
	return all
}

// bulk returns payloads of 1 B to 64 KiB that make up totalBytes.
func (p probe) bulk(totalBytes int) [][]byte {
	var all [][]byte
	for left := totalBytes; left > 0; {
		n := min(p.Between(1, 64<<10), left)
		all = append(all, p.Bytes(n))
		left -= n
	}
	return all
}

// frames returns the payloads as they go over the wire, each with a minimal prefix.
func frames(payloads ...[]byte) []byte {
	var wire []byte
	for _, payload := range payloads {
		wire = mpacket.AppendFrame(wire, payload)
	}
	return wire
}

// paddedFrame returns a frame whose prefix takes prefixBytes, which must be at least as many as it
// needs.
func paddedFrame(payload []byte, prefixBytes int) []byte {
	return append(paddedVarInt(uint32(len(payload)), prefixBytes), payload...)
}

// paddedVarInt encodes v in exactly n bytes.
func paddedVarInt(v uint32, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(v)&0x7f | 0x80
		v >>= 7
	}
	b[n-1] &= 0x7f
	return b
}
