package mpacket

// The versions of the protocol that changed the login start packet.
const (
	protocol1_19   = 759 // added an optional signature
	protocol1_19_1 = 760 // added an optional UUID
	protocol1_20_2 = 764 // made the UUID mandatory
)

// LoginStart is the first packet of a client that wants to join, ID 0.
type LoginStart struct {
	Name string
	ID   UUID // all zeros when unknown; sent and read since 1.19.1
}

// Append appends the packet as a client of that version of the protocol sends it. The signature of
// 1.19 and 1.19.1 is left out, as clients without a Microsoft account do. A Name above MaxNameUnits fails.
func (l LoginStart) Append(dst []byte, protocol int32) ([]byte, error) {
	w := Writer{buf: dst}
	w.WriteVarInt(0)
	w.WriteStringMax(l.Name, MaxNameUnits)
	if protocol == protocol1_19 || protocol == protocol1_19_1 {
		w.WriteBool(false)
	}
	switch {
	case protocol >= protocol1_20_2:
		w.WriteUUID(l.ID)
	case protocol >= protocol1_19_1:
		id := &l.ID
		if l.ID == (UUID{}) {
			id = nil
		}
		WriteOptional(&w, id, (*Writer).WriteUUID)
	}
	return w.result(dst)
}

// ParseLoginStart reads the packet of a client that named that version of the protocol in its
// handshake. A signature is passed over.
func ParseLoginStart(packet []byte, protocol int32) (LoginStart, error) {
	r := openPacket(packet, 0)
	l := LoginStart{Name: r.ReadStringMax(MaxNameUnits)}
	if (protocol == protocol1_19 || protocol == protocol1_19_1) && r.ReadBool() {
		r.Skip(8)     // when the key expires
		r.SkipBytes() // the key
		r.SkipBytes() // its signature
	}
	switch {
	case protocol >= protocol1_20_2:
		l.ID = r.ReadUUID()
	case protocol >= protocol1_19_1:
		l.ID, _ = ReadOptional(&r, (*Reader).ReadUUID)
	}
	return finish(&r, l)
}

// AppendLoginDisconnect appends the packet that turns a joining client away, ID 0, with a text component
// in JSON of at most MaxTextUnits.
func AppendLoginDisconnect(dst []byte, reasonJSON string) ([]byte, error) {
	w := Writer{buf: dst}
	w.WriteVarInt(0)
	w.WriteStringMax(reasonJSON, MaxTextUnits)
	return w.result(dst)
}

// ParseLoginDisconnect returns the reason as a text component in JSON.
func ParseLoginDisconnect(packet []byte) (reasonJSON string, err error) {
	r := openPacket(packet, 0)
	return finish(&r, r.ReadStringMax(MaxTextUnits))
}

// setCompressionID is the ID of the packet after which both sides compress.
const setCompressionID = 3

// AppendSetCompression appends the packet after which both sides compress, ID 3.
func AppendSetCompression(dst []byte, threshold int32) []byte {
	return AppendVarInt(append(dst, setCompressionID), threshold)
}

// ParseSetCompression returns the threshold in bytes; a negative one turns compression off.
func ParseSetCompression(packet []byte) (threshold int32, err error) {
	r := openPacket(packet, setCompressionID)
	return finish(&r, r.ReadVarInt())
}
