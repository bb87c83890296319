package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"dyno/host"
)

// result is what one item found: a small table.
type result struct {
	setting string    // what was measured, one line
	how     string    // how, one line
	heads   [2]string // what the value and the range are, e.g. "median", "min … max"
	rows    []row
}

// row is one figure with its unit ("" for a ratio) and, where there is one, its target.
type row struct {
	label  string
	unit   string
	figure spread
	target *target
}

// spreadRow makes a row of repetitions.
func spreadRow(label, unit string, xs []float64) row {
	return row{label: label, unit: unit, figure: minMax(xs)}
}

// target is what a figure must reach.
type target struct {
	atMost bool // else at least
	limit  float64
}

func (t target) met(value float64) bool {
	if t.atMost {
		return value <= t.limit
	}
	return value >= t.limit
}

func (t target) String() string {
	sign := "≥"
	if t.atMost {
		sign = "≤"
	}
	return sign + " " + strconv.FormatFloat(t.limit, 'g', -1, 64)
}

// missed returns a line for every figure that does not reach its target.
func (r result) missed(name string) []string {
	var lines []string
	for _, row := range r.rows {
		if row.target != nil && !row.target.met(row.figure.value) {
			lines = append(lines, fmt.Sprintf("%s: missed: %s is %s (%s … %s), target %v",
				name, row.label, number(row.figure.value, row.unit), number(row.figure.low, row.unit), number(row.figure.high, row.unit), row.target))
		}
	}
	return lines
}

// number writes a value without its unit, as exactly as its kind deserves.
func number(value float64, unit string) string {
	if math.IsInf(value, 1) {
		return "∞" // the upper end of a quotient of a few values
	}
	switch unit {
	case "/s":
		return thousands(strconv.FormatFloat(value, 'f', 0, 64))
	case "": // a ratio
		return strconv.FormatFloat(value, 'f', 3, 64)
	default:
		return strconv.FormatFloat(value, 'f', 2, 64)
	}
}

// thousands separates the digits of a whole number by commas.
func thousands(digits string) string {
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// inWords writes a length of time with its unit apart, e.g. "125 ms".
func inWords(d time.Duration) string {
	switch {
	case d%time.Second == 0:
		return fmt.Sprintf("%d s", d/time.Second)
	case d%time.Millisecond == 0:
		return fmt.Sprintf("%d ms", d/time.Millisecond)
	default:
		return fmt.Sprintf("%d µs", d/time.Microsecond)
	}
}

// line lays out one line of a table: label, value, unit, range, target, judgement.
func line(w io.Writer, label, value, unit, span, target, judgement string) {
	text := fmt.Sprintf("  %-44s %10s %-2s  %-20s %-6s %s", label, value, unit, span, target, judgement)
	fmt.Fprintln(w, strings.TrimRight(text, " "))
}

func writeHead(w io.Writer, p host.Placement) {
	fmt.Fprintf(w, "dyno bench: client on CPU %d, servers on CPU %d, all traffic on 127.0.0.1\n", p.ClientCPUs[0], p.ServerCPUs[0])
	for _, warning := range p.Warnings {
		fmt.Fprintf(w, "  note: %s\n", warning)
	}
}

// writeResult prints the table of an item.
func writeResult(w io.Writer, name string, r result, judged bool) {
	fmt.Fprintf(w, "\n%s: %s\n  %s\n", name, r.setting, r.how)
	line(w, "", r.heads[0], "", r.heads[1], "target", "")
	for _, row := range r.rows {
		span := number(row.figure.low, row.unit) + " … " + number(row.figure.high, row.unit)
		goal, judgement := "", ""
		if row.target != nil {
			goal, judgement = row.target.String(), judge(row, judged)
		}
		line(w, row.label, number(row.figure.value, row.unit), row.unit, span, goal, judgement)
	}
}

func judge(r row, judged bool) string {
	switch {
	case !judged:
		return "too short to judge"
	case r.target.met(r.figure.value):
		return "met"
	default:
		return "MISSED"
	}
}

// writeUnmeasured prints why there is no table.
func writeUnmeasured(w io.Writer, name string, cause error) {
	fmt.Fprintf(w, "\n%s: not measured: %v\n", name, cause)
}
