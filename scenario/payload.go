package scenario

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"unicode/utf8"

	"dyno/internal/words"
)

// table is a CSV file whose rows become variables of users.
type table struct {
	fields   []string
	rows     [][]any
	sequence bool
	all      any    // loadAll without an order: every row, for the variable name
	name     string // of the variable that gets all rows, or a whole one; "": fields get its cells
}

// payloadBytesMax bounds what is kept in memory.
const payloadBytesMax = 256 << 20

func (r *reader) payloads(p *Program, _ *Script) error {
	for i, spec := range p.config.Payload {
		err := r.under(func() error {
			t, err := r.payload(spec)
			if err != nil {
				return r.fault(err)
			}
			p.tables = append(p.tables, t)
			return nil
		}, "config", "payload", strconv.Itoa(i))
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) payload(spec Payload) (*table, error) {
	switch {
	case spec.Path == "":
		return nil, errors.New("a payload needs the \"path\" of a CSV file")
	case spec.Order != "" && spec.Order != "random" && spec.Order != "sequence":
		return nil, fmt.Errorf("\"order\": %s", words.Unknown("order", spec.Order, []string{"random", "sequence"}))
	case spec.LoadAll && spec.Name == "":
		return nil, errors.New("\"loadAll\" needs a \"name\", that of the variable that gets all rows")
	case !spec.LoadAll && len(spec.Fields) == 0:
		return nil, errors.New("a payload needs \"fields\", the names of the variables that its columns become")
	case spec.Delimiter != "" && utf8.RuneCountInString(spec.Delimiter) != 1:
		return nil, fmt.Errorf("\"delimiter\" %s; one character is needed", words.Quote(spec.Delimiter))
	}
	rows, err := readCSV(r.beside(spec.Path), spec)
	if err != nil {
		return nil, fmt.Errorf("the payload %s: %w", words.Quote(spec.Path), err)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("the payload %s has no rows; add some, or remove the payload", words.Quote(spec.Path))
	}
	t := &table{fields: spec.Fields, rows: rows, sequence: spec.Order == "sequence"}
	if spec.LoadAll {
		t.name = spec.Name
		if spec.Order == "" {
			t.all = t.everything()
		}
	}
	return t, nil
}

// everything is all rows, each an object where fields are named. (With an order given, loadAll hands
// over one row instead, as with Artillery.)
func (t *table) everything() any {
	list := make([]any, len(t.rows))
	for i, row := range t.rows {
		if len(t.fields) == 0 {
			list[i] = row
			continue
		}
		object := make(map[string]any, len(t.fields))
		for j, field := range t.fields {
			if j < len(row) {
				object[field] = row[j]
			}
		}
		list[i] = object
	}
	return list
}

// give sets the variables of user i (from 0).
func (t *table) give(u *user, i int64) {
	if t.all != nil {
		u.set(t.name, t.all)
		return
	}
	at := int(i % int64(len(t.rows)))
	if !t.sequence {
		at = u.runner.rand.IntN(len(t.rows))
	}
	row := t.rows[at]
	if t.name != "" {
		u.set(t.name, row)
		return
	}
	for j, field := range t.fields {
		if j < len(row) {
			u.set(field, row[j])
		} else {
			u.set(field, undefined)
		}
	}
}

// readCSV reads rows of values.
func readCSV(path string, spec Payload) ([][]any, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w; correct its path, which counts from the script", errors.Unwrap(err))
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, payloadBytesMax+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w; is it a file?", err)
	case len(data) > payloadBytesMax:
		return nil, fmt.Errorf("more than %d bytes; use a smaller file", payloadBytesMax)
	}
	c := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	c.FieldsPerRecord = -1
	c.ReuseRecord = true
	if spec.Delimiter != "" {
		c.Comma, _ = utf8.DecodeRuneInString(spec.Delimiter)
	}
	var rows [][]any
	for first := true; ; first = false {
		record, err := c.Read()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%w; is it CSV with the delimiter %q?", err, c.Comma)
		}
		if first && spec.SkipHeader {
			continue
		}
		row := make([]any, len(record))
		for i, cell := range record {
			row[i] = cell
			if f, ok := parseNumber(cell); ok && (spec.Cast == nil || *spec.Cast) {
				row[i] = f
			}
		}
		rows = append(rows, row)
	}
}
