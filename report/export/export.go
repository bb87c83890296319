// Package export writes the stored trials of a run in forms that other programs read: tables for spreadsheets,
// lines for benchstat, logs for HDR tools. Whoever doubts a verdict can reach one of their own from them.
//
// It writes what the trials say, void ones included where the form knows such a thing. It judges nothing, rounds
// nothing that a reader may need, and opens no file.
package export

import (
	"fmt"
	"strings"

	"dyno"
	"dyno/hist"
	"dyno/stat"
)

// quantileNs returns a quantile of a trial's latency in ns, and whether it had enough replies to tell.
func quantileNs(h *hist.Histogram, q float64) (ns int64, told bool) {
	if h == nil || h.Count() < stat.RepliesFor(q) {
		return 0, false
	}
	return h.QuantileNs(q), true
}

// countedReplies are the verified replies that a trial's rate is made of.
func countedReplies(t dyno.Trial) (replies, durationNs int64) {
	for _, s := range t.Slices {
		replies += s.Replies
		durationNs += s.DurationNs
	}
	return replies, durationNs
}

// byName returns the subjects of a run by their names.
func byName(run dyno.Run) map[string]dyno.Subject {
	subjects := map[string]dyno.Subject{}
	for _, s := range run.Subjects {
		subjects[s.Name] = s
	}
	return subjects
}

// fileNameMax leaves room for an extension in the 255 bytes of common file systems.
const fileNameMax = 120

// FileName makes a name from parts that is safe in every folder: letters, digits, dots, dashes and underscores, and
// no dot or dash at its beginning.
func FileName(parts ...string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(".-_", r) {
			return r
		}
		return '_'
	}, strings.Join(parts, "-"))
	if name == "" || strings.ContainsRune(".-", rune(name[0])) {
		name = "_" + name
	}
	return name[:min(len(name), fileNameMax)]
}

// FileNames gives names to the files of one folder. The zero value is ready.
type FileNames struct{ taken map[string]bool }

// Next makes a name as FileName does, with a number before it where an earlier one has it already.
func (n *FileNames) Next(parts ...string) string {
	if n.taken == nil {
		n.taken = map[string]bool{}
	}
	name := FileName(parts...)
	for i := 2; n.taken[name]; i++ {
		name = FileName(append([]string{fmt.Sprint(i)}, parts...)...)
	}
	n.taken[name] = true
	return name
}
