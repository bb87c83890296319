package mpacket

import (
	"bytes"
	"encoding/json"
	"testing"
)

type packetCase struct {
	Name     string          `json:"name"`
	Packet   string          `json:"packet"`
	Hex      blob            `json:"hex"`
	Value    json.RawMessage `json:"value"`
	Error    string          `json:"error"`
	Protocol int32           `json:"protocol"`
	Reads    bool            `json:"reads"`
	Writes   bool            `json:"writes"`
}

type (
	jsonHandshake struct {
		Protocol int32     `json:"protocol"`
		Host     string    `json:"host"`
		Port     uint16    `json:"port"`
		Next     NextState `json:"next"`
	}
	jsonText struct {
		JSON string `json:"json"`
	}
	jsonPing struct {
		Payload string `json:"payload"`
	}
	jsonLogin struct {
		Name string `json:"name"`
		ID   string `json:"id"`
	}
	jsonThreshold struct {
		Threshold int32 `json:"threshold"`
	}
	jsonLegacyPing struct {
		Host string `json:"host"`
		Port uint16 `json:"port"`
	}
	jsonLegacyStatus struct {
		Protocol    int    `json:"protocol"`
		Version     string `json:"version"`
		Description string `json:"description"`
		Online      int    `json:"online"`
		Max         int    `json:"max"`
	}
)

func TestPacketVectors(t *testing.T) {
	for _, c := range readVectors[packetCase](t, "packets") {
		t.Run(c.Name, func(t *testing.T) {
			if !c.Writes {
				c.checkParse(t)
			}
			if c.Error == "" && !c.Reads {
				got, err := c.write(t)
				if err != nil || !bytes.Equal(got, append([]byte{7}, c.Hex...)) {
					t.Errorf("wrote %x (%v), want %x after the 7", got, err, c.Hex)
				}
			}
		})
	}
}

func (c *packetCase) checkParse(t *testing.T) {
	value, err := c.parse(t)
	if got := kindName(err); got != c.Error {
		t.Fatalf("parsing gives error %q, want %q", got, c.Error)
	}
	shown, _ := json.Marshal(value)
	if c.Error == "" && !sameJSON(t, shown, c.Value) {
		t.Errorf("parsed %s, want %s", shown, c.Value)
	}
}

func (c *packetCase) parse(t *testing.T) (value any, err error) {
	switch c.Packet {
	case "handshake":
		h, err := ParseHandshake(c.Hex)
		return jsonHandshake(h), err
	case "status-request":
		return struct{}{}, ParseStatusRequest(c.Hex)
	case "status-response":
		text, err := ParseStatusResponse(c.Hex)
		return jsonText{text}, err
	case "login-disconnect":
		text, err := ParseLoginDisconnect(c.Hex)
		return jsonText{text}, err
	case "ping":
		payload, err := ParsePing(c.Hex)
		return jsonPing{showInt64(payload)}, err
	case "login-start":
		l, err := ParseLoginStart(c.Hex, c.Protocol)
		return jsonLogin{l.Name, l.ID.String()}, err
	case "set-compression":
		threshold, err := ParseSetCompression(c.Hex)
		return jsonThreshold{threshold}, err
	case "legacy-status":
		s, n := ConsumeLegacyStatus(c.Hex)
		return jsonLegacyStatus(s), ParseError(n)
	}
	t.Fatalf("unknown packet %q", c.Packet)
	return nil, nil
}

// write appends the packet to a 7.
func (c *packetCase) write(t *testing.T) ([]byte, error) {
	dst := []byte{7}
	switch c.Packet {
	case "handshake":
		return Handshake(unmarshal[jsonHandshake](c.Value)).AppendBinary(dst)
	case "status-request":
		return AppendStatusRequest(dst), nil
	case "status-response":
		return AppendStatusResponse(dst, unmarshal[jsonText](c.Value).JSON)
	case "login-disconnect":
		return AppendLoginDisconnect(dst, unmarshal[jsonText](c.Value).JSON)
	case "ping":
		return AppendPing(dst, must(parseInt64(unmarshal[jsonPing](c.Value).Payload))), nil
	case "login-start":
		l := unmarshal[jsonLogin](c.Value)
		return LoginStart{Name: l.Name, ID: must(ParseUUID(l.ID))}.Append(dst, c.Protocol)
	case "set-compression":
		return AppendSetCompression(dst, unmarshal[jsonThreshold](c.Value).Threshold), nil
	case "legacy-ping":
		p := unmarshal[jsonLegacyPing](c.Value)
		return AppendLegacyPing(dst, p.Host, p.Port), nil
	case "legacy-status":
		return LegacyStatus(unmarshal[jsonLegacyStatus](c.Value)).AppendBinary(dst)
	}
	t.Fatalf("unknown packet %q", c.Packet)
	return nil, nil
}
