package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"dyno"
	"dyno/report/internal/typeset"
)

// ContrastSchema names the JSON of ContrastJSON, as Schema does that of JSON.
const ContrastSchema = "dyno.contrast/1"

// contrastDocument is a comparison as JSON.
type contrastDocument struct {
	Schema   string    `json:"schema"`
	A        dyno.Side `json:"a"`
	B        dyno.Side `json:"b"`
	Changes  []Judged  `json:"changes"`            // by measure, then by cell, then by subject
	Missing  []string  `json:"missing,omitempty"`  // what only one side has, a line each
	Warnings []string  `json:"warnings,omitempty"` // what else than the subjects differs, a line each
}

// Judged is a change with what thresholds say of it.
type Judged struct {
	dyno.Change
	// Failed says which threshold it breaks; empty when none.
	Failed string `json:"failed,omitempty"`
}

// ContrastText writes what two sides have in common and how they differ, for a terminal. Only the measures
// in shown are told. The error is the writer's.
func ContrastText(w io.Writer, c dyno.Contrast, judged []Judged, shown []dyno.Measure, o Options) error {
	r := textRenderer{width: o.width(), color: o.Color}
	return write(w, r.render(composeContrast(c, judged, shown, true)))
}

// ContrastMarkdown writes it for a pull request.
func ContrastMarkdown(w io.Writer, c dyno.Contrast, judged []Judged, shown []dyno.Measure) error {
	return write(w, markdown(composeContrast(c, judged, shown, false)))
}

// ContrastJSON writes everything for programs.
func ContrastJSON(w io.Writer, c dyno.Contrast, judged []Judged) error {
	b, err := json.MarshalIndent(contrastDocument{ContrastSchema, c.A, c.B, judged, c.Missing, c.Warnings}, "", "  ")
	if err != nil {
		return fmt.Errorf("comparison as JSON: %w", err)
	}
	return write(w, string(b)+"\n")
}

// measureTitles say what the measures are, and in which unit tables have them.
var measureTitles = map[dyno.Measure]struct {
	title, unit string
	divisor     float64
}{
	dyno.Throughput:  {"Throughput", "%s per second", 1},
	dyno.MeanTime:    {"Service time, mean", "µs", nsPerUs},
	dyno.P50Time:     {"Service time, p50", "µs", nsPerUs},
	dyno.P95Time:     {"Service time, p95", "µs", nsPerUs},
	dyno.P99Time:     {"Service time, p99", "µs", nsPerUs},
	dyno.SessionTime: {"Session of a user, mean", "ms", nsPerMs},
	dyno.CPUCost:     {"Server CPU", "µs per %s", nsPerUs},
	dyno.PeakMemory:  {"Peak memory", "MiB", 1 << 20},
	dyno.StartUp:     {"Start-up", "ms", nsPerMs},
}

// measureTitle is the title of a measure: what is service time in a closed loop is response time with virtual users.
func measureTitle(m dyno.Measure, judged []Judged) string {
	closed := slices.ContainsFunc(judged, func(j Judged) bool { return j.Cell.Load.Users == 0 })
	open := slices.ContainsFunc(judged, func(j Judged) bool { return j.Cell.Load.Users > 0 })
	what := "Service time"
	switch {
	case open && closed:
		what = "Service time, with users response time"
	case open:
		what = "Response time"
	}
	return strings.Replace(measureTitles[m].title, "Service time", what, 1)
}

// composeContrast returns the whole comparison. forest adds intervals drawn in characters.
func composeContrast(c dyno.Contrast, judged []Judged, shown []dyno.Measure, forest bool) document {
	e := contrastEditor(c)
	var d document
	d.add(heading{1, contrastTitle})
	e.contrastSummary(&d, c, judged, shown)
	for _, m := range shown {
		e.changes(&d, m, judged, forest)
	}
	mind(&d, c)
	return d
}

const contrastTitle = "B against A"

// contrastEditor knows the subjects of both sides.
func contrastEditor(c dyno.Contrast) editor {
	both := c.A.Run
	both.Subjects = slices.Clone(both.Subjects)
	for _, s := range c.B.Run.Subjects {
		if !slices.ContainsFunc(both.Subjects, func(o dyno.Subject) bool { return o.Name == s.Name }) {
			both.Subjects = append(both.Subjects, s)
		}
	}
	return newEditor(dyno.Verdict{Run: both})
}

// contrastSummary says what the sides are, which thresholds are broken, and how many changes there are of each kind.
func (e editor) contrastSummary(d *document, c dyno.Contrast, judged []Judged, shown []dyno.Measure) {
	var sides bullets
	sides.add("A: " + sideText(c.A))
	sides.add("B: " + sideText(c.B))
	d.add(sides)
	for _, j := range judged {
		if j.Failed != "" {
			d.add(alarm("FAILED: " + j.Failed))
		}
	}
	d.add(contrastHeadline(judged, shown))
}

// mind says what else than the subjects differs.
func mind(d *document, c dyno.Contrast) {
	var remarks bullets
	for _, text := range slices.Concat(c.Warnings, c.Missing) {
		remarks.add(text)
	}
	if len(remarks) > 0 {
		d.add(heading{2, "Mind"}, remarks)
	}
}

func sideText(s dyno.Side) string {
	text := s.Run.ID
	if s.Subject != "" {
		text += ", " + s.Subject
	}
	return fmt.Sprintf("%s, %s, dyno %s, on %s", text, timeText(s.Run.StartedAt), s.Run.Dyno, firstOf(s.Run.Machine.Hostname, "a machine without a name"))
}

// contrastHeadline counts the outcomes of each measure.
func contrastHeadline(judged []Judged, shown []dyno.Measure) bullets {
	var lines bullets
	for _, m := range shown {
		outcomes := map[dyno.Outcome]int{}
		n := 0
		for _, j := range judged {
			if j.Measure == m {
				outcomes[j.Outcome]++
				n++
			}
		}
		if n == 0 {
			continue
		}
		var parts []string
		for _, o := range []dyno.Outcome{dyno.Worse, dyno.Better, dyno.Tie, dyno.Undecided} {
			if outcomes[o] > 0 {
				parts = append(parts, fmt.Sprintf("%s in %d", outcomeText(o), outcomes[o]))
			}
		}
		lines.add(fmt.Sprintf("%s: %s of %s.", measureTitle(m, judged), strings.Join(parts, ", "), typeset.Counted(n, "comparison")))
	}
	return lines
}

func outcomeText(o dyno.Outcome) string {
	if o == dyno.Tie {
		return "equal"
	}
	return string(o)
}

// changes is the table of one measure.
func (e editor) changes(d *document, m dyno.Measure, judged []Judged, forest bool) {
	of := judgedBy(m, judged)
	if len(of) == 0 {
		return
	}
	about := measureTitles[m]
	noun := e.words.Replies
	if m == dyno.CPUCost {
		noun = e.words.Reply
	}
	unit := about.unit
	if strings.Contains(unit, "%s") {
		unit = fmt.Sprintf(unit, noun)
	}
	t := &table{columns: []column{left(e.words.Subject), right("A"), right("B"), right("Change"), left("Outcome")}}
	single := ofOneSubject(of)
	if single {
		t.columns[0] = left("Load")
	}
	scale := forestScale(of)
	if forest {
		t.columns = append(t.columns, column{title: forestTitle(scale), spare: true})
	}
	for i, j := range of {
		name := j.Cell.String()
		if !single {
			if i == 0 || j.Cell != of[i-1].Cell {
				t.strong(name)
			}
			name = e.title(j.SubjectB)
		}
		outcome := outcomeText(j.Outcome)
		if j.Failed != "" {
			outcome += ", FAILED"
		}
		cells := []string{name, measured(j.ValueA, about.divisor), measured(j.ValueB, about.divisor), difference(j.Ratio), outcome}
		if forest {
			cells = append(cells, forestLine(j.Ratio, scale))
		}
		t.add(cells...)
	}
	d.add(heading{2, measureTitle(m, judged)}, t, note(contrastNote(of, unit)))
}

func judgedBy(m dyno.Measure, judged []Judged) []Judged {
	var of []Judged
	for _, j := range judged {
		if j.Measure == m {
			of = append(of, j)
		}
	}
	return of
}

// ofOneSubject reports whether all changes are of the same subject or pair.
func ofOneSubject(of []Judged) bool {
	return !slices.ContainsFunc(of, func(j Judged) bool { return j.SubjectA != of[0].SubjectA || j.SubjectB != of[0].SubjectB })
}

func contrastNote(of []Judged, unit string) string {
	how := "The sides are independent samples (Welch's t on log scale)."
	if of[0].Paired {
		how = "Paired by block."
	}
	return fmt.Sprintf("A and B in %s. Change: B against A, with its 95"+typeset.Unbreakable+"%% interval. %s Outcomes are corrected for the %s of this table (Holm).",
		unit, how, typeset.Counted(len(of), "comparison"))
}

const forestWidth = 17 // characters; odd, so that there is a middle

// forestScale returns the log ratio at the ends of a forest: the farthest end of an interval, but no more
// than a factor of 4 and no less than 1 %.
func forestScale(of []Judged) float64 {
	farthest := math.Log(1.01)
	for _, j := range of {
		for _, x := range []float64{j.Ratio.Value, j.Ratio.Low, j.Ratio.High} {
			if x > 0 {
				farthest = max(farthest, math.Abs(math.Log(x)))
			}
		}
	}
	return min(farthest, math.Log(4))
}

func forestTitle(scale float64) string {
	return fmt.Sprintf("%.0f%% … 0 … +%.0f%%", 100*math.Expm1(-scale), 100*math.Expm1(scale))
}

// forestLine draws an interval on a line whose middle is "no change", e.g. "····├─●─┤·│··········".
func forestLine(ratio dyno.Estimate, scale float64) string {
	const middle = forestWidth / 2
	at := func(x float64) int {
		return min(max(middle+int(math.Round(math.Log(x)/scale*middle)), 0), forestWidth-1)
	}
	line := []rune(strings.Repeat("·", forestWidth)) // blanks at its ends would be cut off
	line[middle] = '│'
	if ratio.N == 0 || ratio.Value <= 0 {
		return string(line)
	}
	if ratio.Known() && ratio.Low > 0 {
		low, high := at(ratio.Low), at(ratio.High)
		for i := low; i <= high; i++ {
			line[i] = '─'
		}
		line[low], line[high] = '├', '┤'
		if low < middle && middle < high {
			line[middle] = '┼'
		}
	}
	line[at(ratio.Value)] = '●'
	return string(line)
}
