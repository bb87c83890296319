// Package table lays out what a bench found: figures with their spread, and beside each the target that
// it must reach. The benches of dyno share it; it measures nothing and decides nothing but met or missed.
package table

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Spread is a figure with its doubt.
type Spread struct{ Value, Low, High float64 }

// MinMax returns the median of xs with the extremes. xs must not be empty.
func MinMax(xs []float64) Spread {
	sorted := slices.Sorted(slices.Values(xs))
	n := len(sorted)
	return Spread{(sorted[(n-1)/2] + sorted[n/2]) / 2, sorted[0], sorted[n-1]}
}

// Quartiles returns the median of xs with the quartiles. xs must not be empty.
func Quartiles(xs []float64) Spread {
	sorted := slices.Sorted(slices.Values(xs))
	last := float64(len(sorted) - 1)
	at := func(q float64) float64 { return sorted[int(math.Round(q*last))] }
	return Spread{MinMax(xs).Value, at(0.25), at(0.75)}
}

// Ratios divides pair by pair: what disturbed both of a pair cancels.
func Ratios(as, bs []float64) []float64 {
	quotients := make([]float64, len(as))
	for i := range as {
		quotients[i] = as[i] / bs[i]
	}
	return quotients
}

// Result is what one item found: a small table.
type Result struct {
	Setting string    // what was measured, one line
	How     string    // how, one line
	Heads   [2]string // what the value and the range are, e.g. "median", "min … max"
	Rows    []Row
}

// Row is one figure with its unit ("" for a ratio) and, where there is one, its target.
type Row struct {
	Label  string
	Unit   string
	Figure Spread
	Target *Target
}

// SpreadRow makes a row of repetitions.
func SpreadRow(label, unit string, xs []float64) Row {
	return Row{Label: label, Unit: unit, Figure: MinMax(xs)}
}

// Target is what a figure must reach.
type Target struct {
	AtMost bool // else at least
	Limit  float64
}

// Met reports whether value reaches the target. A value that is no number reaches none.
func (t Target) Met(value float64) bool {
	if t.AtMost {
		return value <= t.Limit
	}
	return value >= t.Limit
}

func (t Target) String() string {
	sign := "≥"
	if t.AtMost {
		sign = "≤"
	}
	return sign + " " + strconv.FormatFloat(t.Limit, 'g', -1, 64)
}

// Missed returns a line for every figure that does not reach its target.
func (r Result) Missed(name string) []string {
	var lines []string
	for _, row := range r.Rows {
		if row.Target != nil && !row.Target.Met(row.Figure.Value) {
			lines = append(lines, fmt.Sprintf("%s: missed: %s is %s (%s … %s), target %v",
				name, row.Label, number(row.Figure.Value, row.Unit), number(row.Figure.Low, row.Unit), number(row.Figure.High, row.Unit), row.Target))
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

// InWords writes a length of time with its unit apart, e.g. "125 ms".
func InWords(d time.Duration) string {
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

// Write prints the table of an item.
func Write(w io.Writer, name string, r Result, judged bool) {
	fmt.Fprintf(w, "\n%s: %s\n  %s\n", name, r.Setting, r.How)
	line(w, "", r.Heads[0], "", r.Heads[1], "target", "")
	for _, row := range r.Rows {
		span := number(row.Figure.Low, row.Unit) + " … " + number(row.Figure.High, row.Unit)
		goal, judgement := "", ""
		if row.Target != nil {
			goal, judgement = row.Target.String(), judge(row, judged)
		}
		line(w, row.Label, number(row.Figure.Value, row.Unit), row.Unit, span, goal, judgement)
	}
}

func judge(r Row, judged bool) string {
	switch {
	case !judged:
		return "too short to judge"
	case r.Target.Met(r.Figure.Value):
		return "met"
	default:
		return "MISSED"
	}
}

// WriteUnmeasured prints why there is no table.
func WriteUnmeasured(w io.Writer, name string, cause error) {
	fmt.Fprintf(w, "\n%s: not measured: %v\n", name, cause)
}
