package mpacket

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

// run is a piece of bytes, repeated.
type run struct {
	Hex   string `json:"hex"`
	Times int    `json:"times"`
}

// blob is bytes in the notation of the vectors: hex, or a list of runs.
type blob []byte

func (b *blob) UnmarshalJSON(text []byte) error {
	var whole string
	if json.Unmarshal(text, &whole) == nil {
		decoded, err := hex.DecodeString(whole)
		*b = decoded
		return err
	}
	var runs []run
	if err := json.Unmarshal(text, &runs); err != nil {
		return err
	}
	*b = blob{}
	for _, r := range runs {
		piece, err := hex.DecodeString(r.Hex)
		if err != nil {
			return err
		}
		*b = append(*b, bytes.Repeat(piece, r.Times)...)
	}
	return nil
}

// readVectors reads a file of vectors into cases of type C.
func readVectors[C any](t testing.TB, name string) []C {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("vectors", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		About string `json:"about"`
		Cases []C    `json:"cases"`
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(file.Cases) == 0 || file.About == "" {
		t.Fatalf("%s: no cases, or not said what they are", name)
	}
	return file.Cases
}

// kindName returns the name by which the vectors know an error, "" for none.
func kindName(err error) string {
	var kind Kind
	switch {
	case err == nil:
		return ""
	case errors.As(err, &kind):
		return kind.String()
	}
	return err.Error()
}

type valueCase struct {
	Name       string          `json:"name"`
	Type       string          `json:"type"`
	Hex        blob            `json:"hex"`
	Value      json.RawMessage `json:"value"`
	Units      string          `json:"units"`
	Canonical  *blob           `json:"canonical"`
	Left       int             `json:"left"`
	Limit      *int            `json:"limit"`
	Error      string          `json:"error"`
	Strict     string          `json:"strict"`
	WriteError string          `json:"write_error"`
}

func (c *valueCase) limit(fallback int) int {
	if c.Limit != nil {
		return *c.Limit
	}
	return fallback
}

func TestValueVectors(t *testing.T) {
	for _, file := range []string{"varint", "varlong", "fixed", "string", "bytes", "fixed_values", "bitset", "array", "identifier", "nbt"} {
		for _, c := range readVectors[valueCase](t, file) {
			t.Run(file+"/"+c.Name, func(t *testing.T) {
				checkCase(t, &c)
				if c.Type == "array<varint>" {
					c.Type = "varints"
					checkCase(t, &c)
				}
			})
		}
	}
}

func checkCase(t *testing.T, c *valueCase) {
	codec, known := vectorCodecs[c.Type]
	if !known {
		t.Fatalf("no codec for type %q", c.Type)
	}
	if c.WriteError != "" {
		checkWriteError(t, c, codec)
		return
	}
	checkConsume(t, c, codec)
	checkRead(t, c, codec, false, c.Error)
	strict := c.Error
	if c.Strict != "" {
		strict = c.Strict
	}
	checkRead(t, c, codec, true, strict)
}

func checkWriteError(t *testing.T, c *valueCase, codec vectorCodec) {
	value := c.Value
	if c.Units != "" {
		value, _ = json.Marshal(c.Units)
		codec = vectorCodecs["string-units"]
	}
	var w Writer
	w.WriteByte(1)
	codec.write(&w, value, c)
	if got := kindName(w.Err()); got != c.WriteError {
		t.Errorf("writing gives error %q, want %q", got, c.WriteError)
	}
	if w.Bytes() != nil {
		t.Errorf("a failed Writer hands out %x", w.Bytes())
	}
}

// checkConsume checks the Consume function, and for what it read the Append function.
func checkConsume(t *testing.T, c *valueCase, codec vectorCodec) {
	if codec.consume == nil {
		return
	}
	in := bytes.Clone(c.Hex)
	value, n := codec.consume(in, c)
	if !bytes.Equal(in, c.Hex) {
		t.Error("consuming changed its input")
	}
	if c.Error != "" {
		if n > 0 || kindName(ParseError(n)) != c.Error {
			t.Errorf("consuming gives n = %d, want the error %q", n, c.Error)
		}
		return
	}
	if want := len(c.Hex) - c.Left; n != want {
		t.Fatalf("consuming gives n = %d, want %d", n, want)
	}
	checkValue(t, c, value, codec)
}

func checkRead(t *testing.T, c *valueCase, codec vectorCodec, strict bool, wantError string) {
	if strict && codec.lax {
		return
	}
	const before = 3 // bytes of another value, to see that offsets count from the start of the packet
	r := NewReader(append([]byte{9, 9, 9}, c.Hex...))
	r.Strict = strict
	r.Skip(before)
	value := codec.read(r, c)
	if got := kindName(r.Err()); got != wantError {
		t.Fatalf("strict %v: reading gives error %q, want %q", strict, got, wantError)
	}
	if wantError != "" {
		r.ReadByte()
		if kindName(r.Err()) != wantError || r.Remaining() != 0 {
			t.Errorf("strict %v: after the error there is %v and %d bytes", strict, r.Err(), r.Remaining())
		}
		return
	}
	if r.Remaining() != c.Left || r.Offset() != before+len(c.Hex)-c.Left {
		t.Errorf("strict %v: %d bytes remain at %d, want %d", strict, r.Remaining(), r.Offset(), c.Left)
	}
	checkValue(t, c, value, codec)
}

// checkValue compares a value that was read with the case, and writes it again in both ways.
func checkValue(t *testing.T, c *valueCase, value any, codec vectorCodec) {
	t.Helper()
	shown, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if c.Value != nil && !sameJSON(t, shown, expandText(c.Value)) {
		t.Errorf("read %.200s, want %.200s", shown, c.Value)
	}
	want := []byte(c.Hex[:len(c.Hex)-c.Left])
	if c.Canonical != nil {
		want = *c.Canonical
	}
	if codec.append != nil {
		if got := codec.append([]byte("x"), shown, c); string(got) != "x"+string(want) {
			t.Errorf("appended %.200x, want %.200x", got[1:], want)
		}
	}
	var w Writer
	codec.write(&w, shown, c)
	if !bytes.Equal(w.Bytes(), want) || w.Err() != nil {
		t.Errorf("wrote %.200x (%v), want %.200x", w.Bytes(), w.Err(), want)
	}
}

func sameJSON(t *testing.T, a, b json.RawMessage) bool {
	t.Helper()
	var compact [2]bytes.Buffer
	for i, text := range []json.RawMessage{a, b} {
		var value any
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		if err := decoder.Decode(&value); err != nil {
			t.Fatal(err)
		}
		if err := json.NewEncoder(&compact[i]).Encode(value); err != nil {
			t.Fatal(err)
		}
	}
	return compact[0].String() == compact[1].String()
}

// expandText spells out {"text": …, "times": …} and bytes given as runs.
func expandText(value json.RawMessage) json.RawMessage {
	var repeated struct {
		Text  string `json:"text"`
		Times int    `json:"times"`
	}
	if json.Unmarshal(value, &repeated) == nil && repeated.Times > 0 {
		value, _ = json.Marshal(strings.Repeat(repeated.Text, repeated.Times))
	}
	var runs []run
	var b blob
	if json.Unmarshal(value, &runs) == nil && len(runs) > 0 && runs[0].Times > 0 && b.UnmarshalJSON(value) == nil {
		value, _ = json.Marshal(hex.EncodeToString(b))
	}
	return value
}

// fromUnits makes a Go string of UTF-16 code units in hex. A surrogate without its other half gets the
// three bytes that a careless encoder would give it.
func fromUnits(text string) string {
	units, _ := hex.DecodeString(text)
	var out []byte
	for i := 0; i+1 < len(units); i += 2 {
		unit := rune(units[i])<<8 | rune(units[i+1])
		if utf16.IsSurrogate(unit) {
			out = appendSurrogate(out, unit)
		} else {
			out = utf8.AppendRune(out, unit)
		}
	}
	return string(out)
}
