// Package strictyaml reads the small YAML files that people write for dyno: manifests, runtimes,
// suites. It takes only what it fully understands. A misspelt key, a key given twice, a number where
// text belongs, an empty value: each is an error of one line that names the file, the line and the
// column, the cause and the way out.
//
// It never guesses. The YAML library's own decoder is not used, because it turns the text 1.10 into
// "1.1" and the number 1.5 into the integer 1 without a word. Anchors, aliases and tags are refused,
// which no file of dyno needs and every YAML bomb does.
package strictyaml

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"dyno/internal/words"
)

const (
	// maxBytes and maxTokens are far above any file that a person writes. They keep the parser, which
	// needs quadratic time for some inputs, to a fraction of a second.
	maxBytes  = 64 << 10
	maxTokens = 10_000
	// maxDepth is far above any honest nesting; the parser recurses, and slows down, with depth.
	maxDepth = 32
	// maxIndent bounds the nesting of blocks, each of which is indented further than its parent.
	maxIndent = 4 * maxDepth
	// longestCause is how many characters of what the parser says an error line repeats.
	longestCause = 120
)

// Decode reads data into the struct or map that out points to. The path is what errors call the file.
// Keys come from `yaml:"name"` tags, else they are the field's name in lower case; embedded structs
// with the option "inline" share the keys of their parent, and a slice with the option "single" takes one
// item for a list of one. Fields may be structs, pointers, slices,
// maps with string keys, text, booleans, numbers, time.Duration, any, or implement
// encoding.TextUnmarshaler.
//
// Every error is one line: "file:line:column: cause; way out".
func Decode(path string, data []byte, out any) error {
	target := reflect.ValueOf(out)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		panic("strictyaml: out must be a pointer")
	}
	body, err := parse(path, data)
	if err != nil {
		return err
	}
	d := decoder{path: path}
	if body == nil {
		return at(path, 1, 1, "the file is empty; "+validKeys(target.Type().Elem()))
	}
	return d.value(body, target.Elem(), "the file")
}

// Keys returns the keys that Decode takes for a struct, in the order of its fields.
func Keys(of any) []string { return keysOf(fieldsOf(reflect.TypeOf(of))) }

// ReadFile reads a file for Decode, and no more of it than Decode takes. The error is one line.
func ReadFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a file; put a YAML file there", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; check its name and its permissions", path, errors.Unwrap(err))
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w; check its permissions", path, err)
	}
	return data, nil
}

// Locate returns "file:line:column" of the value that the keys lead to (list items by their decimal
// index), or of the last key on the way that exists. It serves checks that come after Decode, for
// errors about values that are well formed and still wrong.
func Locate(path string, data []byte, keys ...string) string {
	node, err := parse(path, data)
	if err != nil || node == nil {
		return path + ":1:1"
	}
	for _, key := range keys {
		next := child(node, key)
		if next == nil {
			break
		}
		node = next
	}
	line, column := position(node)
	return fmt.Sprintf("%s:%d:%d", path, line, column)
}

// child returns the value under a key of a mapping or at an index of a list, nil when there is none.
func child(node ast.Node, key string) ast.Node {
	switch n := node.(type) {
	case *ast.MappingNode:
		for _, pair := range n.Values {
			if name, ok := keyText(pair.Key); ok && name == key {
				return pair.Value
			}
		}
	case *ast.SequenceNode:
		for i, item := range n.Values {
			if fmt.Sprint(i) == key {
				return item
			}
		}
	}
	return nil
}

// parse returns the root node of the only document in data, nil when it holds nothing.
func parse(path string, data []byte) (root ast.Node, err error) {
	text, err := checkText(path, data)
	if err != nil {
		return nil, err
	}
	// The parser has panicked on malformed input before; to the user that is bad input too.
	defer func() {
		if recover() != nil {
			root, err = nil, at(path, 1, 1, "not valid YAML; check its indentation, colons and quotes")
		}
	}()
	tokens, err := checkTokens(path, text)
	if err != nil {
		return nil, err
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, syntaxError(path, err)
	}
	for _, doc := range file.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.CommentType {
			continue
		}
		if root != nil {
			line, column := position(doc.Body)
			return nil, at(path, line, column, "a second document; keep one document in a file and remove the --- line")
		}
		root = doc.Body
	}
	return root, nil
}

// syntaxError turns the parser's error, which spans lines and draws the source, into one line.
func syntaxError(path string, err error) error {
	line, column, cause := 1, 1, "not valid YAML"
	if parsed := yaml.Error(nil); errors.As(err, &parsed) {
		cause += ": " + words.Clip(parsed.GetMessage(), longestCause)
		if tk := parsed.GetToken(); tk != nil && tk.Position != nil {
			line, column = tk.Position.Line, tk.Position.Column
		}
	}
	return at(path, line, column, cause+"; check the indentation, colons and quotes there")
}

// at makes the error line. Whatever came from the file is kept from breaking the line.
func at(path string, line, column int, message string) error {
	return fmt.Errorf("%s:%d:%d: %s", path, max(line, 1), max(column, 1), oneLine(message))
}

func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
}

// position returns where a node starts, counted from 1. A block mapping begins at its first key; the
// parser would say its first colon.
func position(node ast.Node) (line, column int) {
	if m, ok := node.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		node = m.Values[0].Key
	}
	tk := node.GetToken()
	if tk == nil || tk.Position == nil {
		return 1, 1
	}
	return tk.Position.Line, tk.Position.Column
}

// checkText refuses what is not a text file of sensible size, before any parser sees it.
func checkText(path string, data []byte) (string, error) {
	if len(data) > maxBytes {
		return "", at(path, 1, 1, fmt.Sprintf("longer than the %d bytes that are read; is this the right file?", maxBytes))
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	line, column := 1, 1
	for i, r := range text {
		switch {
		case r == '\n':
			line, column = line+1, 0
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd"):
			return "", at(path, line, column, fmt.Sprintf("the byte 0x%02x is not UTF-8 text; is this a YAML file?", text[i]))
		case unicode.IsControl(r) && r != '\t' && r != '\r':
			return "", at(path, line, column, fmt.Sprintf("the control character %U; is this a YAML file?", r))
		}
		column++
	}
	return text, nil
}

// checkTokens refuses what could make the parser slow or deep: nesting, anchors, aliases and tags.
// The lexer itself takes linear time.
func checkTokens(path, text string) (token.Tokens, error) {
	tokens := lexer.Tokenize(text)
	if len(tokens) > maxTokens {
		return nil, at(path, 1, 1, fmt.Sprintf("%d words and marks, more than the %d that are read; is this the right file?", len(tokens), maxTokens))
	}
	flowDepth, lastLine := 0, 0
	for _, tk := range tokens {
		line, column := tk.Position.Line, tk.Position.Column
		opensLine := line != lastLine
		lastLine = line
		switch tk.Type {
		case token.AnchorType, token.AliasType:
			return nil, at(path, line, column, "anchors and aliases (& and *) are not read; write the value out, or put it in quotes if it is text")
		case token.TagType:
			return nil, at(path, line, column, "tags (!) are not read; remove the tag, or put the value in quotes if it is text")
		case token.MappingStartType, token.SequenceStartType:
			flowDepth++
		case token.MappingEndType, token.SequenceEndType:
			flowDepth--
		}
		block := tk.Type == token.SequenceEntryType || tk.Type == token.MappingKeyType || opensLine
		if flowDepth > maxDepth || block && column > maxIndent && flowDepth == 0 {
			return nil, at(path, line, column, fmt.Sprintf("nested more than %d levels deep; is this the right file?", maxDepth))
		}
	}
	return tokens, nil
}
