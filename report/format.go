package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"dyno"
	"dyno/report/internal/typeset"
)

const (
	nsPerUs = 1e3
	nsPerMs = 1e6

	absent = "–" // there is no figure
)

// doubt writes the half width of an interval in percent, "±?" when one process cannot tell.
func doubt(e dyno.Estimate) string {
	if !e.Known() || e.Value <= 0 {
		return "±?"
	}
	return "±" + percent((e.High-e.Low)/2/e.Value*100)
}

func percent(p float64) string {
	switch {
	case p > 999:
		return ">999%"
	case p >= 9.95:
		return fmt.Sprintf("%.0f%%", p)
	}
	return fmt.Sprintf("%.1f%%", p)
}

// measured writes an estimate in the given unit with its interval, e.g. "87,060 ±1.2%".
func measured(e dyno.Estimate, unit float64) string {
	if e.N == 0 {
		return absent
	}
	return typeset.Figure(e.Value/unit) + " " + doubt(e)
}

// difference writes a ratio as a difference in percentage points, e.g. "+6.7% ±1.1%".
func difference(ratio dyno.Estimate) string {
	if ratio.N == 0 {
		return absent
	}
	s := strings.Replace(fmt.Sprintf("%+.1f%%", (ratio.Value-1)*100), "-0.0%", "+0.0%", 1)
	if !ratio.Known() {
		return s + " ±?"
	}
	return s + " ±" + percent((ratio.High-ratio.Low)/2*100)
}

// spaced is the form of a figure within a sentence, which no line may break: "+6.7 % ± 1.1 %".
func spaced(s string) string {
	return strings.NewReplacer("%", typeset.Unbreakable+"%", " ±", typeset.Unbreakable+"±"+typeset.Unbreakable).Replace(s)
}

// extent is the range of the numbers that stand behind several figures.
type extent struct{ lowest, highest int }

// add widens the extent to n; 0 stands for an absent figure.
func (x *extent) add(n int) {
	if n <= 0 {
		return
	}
	if x.lowest == 0 || n < x.lowest {
		x.lowest = n
	}
	x.highest = max(x.highest, n)
}

// of writes the extent and its noun, e.g. "4 to 5 blocks".
func (x extent) of(one, many string) string {
	switch {
	case x.lowest != x.highest:
		return fmt.Sprintf("%d to %d %s", x.lowest, x.highest, many)
	case x.highest == 1:
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", x.highest, many)
}

func bytesText(n int64) string {
	const mib, gib = 1 << 20, 1 << 30
	if n >= gib {
		return fmt.Sprintf("%.1f GiB", float64(n)/gib)
	}
	return fmt.Sprintf("%.0f MiB", float64(n)/mib)
}

func cpuList(cpus []int) string {
	if len(cpus) == 0 {
		return "none"
	}
	all := make([]string, len(cpus))
	for i, c := range cpus {
		all[i] = strconv.Itoa(c)
	}
	return strings.Join(all, ", ")
}

func timeText(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// axisTime writes a time in ns for an axis, e.g. "20 µs".
func axisTime(ns float64) string {
	unit, name := 1.0, " ns"
	switch {
	case ns >= 1e9:
		unit, name = 1e9, " s"
	case ns >= nsPerMs:
		unit, name = nsPerMs, " ms"
	case ns >= nsPerUs:
		unit, name = nsPerUs, " µs"
	}
	return strconv.FormatFloat(ns/unit, 'g', 3, 64) + name
}

// quantileText writes a quantile of one process in µs; 0 stands for one that had too few replies to tell.
func quantileText(ns int64) string {
	if ns == 0 {
		return tooFew
	}
	return typeset.Figure(float64(ns) / nsPerUs)
}

// listed joins names as a sentence does.
func listed(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
