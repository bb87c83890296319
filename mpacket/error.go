package mpacket

import "strconv"

// Kind says what is wrong with a value. It is an error itself, so that callers can write
// errors.Is(err, mpacket.ErrShort). Its String is the name that vectors/*.json use.
//
// A Consume function that fails returns n = -int(kind); ParseError turns that into an error. ErrShort
// is therefore n = 0: nothing was read yet, and more input may help. No negative n can be helped.
type Kind uint8

// The kinds. Their order is part of the API: it gives the n of a failed Consume function.
const (
	ErrShort          Kind = iota // the input ends inside the value
	ErrTooLong                    // a VarInt, VarLong or frame length runs on past its longest form
	ErrPadded                     // strict: a VarInt, VarLong or frame length is longer than it must be
	ErrExtraBits                  // strict: the last byte of a VarInt or VarLong has bits that do not fit
	ErrNegative                   // a length or count below zero
	ErrOverLimit                  // a length, count, depth or size above its limit
	ErrEmpty                      // a frame without payload
	ErrTrailing                   // bytes are left over after the last value
	ErrBadUTF8                    // text that is not valid UTF-8 (in NBT: modified UTF-8)
	ErrBadBool                    // strict: a bool that is neither 0 nor 1
	ErrBadIdentifier              // an identifier with a character that is not allowed
	ErrBadNBT                     // an unknown tag, a root of the wrong type, a list of nothing that is not empty
	ErrBadZlib                    // compressed data that zlib cannot inflate
	ErrSizeMismatch               // compressed data that inflates to another size than it claims
	ErrBelowThreshold             // strict: a packet on the wrong side of the compression threshold
	ErrBudget                     // a connection that inflates far more than it sends
	ErrBadPacket                  // a packet ID or state that is not expected here
	ErrOutOfRange                 // writing: a value that its type cannot hold
	kindCount
)

var kinds = [kindCount]struct{ name, text string }{
	ErrShort:          {"short", "the input ends inside it; wait for more bytes or reject the packet"},
	ErrTooLong:        {"too-long", "it runs on past its longest form; reject the input"},
	ErrPadded:         {"padded", "it is longer than its value needs; reject it or leave strict mode"},
	ErrExtraBits:      {"extra-bits", "its last byte has bits that do not fit; reject it or leave strict mode"},
	ErrNegative:       {"negative", "it is below zero; reject the input"},
	ErrOverLimit:      {"over-limit", "it is above its limit; reject the input or raise the limit"},
	ErrEmpty:          {"empty", "it has no payload; reject it or allow empty frames"},
	ErrTrailing:       {"trailing", "bytes are left over here; reject the packet or read them too"},
	ErrBadUTF8:        {"bad-utf8", "it is not valid UTF-8; reject it or read it with a lossy function"},
	ErrBadBool:        {"bad-bool", "it is neither 0 nor 1; reject it or leave strict mode"},
	ErrBadIdentifier:  {"bad-identifier", "it is not of the form namespace:path in a-z 0-9 _ - . (and / in the path); correct it"},
	ErrBadNBT:         {"bad-nbt", "its tag is unknown or not allowed here; reject the input"},
	ErrBadZlib:        {"bad-zlib", "it is not intact zlib data; close the connection"},
	ErrSizeMismatch:   {"size-mismatch", "it does not inflate to the size it claims; close the connection"},
	ErrBelowThreshold: {"below-threshold", "its size is on the wrong side of the threshold; reject it or leave strict mode"},
	ErrBudget:         {"budget", "the connection inflates far more than it sends; close it or raise Burst and Ratio"},
	ErrBadPacket:      {"bad-packet", "it is not what the protocol expects here; close the connection"},
	ErrOutOfRange:     {"out-of-range", "its type cannot hold it; correct the value"},
}

// String returns the name of the kind as the vectors spell it.
func (k Kind) String() string {
	if k < kindCount {
		return kinds[k].name
	}
	return "kind-" + strconv.Itoa(int(k))
}

// Error makes a Kind an error.
func (k Kind) Error() string {
	return "mpacket: " + k.String() + ": " + k.text()
}

func (k Kind) text() string {
	if k < kindCount {
		return kinds[k].text
	}
	return "unknown kind; update mpacket"
}

// ParseError returns the error for the n of a Consume function: nil for n above 0, otherwise a Kind.
// It never allocates.
func ParseError(n int) error {
	if n > 0 {
		return nil
	}
	return Kind(-n)
}

// NoOffset is the Offset of an Error that has no place in a packet or stream.
const NoOffset = -1

// Error is a Kind with the place where it happened.
type Error struct {
	Kind   Kind
	What   string // the value that is wrong, such as "frame length"
	Offset int64  // byte at which that value starts, from the start of the packet or of the stream
}

// Error says the thing, the cause and the way out in one line.
func (e *Error) Error() string {
	what := e.What
	if e.Offset != NoOffset {
		what += " at byte " + strconv.FormatInt(e.Offset, 10)
	}
	return "mpacket: " + what + ": " + e.Kind.text()
}

// homeless returns an Error about a value that has no place.
func homeless(kind Kind, what string) error {
	return &Error{Kind: kind, What: what, Offset: NoOffset}
}

// Unwrap makes errors.Is(err, kind) true.
func (e *Error) Unwrap() error { return e.Kind }
