package mpacket

import "encoding/binary"

// SkipNBT checks the NBT value at the start of b and returns its length, without decoding it and
// without allocating. n is 0 when b ends inside the value; else it is -ErrBadNBT, -ErrNegative,
// -ErrBadUTF8 or, past MaxNBTDepth or MaxNBTValues, -ErrOverLimit.
func SkipNBT(b []byte, form NBTForm) (n int) {
	s := nbtScanner{b: b}
	if !s.root(form) {
		return -int(s.kind)
	}
	return s.off
}

// nbtScanner walks over NBT and checks it. Decoding starts only when it has passed, and therefore
// needs no checks of its own.
type nbtScanner struct {
	b      []byte
	off    int
	values int
	kind   Kind // why the walk failed; ErrShort by default
}

func (s *nbtScanner) bad(kind Kind) bool {
	s.kind = kind
	return false
}

func (s *nbtScanner) left() int { return len(s.b) - s.off }

func (s *nbtScanner) skip(n int) bool {
	if s.left() < n {
		return false
	}
	s.off += n
	return true
}

func (s *nbtScanner) root(form NBTForm) bool {
	tag, ok := s.tag()
	switch {
	case !ok:
		return false
	case tag == TagEnd && form == NBTNetwork:
		return true
	case tag == TagEnd || form == NBTFile && tag != TagCompound:
		return s.bad(ErrBadNBT)
	case form == NBTFile && !s.text():
		return false
	}
	return s.payload(tag, 1)
}

// tag reads a tag, which must be a known one.
func (s *nbtScanner) tag() (tag NBTTag, ok bool) {
	if !s.skip(1) {
		return 0, false
	}
	tag = NBTTag(s.b[s.off-1])
	if tag >= tagCount {
		return 0, s.bad(ErrBadNBT)
	}
	return tag, true
}

// text passes over a string, which must be valid modified UTF-8.
func (s *nbtScanner) text() bool {
	if s.left() < 2 {
		return false
	}
	length := int(binary.BigEndian.Uint16(s.b[s.off:]))
	if s.left() < 2+length {
		return false
	}
	start := s.off + 2
	s.off = start + length
	if !validModifiedUTF8(s.b[start:s.off]) {
		return s.bad(ErrBadUTF8)
	}
	return true
}

// payload passes over a value whose tag was read. depth is that of the value, from 1.
func (s *nbtScanner) payload(tag NBTTag, depth int) bool {
	if s.values++; s.values > MaxNBTValues || tooDeep(tag, depth) {
		return s.bad(ErrOverLimit)
	}
	switch tag {
	case TagByteArray:
		return s.array(1)
	case TagIntArray:
		return s.array(4)
	case TagLongArray:
		return s.array(8)
	case TagString:
		return s.text()
	case TagList:
		return s.list(depth)
	case TagCompound:
		return s.compound(depth)
	}
	return s.skip(nbtMinSize[tag])
}

func tooDeep(tag NBTTag, depth int) bool {
	return depth > MaxNBTDepth && (tag == TagList || tag == TagCompound)
}

// array passes over a counted run of numbers.
func (s *nbtScanner) array(width int) bool {
	count, ok := s.count()
	return ok && count <= s.left()/width && s.skip(count*width)
}

// count reads the four bytes that count what follows.
func (s *nbtScanner) count() (count int, ok bool) {
	if !s.skip(4) {
		return 0, false
	}
	n := int32(binary.BigEndian.Uint32(s.b[s.off-4:]))
	if n < 0 {
		return 0, s.bad(ErrNegative)
	}
	return int(n), true
}

func (s *nbtScanner) list(depth int) bool {
	tag, ok := s.tag()
	if !ok {
		return false
	}
	count, ok := s.count()
	switch {
	case !ok:
		return false
	case count == 0:
		return true
	case tag == TagEnd: // elements of no size: a list of any length in five bytes
		return s.bad(ErrBadNBT)
	case count > MaxNBTValues-s.values:
		return s.bad(ErrOverLimit)
	case count > s.left()/nbtMinSize[tag]:
		return false
	}
	for range count {
		if !s.payload(tag, depth+1) {
			return false
		}
	}
	return true
}

func (s *nbtScanner) compound(depth int) bool {
	for {
		tag, ok := s.tag()
		if !ok || tag == TagEnd {
			return ok
		}
		if !s.text() || !s.payload(tag, depth+1) {
			return false
		}
	}
}
