// Package adhoc renders what one ad-hoc load did (dyno.LoadReport): as text for people, as JSON in
// dyno's own schema (SCHEMA.md), and in the formats of other load generators, key by key.
//
// It says what the report says and nothing more: it judges no server, compares nothing, and does no
// I/O but writing to the writer it is given.
package adhoc

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"dyno"
	"dyno/internal/words"
)

// Options say how text looks.
type Options struct {
	Width    int  // columns, 60 to 100; 0 means 100
	Color    bool // use bold and dim of the terminal
	Spectrum bool // add the whole latency distribution
}

// formats are the writers by the name that --format takes, with the protocols that they can hold.
var formats = []struct {
	name     string
	httpOnly bool
	write    func(*dyno.LoadReport) (string, error)
}{
	{"json", false, ownJSON},
	{"autocannon", true, autocannon},
	{"bombardier", true, bombardier},
	{"oha", true, oha},
	{"benchstat", false, benchstat},
}

// capacityProtocol stands for capacities among the protocols, which are written in formats of their own.
const capacityProtocol = "capacity"

// Formats lists the names that Write takes for a protocol, "http" or "framed", or WriteCapacityIn for "capacity".
func Formats(protocol string) []string {
	var names []string
	if protocol == capacityProtocol {
		for _, f := range capacityFormats {
			names = append(names, f.name)
		}
		return names
	}
	for _, f := range formats {
		if protocol == "http" || !f.httpOnly {
			names = append(names, f.name)
		}
	}
	return names
}

// CheckFormat says whether a report of a protocol can be written in a format.
func CheckFormat(format, protocol string) error {
	if protocol == capacityProtocol {
		if slices.Contains(Formats(protocol), format) {
			return nil
		}
		return errors.New(words.Unknown("format", format, Formats(protocol)))
	}
	for _, f := range formats {
		switch {
		case f.name != format:
		case f.httpOnly && protocol != "http":
			return fmt.Errorf("format %s holds HTTP figures only; choose from %s", format, strings.Join(Formats(protocol), ", "))
		default:
			return nil
		}
	}
	return fmt.Errorf("%s", words.Unknown("format", format, Formats(protocol)))
}

// Write writes the report in one of the Formats. The error is CheckFormat's or the writer's.
func Write(w io.Writer, r *dyno.LoadReport, format string) error {
	if err := CheckFormat(format, r.Protocol); err != nil {
		return err
	}
	for _, f := range formats {
		if f.name != format {
			continue
		}
		s, err := f.write(r)
		if err != nil {
			return fmt.Errorf("report as %s: %w", format, err)
		}
		return write(w, s)
	}
	return nil
}

func write(w io.Writer, s string) error {
	if _, err := io.WriteString(w, s); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}
