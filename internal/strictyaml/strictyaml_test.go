package strictyaml

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"dyno/internal/golden"
	"dyno/internal/words"
)

// level implements encoding.TextUnmarshaler, as callers' own types do.
type level string

func (l *level) UnmarshalText(b []byte) error {
	if string(b) != "low" && string(b) != "high" {
		return fmt.Errorf("%s", words.Unknown("level", string(b), []string{"low", "high"}))
	}
	*l = level(b)
	return nil
}

type common struct {
	Title string `yaml:"title"`
}

type cell struct {
	Size int `yaml:"size"`
}

type example struct {
	common  `yaml:",inline"`
	Blocks  int               `yaml:"blocks"`
	Small   int8              `yaml:"small"`
	Count   uint16            `yaml:"count"`
	Share   float64           `yaml:"share"`
	Slice   time.Duration     `yaml:"slice"`
	Quick   bool              `yaml:"quick"`
	Args    []string          `yaml:"args"`
	Env     map[string]string `yaml:"env"`
	Cells   []cell            `yaml:"cells"`
	Limit   *int              `yaml:"limit"`
	Level   level             `yaml:"level"`
	Free    any               `yaml:"free"`
	Plain   string
	Ignored string `yaml:"-"`
	//lint:ignore U1000 it proves that unexported fields are no keys
	hidden string
}

func TestDecodeFillsEveryKind(t *testing.T) {
	const file = "\ufeff# a comment\n" + `title: "1.10"
blocks: -3
small: 0x7f
count: 65535
share: 0.5
slice: 250ms
quick: true
args: [a, "2", 'c d']
env: {A: b}
cells:
  - size: 8
  - {size: 64}
limit: 7
level: high
free: {a: [1, x]}
plain: |
  two
  lines
`
	limit := 7
	want := example{
		common: common{"1.10"}, Blocks: -3, Small: 127, Count: 65535, Share: 0.5, Slice: 250 * time.Millisecond, Quick: true,
		Args: []string{"a", "2", "c d"}, Env: map[string]string{"A": "b"}, Cells: []cell{{8}, {64}}, Limit: &limit,
		Level: "high", Free: map[string]any{"a": []any{uint64(1), "x"}}, Plain: "two\nlines\n",
	}
	for _, ending := range []string{"\n", "\r\n"} {
		var got example
		if err := Decode("f.yaml", []byte(strings.ReplaceAll(file, "\n", ending)), &got); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("line ending %q:\n got %+v\nwant %+v", ending, got, want)
		}
	}
}

func TestDecodeIntoMapOfStructs(t *testing.T) {
	var got map[string]cell
	if err := Decode("f.yaml", []byte("a:\n  size: 1\nb: {size: 2}\n"), &got); err != nil {
		t.Fatal(err)
	}
	if want := (map[string]cell{"a": {1}, "b": {2}}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// badInputs are files that must be refused; the golden file holds what each says.
var badInputs = []struct{ name, file string }{
	{"empty file", ""},
	{"only a comment", "# nothing\n"},
	{"only a document mark", "---\n"},
	{"not a mapping: text", "hello\n"},
	{"not a mapping: list", "- a\n- b\n"},
	{"misspelt key", "title: x\nblokcs: 3\n"},
	{"key without likeness", "zzzzzzzz: 3\n"},
	{"key in wrong case", "Title: x\n"},
	{"ignored field", "ignored: x\n"},
	{"unexported field", "hidden: x\n"},
	{"nested unknown key", "cells:\n  - size: 1\n  - sice: 2\n"},
	{"duplicate key", "title: a\nblocks: 1\ntitle: b\n"},
	{"duplicate key in a flow mapping", "env: {A: b, A: c}\n"},
	{"number for text", "title: 1.10\n"},
	{"boolean for text", "title: true\n"},
	{"list for text", "title: [a]\n"},
	{"number in a list of text", "args: [a, 2]\n"},
	{"number in a map of text", "env: {WORKERS: 4}\n"},
	{"text for integer", "blocks: five\n"},
	{"quoted number for integer", "blocks: '5'\n"},
	{"float for integer", "blocks: 1.5\n"},
	{"integer too large", "blocks: 99999999999999999999\n"},
	{"integer above its type", "small: 128\n"},
	{"integer below its type", "small: -129\n"},
	{"negative for unsigned", "count: -1\n"},
	{"text for float", "share: half\n"},
	{"infinite float", "share: .inf\n"},
	{"not a number", "share: .nan\n"},
	{"text for boolean", "quick: yes\n"},
	{"duration without a unit", "slice: 250\n"},
	{"duration that is none", "slice: soon\n"},
	{"text for list", "args: a\n"},
	{"text for mapping", "env: a\n"},
	{"list for mapping", "env: [a]\n"},
	{"no value", "title:\nblocks: 1\n"},
	{"null value", "args: ~\n"},
	{"null item", "args: [a, ~]\n"},
	{"own type", "level: hihg\n"},
	{"own type, not text", "level: 3\n"},
	{"key that is no text", "1: a\n"},
	{"key that is a list", "? [a]\n: b\n"},
	{"anchor", "title: &t x\n"},
	{"alias", "title: *t\n"},
	{"tag", "title: !!binary aGk=\n"},
	{"merge key", "<<: {title: x}\n"},
	{"two documents", "title: x\n---\ntitle: y\n"},
	{"unclosed bracket", "args: [a, b\n"},
	{"unclosed brace", "env: {\n"},
	{"unclosed quote", "title: \"abc\n"},
	{"bad escape", "title: \"\\q\"\n"},
	{"colon in plain text", "title: a: b\n"},
	{"wrong indentation", "title: x\n  blocks: 3\n"},
	{"tab indentation", "cells:\n\t- size: 1\n"},
	{"reserved character", "title: @home\n"},
	{"binary", "\x7fELF\x02\x01\x01\x00\x00"},
	{"latin-1", "title: caf\xe9\n"},
	{"NUL in text", "title: a\x00b\n"},
	{"escape sequence", "title: \x1b[31mred\n"},
	{"newline in a key", "\"ti\\ntle\": x\n"},
	{"very long key", strings.Repeat("k", 5000) + ": x\n"},
	{"too large", "title: " + strings.Repeat("x", maxBytes) + "\n"},
	{"too many tokens", "args: [" + strings.Repeat("a,", 20000) + "]\n"},
	{"deep flow lists", "args: " + strings.Repeat("[", 5000) + "\n"},
	{"deep flow mappings", "env: " + strings.Repeat("{a: ", 3000) + "\n"},
	{"deep lists in one line", strings.Repeat("- ", 5000) + "\n"},
	{"deep explicit keys", strings.Repeat("? ", 5000) + "\n"},
	{"deep blocks", deepBlocks(200)},
	{"billion laughs", "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n"},
}

func deepBlocks(levels int) string {
	var b strings.Builder
	for i := range levels {
		fmt.Fprintf(&b, "%sa:\n", strings.Repeat(" ", i))
	}
	return b.String()
}

func TestDecodeRefusesInOneLine(t *testing.T) {
	var got strings.Builder
	for _, in := range badInputs {
		err := Decode("suite.yaml", []byte(in.file), &example{})
		if err == nil {
			t.Errorf("%s: no error", in.name)
			continue
		}
		checkErrorLine(t, "suite.yaml", err)
		fmt.Fprintf(&got, "%s\n    %v\n", in.name, err)
	}
	golden.Check(t, "errors.golden", got.String())
}

// checkErrorLine is the promise of every error: one line of sensible length that begins with the
// place.
func checkErrorLine(t *testing.T, path string, err error) {
	t.Helper()
	s := err.Error()
	var line, column int
	if n, _ := fmt.Sscanf(strings.TrimPrefix(s, path), ":%d:%d: ", &line, &column); n != 2 || line < 1 || column < 1 {
		t.Errorf("no file:line:column at the start of %q", s)
	}
	if strings.ContainsAny(s, "\n\r") || len(s) > 600 {
		t.Errorf("not one short line: %q", s)
	}
}

func TestReadFile(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.yaml")
	if err := os.WriteFile(path, []byte(strings.Repeat("#", 3*maxBytes)), 0o644); err != nil {
		t.Fatal(err)
	}
	data, err := ReadFile(path)
	if err != nil || len(data) != maxBytes+1 {
		t.Errorf("read %d bytes of a long file, %v", len(data), err)
	}
	for path, want := range map[string]string{
		folder:                    folder + ": not a file; put a YAML file there",
		folder + "/missing.yaml":  folder + "/missing.yaml: no such file or directory; check its name and its permissions",
		path + "/below-file.yaml": path + "/below-file.yaml: not a directory; check its name and its permissions",
	} {
		if _, err := ReadFile(path); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := ReadFile(folder + "/missing.yaml"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file is %v", err)
	}
}

func TestLocate(t *testing.T) {
	const file = "title: x\ncells:\n  - size: 1\n  - size: 2\nenv: {A: b}\n"
	for _, tt := range []struct {
		keys []string
		want string
	}{
		{nil, "f.yaml:1:1"},
		{[]string{"title"}, "f.yaml:1:8"},
		{[]string{"cells", "1", "size"}, "f.yaml:4:11"},
		{[]string{"cells", "1"}, "f.yaml:4:5"},
		{[]string{"cells", "9", "size"}, "f.yaml:3:3"},
		{[]string{"env", "A"}, "f.yaml:5:10"},
		{[]string{"missing"}, "f.yaml:1:1"},
	} {
		if got := Locate("f.yaml", []byte(file), tt.keys...); got != tt.want {
			t.Errorf("Locate(%v) = %s, want %s", tt.keys, got, tt.want)
		}
	}
	if got := Locate("f.yaml", []byte("a: ["), "a"); got != "f.yaml:1:1" {
		t.Errorf("Locate in a broken file = %s", got)
	}
}

func FuzzDecode(f *testing.F) {
	for _, in := range badInputs {
		if len(in.file) < 4096 {
			f.Add([]byte(in.file))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 4096 {
			t.Skip("size is bounded by a test of its own")
		}
		var first, second example
		err := Decode("f.yaml", data, &first)
		if err != nil {
			checkErrorLine(t, "f.yaml", err)
		}
		again := Decode("f.yaml", data, &second)
		if fmt.Sprint(err) != fmt.Sprint(again) {
			t.Errorf("two readings of\n%sdiffer: %v, %v", hex.Dump(data), err, again)
		}
		_ = Locate("f.yaml", data, "cells", "0", "size")
	})
}
