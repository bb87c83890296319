package http1

// known is a head that was parsed on a connection. Servers repeat their heads to the byte,
// but for Date, which changes once a second, and Content-Length. A head that is equal to the known
// one, or has other digits where the known one has those of its only Content-Length, means the same
// but for that length, so nothing in it needs to be parsed. Whatever differs elsewhere is parsed.
type known struct {
	head  Head   // its raw is the copy that belongs to known; empty when none is known
	class uint32 // the session's: of the entries that want just what this head has; 0: none, or not looked at
	plain bool   // the session's: replies with this head are plain
}

// memory holds the two heads that were seen last, so that neither is parsed again where they take turns, as
// the statuses of a mixed workload do.
type memory struct {
	heads  [2]known
	latest uint8
}

// last is the head that was recognised or parsed last.
func (m *memory) last() *known { return &m.heads[m.latest] }

// turn makes the other head the last one.
func (m *memory) turn() { m.latest ^= 1 }

// match looks for the head that in begins with, the last one first, and makes it the last one: see known.match.
func (m *memory) match(in []byte) (headBytes int, length int64) {
	for range m.heads {
		if headBytes, length = m.last().match(in); headBytes > 0 {
			return headBytes, length
		}
		m.turn()
	}
	return 0, 0
}

// learn remembers a head that was parsed without a problem. raw is what the server sent.
func (k *known) learn(h *Head, raw []byte) {
	k.forget()
	if len(raw) > knownBytesMax {
		return
	}
	own := k.head.raw
	k.head = *h
	k.head.raw = append(own, raw...)
}

func (k *known) forget() { *k = known{head: Head{raw: k.head.raw[:0]}} }

// match returns the length of the head that in begins with, and its Content-Length, if that head
// means the same as the known one; else 0.
func (k *known) match(in []byte) (headBytes int, length int64) {
	raw := k.head.raw
	if len(in) >= len(raw) && string(in[:len(raw)]) == string(raw) {
		return len(raw), k.head.Length
	}
	return k.matchOtherLength(in)
}

// matchOtherLength is match for heads with another Content-Length.
func (k *known) matchOtherLength(in []byte) (headBytes int, length int64) {
	raw, at, to := k.head.raw, k.head.lengthAt, k.head.lengthTo
	if at == 0 || len(in) < at || string(in[:at]) != string(raw[:at]) {
		return 0, 0
	}
	end := at
	for end < len(in) && end < at+lengthDigitsMax && isDigit(in[end]) {
		length = length*10 + int64(in[end]-'0')
		end++
	}
	rest := raw[to:] // begins with what ends the digits
	if end == at || len(in) < end+len(rest) || string(in[end:end+len(rest)]) != string(rest) {
		return 0, 0
	}
	return end + len(rest), length
}

// lengthDigitsMax is how many digits fit an int64 whatever they are. Longer numbers are parsed.
const lengthDigitsMax = 18
