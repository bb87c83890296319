package mpacket

// The packets that open a connection of the Minecraft Java protocol, without their frames. Each has an
// AppendBinary method or an Append function for its ID and fields, and a Parse function that rejects
// any other ID with ErrBadPacket and left-over bytes with ErrTrailing. All errors are *Error.

// The limits of text in these packets, in UTF-16 code units.
const (
	MaxHostUnits = 255
	MaxNameUnits = 16
	// MaxTextUnits is the limit of a text component in JSON.
	MaxTextUnits = 262_144
)

// DefaultPort is where servers listen unless told otherwise.
const DefaultPort = 25565

// NextState is what a client wants from a connection.
type NextState int32

// The states that a handshake can ask for.
const (
	NextStatus   NextState = 1
	NextLogin    NextState = 2
	NextTransfer NextState = 3 // a login by a client that another server sent, since 1.20.5
)

// Handshake is the first packet of a connection, ID 0.
type Handshake struct {
	Protocol int32 // version of the protocol; -1 by custom for a mere ping
	Host     string
	Port     uint16
	Next     NextState
}

// AppendBinary appends the packet. A Host that is too long or no UTF-8 fails.
func (h Handshake) AppendBinary(dst []byte) ([]byte, error) {
	w := Writer{buf: dst}
	w.WriteVarInt(0)
	w.WriteVarInt(h.Protocol)
	w.WriteStringMax(h.Host, MaxHostUnits)
	w.WriteUint16(h.Port)
	w.WriteVarInt(int32(h.Next))
	return w.result(dst)
}

// ParseHandshake reads the packet. A state other than the three fails with ErrBadPacket.
func ParseHandshake(packet []byte) (Handshake, error) {
	r := openPacket(packet, 0)
	h := Handshake{Protocol: r.ReadVarInt(), Host: r.ReadStringMax(MaxHostUnits), Port: r.ReadUint16()}
	if h.Next = NextState(r.ReadVarInt()); h.Next < NextStatus || h.Next > NextTransfer {
		r.fail(ErrBadPacket, "next state")
	}
	return finish(&r, h)
}

// openPacket returns a Reader past the packet ID, failed when that is another one.
func openPacket(packet []byte, id int32) Reader {
	r := Reader{buf: packet}
	if got := r.ReadVarInt(); got != id && r.Err() == nil {
		r.off = 0
		r.fail(ErrBadPacket, "packet ID")
	}
	return r
}

// finish returns what was read, or its zero value and the error.
func finish[T any](r *Reader, v T) (T, error) {
	if err := r.Finish(); err != nil {
		var zero T
		return zero, err
	}
	return v, nil
}

// AppendStatusRequest appends the packet that asks for a StatusResponse, ID 0.
func AppendStatusRequest(dst []byte) []byte { return append(dst, 0) }

// ParseStatusRequest checks that packet is a status request.
func ParseStatusRequest(packet []byte) error {
	r := openPacket(packet, 0)
	return r.Finish()
}

// AppendStatusResponse appends the answer to a status request, ID 0: a Status as JSON of at most
// MaxStringUnits.
func AppendStatusResponse(dst []byte, json string) ([]byte, error) {
	w := Writer{buf: dst}
	w.WriteVarInt(0)
	w.WriteString(json)
	return w.result(dst)
}

// ParseStatusResponse returns the JSON in the answer to a status request.
func ParseStatusResponse(packet []byte) (json string, err error) {
	r := openPacket(packet, 0)
	return finish(&r, r.ReadString())
}

// AppendPing appends a ping or the pong that answers it, ID 1: any number, sent back as it came.
func AppendPing(dst []byte, payload int64) []byte { return AppendInt64(append(dst, 1), payload) }

// ParsePing returns the number in a ping or a pong.
func ParsePing(packet []byte) (payload int64, err error) {
	r := openPacket(packet, 1)
	return finish(&r, r.ReadInt64())
}
