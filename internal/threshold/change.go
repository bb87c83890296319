package threshold

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"dyno"
	"dyno/internal/words"
)

// ChangeLimit is a condition under which a change has gone too far, such as "throughput<-5%".
type ChangeLimit struct {
	text    string
	measure dyno.Measure
	below   bool    // the change is too far when it is below the limit
	share   float64 // of A, e.g. -0.05
}

// ParseChange reads one expression: a measure, < or >, and a change in percent. Its error is one line: the
// expression, the cause, the way out.
func ParseChange(expression string) (ChangeLimit, error) {
	l := ChangeLimit{text: strings.TrimSpace(expression)}
	at := strings.IndexAny(l.text, "<>")
	if at < 0 {
		return l, fault(l.text, "has no comparison", "write it like 'throughput<-5%' or 'p99>10%'")
	}
	name := strings.ToLower(strings.TrimSpace(l.text[:at]))
	var known []string
	for _, m := range dyno.Measures() {
		known = append(known, string(m))
		if string(m) == name {
			l.measure = m
		}
	}
	if l.measure == "" {
		return l, fault(l.text, words.Unknown("measure", name, known), "")
	}
	l.below = l.text[at] == '<'
	number, isPercent := strings.CutSuffix(strings.TrimSpace(l.text[at+1:]), "%")
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !isPercent || math.IsNaN(x) || math.IsInf(x, 0) {
		return l, fault(l.text, words.Quote(l.text[at+1:])+" is not a change in percent", "write it like "+name+"<-5%")
	}
	if x <= -100 {
		return l, fault(l.text, "is a change by -100 % or more, which nothing can exceed", "write it like "+name+"<-5%")
	}
	l.share = x / 100
	return l, nil
}

// String returns the expression as the user wrote it.
func (l ChangeLimit) String() string { return l.text }

// Measure returns what is limited.
func (l ChangeLimit) Measure() dyno.Measure { return l.measure }

// Exceeded reports whether the change is beyond the limit, whether that is established (the sides differ by
// verdict, in the direction of the limit), and what was seen in words.
func (l ChangeLimit) Exceeded(c dyno.Change) (exceeded, established bool, seen string) {
	exceeded = c.Share() > l.share
	direction := c.Share() > 0
	if l.below {
		exceeded, direction = c.Share() < l.share, c.Share() < 0
	}
	different := c.Outcome == dyno.Better || c.Outcome == dyno.Worse
	return exceeded, different && direction, fmt.Sprintf("%s of %s, %s: %+.1f %%", c.Measure, c.SubjectB, c.Cell, 100*c.Share())
}
