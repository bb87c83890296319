package mpacket

import (
	"encoding/binary"
	"strconv"
	"strings"
	"unicode/utf16"
)

// The ping of clients before 1.7. It has no frames, and its text is UTF-16, big endian. Servers of today
// still answer it.
const (
	legacyPingID = 0xfe // first byte of a request
	legacyKickID = 0xff // first byte of the answer
	// legacyProtocol is the version that current servers name, so that old clients see them as newer.
	legacyProtocol = 127
	// legacyPluginID and legacyChannel begin what clients of 1.6 add to their request.
	legacyPluginID = 0xfa
	legacyChannel  = "MC|PingHost"
	// maxLegacyUnits is the limit of an answer.
	maxLegacyUnits = 1024
)

// LegacyStatus is the answer to a legacy ping.
type LegacyStatus struct {
	Protocol    int    // 0 when the server is older than 1.4
	Version     string // "" when the server is older than 1.4
	Description string
	Online, Max int
}

// AppendLegacyPing appends the request of a 1.6 client, which every older and newer server answers.
func AppendLegacyPing(dst []byte, host string, port uint16) []byte {
	const protocol1_6_4 = 78
	dst = append(dst, legacyPingID, 1, legacyPluginID)
	dst = appendUTF16(dst, legacyChannel)
	units := len(utf16.Encode([]rune(host)))
	dst = AppendUint16(dst, uint16(7+2*units))
	dst = appendUTF16(append(dst, protocol1_6_4), host)
	return AppendUint32(dst, uint32(port))
}

// AppendBinary appends the answer to a ping of 1.4 to 1.6 clients. Text with a NUL character, which
// separates the fields, fails with ErrOutOfRange, an answer above 1,024 UTF-16 units with ErrOverLimit.
func (s LegacyStatus) AppendBinary(dst []byte) ([]byte, error) {
	if strings.ContainsRune(s.Version+s.Description, 0) {
		return dst, homeless(ErrOutOfRange, "legacy status")
	}
	fields := []string{"§1", strconv.Itoa(s.Protocol), s.Version, s.Description, strconv.Itoa(s.Online), strconv.Itoa(s.Max)}
	return appendKick(dst, strings.Join(fields, "\x00"))
}

// appendBeta appends the answer to a ping of clients before 1.4, in which § separates the fields.
func (s LegacyStatus) appendBeta(dst []byte) ([]byte, error) {
	description := strings.ReplaceAll(s.Description, "§", "")
	return appendKick(dst, description+"§"+strconv.Itoa(s.Online)+"§"+strconv.Itoa(s.Max))
}

func appendKick(dst []byte, text string) ([]byte, error) {
	if kind := badText([]byte(text), maxLegacyUnits); kind != ErrShort {
		return dst, homeless(kind, "legacy status")
	}
	return appendUTF16(append(dst, legacyKickID), text), nil
}

// appendUTF16 appends a string with the number of its UTF-16 units in two bytes.
func appendUTF16(dst []byte, s string) []byte {
	units := utf16.Encode([]rune(s))
	dst = AppendUint16(dst, uint16(len(units)))
	for _, unit := range units {
		dst = AppendUint16(dst, unit)
	}
	return dst
}

// ConsumeLegacyStatus reads an answer of either form. n is 0 when b is too short, -ErrBadPacket when it
// is no answer and -ErrOverLimit when it is longer than 1,024 UTF-16 units.
func ConsumeLegacyStatus(b []byte) (s LegacyStatus, n int) {
	switch {
	case len(b) > 0 && b[0] != legacyKickID:
		return LegacyStatus{}, -int(ErrBadPacket)
	case len(b) < 3:
		return LegacyStatus{}, 0
	}
	units := make([]uint16, min(int(binary.BigEndian.Uint16(b[1:])), maxLegacyUnits+1))
	switch n = 3 + 2*len(units); {
	case len(units) > maxLegacyUnits:
		return LegacyStatus{}, -int(ErrOverLimit)
	case len(b) < n:
		return LegacyStatus{}, 0
	}
	for i := range units {
		units[i] = binary.BigEndian.Uint16(b[3+2*i:])
	}
	s, ok := parseLegacyText(string(utf16.Decode(units)))
	if !ok {
		return LegacyStatus{}, -int(ErrBadPacket)
	}
	return s, n
}

func parseLegacyText(text string) (s LegacyStatus, ok bool) {
	var protocol, online, maxPlayers string
	if rest, modern := strings.CutPrefix(text, "§1\x00"); modern {
		fields := strings.Split(rest, "\x00")
		if len(fields) != 5 {
			return s, false
		}
		protocol, s.Version, s.Description, online, maxPlayers = fields[0], fields[1], fields[2], fields[3], fields[4]
	} else {
		fields := strings.Split(text, "§")
		if len(fields) != 3 {
			return s, false
		}
		protocol, s.Description, online, maxPlayers = "0", fields[0], fields[1], fields[2]
	}
	for _, number := range []struct {
		text string
		to   *int
	}{{protocol, &s.Protocol}, {online, &s.Online}, {maxPlayers, &s.Max}} {
		v, err := strconv.Atoi(number.text)
		if err != nil {
			return LegacyStatus{}, false
		}
		*number.to = v
	}
	return s, true
}
