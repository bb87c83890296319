package mpacket

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Status is what a server says about itself in the server list.
type Status struct {
	Version     StatusVersion   `json:"version"`
	Players     *StatusPlayers  `json:"players,omitempty"`     // nil when the server hides them
	Description json.RawMessage `json:"description,omitempty"` // a text component
	Favicon     string          `json:"favicon,omitempty"`     // data:image/png;base64,…
	// EnforcesSecureChat says that players need a signed chat key.
	EnforcesSecureChat bool `json:"enforcesSecureChat,omitempty"`
}

// StatusVersion is the version of a server.
type StatusVersion struct {
	Name     string `json:"name"`
	Protocol int32  `json:"protocol"`
}

// StatusPlayers counts players and may name some.
type StatusPlayers struct {
	Max    int            `json:"max"`
	Online int            `json:"online"`
	Sample []StatusPlayer `json:"sample,omitempty"`
}

// StatusPlayer is a player who is online.
type StatusPlayer struct {
	Name string `json:"name"`
	ID   string `json:"id"`
}

// ParseStatus reads the JSON of a status response.
func ParseStatus(text string) (Status, error) {
	var s Status
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return Status{}, fmt.Errorf("mpacket: status response %.60q: %w; the server does not follow the protocol", text, err)
	}
	return s, nil
}

// PlainText returns the text of the description without its styles, "" when there is none.
func (s Status) PlainText() string {
	var component any
	if json.Unmarshal(s.Description, &component) != nil {
		return ""
	}
	var text strings.Builder
	writePlain(&text, component)
	return text.String()
}

// writePlain writes the text of a component: a string, a list of components, or an object with a text
// and more components.
func writePlain(to *strings.Builder, component any) {
	switch c := component.(type) {
	case string:
		to.WriteString(c)
	case []any:
		for _, part := range c {
			writePlain(to, part)
		}
	case map[string]any:
		writePlain(to, c["text"])
		writePlain(to, c["extra"])
	}
}

// TextComponent returns the JSON of a text component without styles.
func TextComponent(text string) json.RawMessage {
	component, err := json.Marshal(struct {
		Text string `json:"text"`
	}{text})
	if err != nil {
		panic("mpacket: a string has no JSON form: " + err.Error())
	}
	return component
}
