package report

import (
	"fmt"
	"strconv"
	"strings"

	"dyno"
	"dyno/report/internal/typeset"
)

// codec is the section of a codec suite: the seed's tables, by the subjects' own clocks.
func (e editor) codec(d *document) {
	d.add(heading{2, "Operations"}, paragraph("An operation is timed by the subject's own clock over shuffled inputs, and everything that it wrote or read is verified by a checksum. B/op and allocs/op are those of "+
		e.teller(e.v.Cells)+"; the other runtimes do not tell theirs."))
	for _, group := range []struct{ title, prefix string }{
		{"Write operations (encoding)", "Write"},
		{"Read operations (decoding)", "Read"},
		{"Parallel operations", parallelPrefix},
	} {
		e.operations(d, group.title, e.operationsNamed(group.prefix))
	}
	if len(e.operationsNamed(parallelPrefix)) > 0 {
		d.add(note("Go has one goroutine for each CPU that servers may use, all on the same inputs, and ns/op is the time of all over the operations of all. JavaScript has one thread: its parallel operations are the serial ones."))
	}
	var rest []dyno.CellVerdict
	for _, c := range e.v.Cells {
		if !moves(c) && !named(c, "Write", "Read", parallelPrefix, copyPrefix) {
			rest = append(rest, c)
		}
	}
	e.operations(d, "Packets and high volume", rest)
	e.throughput(d)
	e.capacity(d)
	e.artefacts(d)
}

const (
	codecContract    = "codec"
	copyPrefix       = "Copy "
	parallelPrefix   = "Parallel"
	throughputPrefix = "Throughput "
)

func named(c dyno.CellVerdict, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(c.Cell.Workload.Name, p) {
			return true
		}
	}
	return false
}

func (e editor) operationsNamed(prefix string) []dyno.CellVerdict {
	var cells []dyno.CellVerdict
	for _, c := range e.v.Cells {
		if named(c, prefix) {
			cells = append(cells, c)
		}
	}
	return cells
}

// moves reports whether the operations of a cell are counted in bytes.
func moves(c dyno.CellVerdict) bool {
	for _, r := range c.Rows {
		if r.Work != nil && r.Work.BytesPerS.N > 0 {
			return true
		}
	}
	return false
}

// operations is a table of ns per operation, with allocations where a runtime tells them.
func (e editor) operations(d *document, title string, cells []dyno.CellVerdict) {
	if len(cells) == 0 {
		return
	}
	subjects := e.ranked()
	t := &table{columns: []column{left("Operation")}}
	for _, s := range subjects {
		t.columns = append(t.columns, right(e.title(s)+" ns/op"))
	}
	t.columns = append(t.columns, right("B/op"), right("allocs/op"), left("Fastest"))
	for _, c := range cells {
		line := []string{c.Cell.Workload.String()}
		bytes, allocations := absent, absent
		for _, s := range subjects {
			r, _ := rowOf(c, s)
			if r.Work == nil {
				line = append(line, absent)
				continue
			}
			line = append(line, measured(r.Work.NsPerOperation, 1))
			if r.Work.Allocations >= 0 && allocations == absent {
				bytes, allocations = fmt.Sprintf("%.0f", r.Work.AllocatedBytes), fmt.Sprintf("%.2f", r.Work.Allocations)
			}
		}
		t.add(append(line, bytes, allocations, e.top(c))...)
	}
	d.add(heading{3, title}, t)
}

// teller names the subject whose allocations a table shows.
func (e editor) teller(cells []dyno.CellVerdict) string {
	for _, c := range cells {
		for _, s := range e.ranked() {
			if r, _ := rowOf(c, s); r.Work != nil && r.Work.Allocations >= 0 {
				return e.title(s)
			}
		}
	}
	return "nobody"
}

// top names the winner of a cell in a word or two.
func (e editor) top(c dyno.CellVerdict) string {
	switch {
	case c.Winner != "":
		return e.title(c.Winner)
	case len(c.Comparisons) == 0: // no rival
		return absent
	}
	return string(c.Outcome)
}

// throughput is the seed's table of Gbit/s, with the copy of the same bytes beside it.
func (e editor) throughput(d *document) {
	subjects := e.ranked()
	t := &table{columns: []column{left("Packets")}}
	for _, s := range subjects {
		t.columns = append(t.columns, right(e.title(s)+" Gbit/s"), spare("of copy"))
	}
	for _, c := range e.v.Cells {
		if !moves(c) || named(c, copyPrefix) {
			continue
		}
		size := strings.TrimPrefix(c.Cell.Workload.Name, throughputPrefix)
		line := []string{size}
		for _, s := range subjects {
			r, _ := rowOf(c, s)
			line = append(line, gbits(r), ofCopy(r, e.rowOfWorkload(copyOf(c.Cell.Workload.Name), s)))
		}
		t.add(line...)
	}
	if len(t.rows) > 0 {
		d.add(heading{2, "Throughput"}, t, note(
			"Payload bytes that were moved, on one thread; ± is the half width of the 95 % interval. of copy: the share of what copying the same bytes reaches on the same runtime in the same blocks. Sizes are framed and taken apart again, which moves a payload once; encoding and decoding only are of 4 KB, and decoding copies what is in the frames."))
	}
}

func gbits(r dyno.Row) string {
	if r.Work == nil || r.Work.BytesPerS.N == 0 {
		return absent
	}
	return measured(r.Work.BytesPerS, 1e9/8)
}

// copyOf names the workload that copies the same bytes.
func copyOf(workload string) string {
	switch workload {
	case "Encoding only", "Decoding only":
		return copyPrefix + "4 KB"
	case "Realistic mix", "Max load (1000 players)":
		return copyPrefix + "mix"
	default:
		return copyPrefix + strings.TrimPrefix(workload, throughputPrefix)
	}
}

func (e editor) rowOfWorkload(workload, subject string) dyno.Row {
	for _, c := range e.v.Cells {
		if c.Cell.Workload.Name == workload {
			r, _ := rowOf(c, subject)
			return r
		}
	}
	return dyno.Row{}
}

func ofCopy(r, ceiling dyno.Row) string {
	if r.Work == nil || ceiling.Work == nil || r.Work.BytesPerS.N == 0 || ceiling.Work.BytesPerS.N == 0 {
		return absent
	}
	return fmt.Sprintf("%.0f%%", 100*r.Work.BytesPerS.Value/ceiling.Work.BytesPerS.Value)
}

// capacity says how many cores a link takes, from bytes that were really moved.
func (e editor) capacity(d *document) {
	var sizes []dyno.CellVerdict
	t := &table{columns: []column{left("Cores for …"), left("Server")}}
	for _, c := range e.operationsNamed(throughputPrefix) {
		if moves(c) {
			sizes = append(sizes, c)
			t.columns = append(t.columns, right(strings.TrimPrefix(c.Cell.Workload.Name, throughputPrefix)))
		}
	}
	if len(sizes) == 0 {
		return
	}
	for _, gbit := range []float64{1, 10, 100} {
		for _, s := range e.ranked() {
			line := []string{fmt.Sprintf("%.0f Gbit/s", gbit), e.title(s)}
			for _, c := range sizes {
				r, _ := rowOf(c, s)
				line = append(line, cores(r, gbit))
			}
			t.add(line...)
		}
	}
	d.add(heading{2, "Network capacity"}, t, note("Cores that are busy with encoding and decoding alone while a link is full of packets of this size: the link's rate ÷ the measured throughput of one thread. Sockets cost far more; the minecraft suite measures those."))
}

// cores writes how many cores a link of so many Gbit/s keeps busy, from the ends of the interval.
func cores(r dyno.Row, gbit float64) string {
	if r.Work == nil || r.Work.BytesPerS.N == 0 {
		return absent
	}
	b := r.Work.BytesPerS
	n := gbit * 1e9 / 8 / b.Value
	text := typeset.Figure(n)
	if n < 1 {
		text = strconv.FormatFloat(n, 'g', 2, 64)
	}
	return text + " " + doubt(b)
}

// artefacts names the published figures that cannot be reached, and why.
func (e editor) artefacts(d *document) {
	var lines bullets
	lines.add("ReadByte and ReadBytes (1 KB) at 0.62 ns each: a slice header that nobody used. Here what is read is used.")
	lines.add("Decoding at 1,470.8 Gbit/s and a realistic mix at 4,066.3 Gbit/s: bytes were counted that nobody touched, at more than memory can deliver. Here only moved bytes count.")
	lines.add("Every fixed-width write at about 19 ns: that is the one allocation of each. Here buffers are reused, as a server does.")
	lines.add("1,000 players at 280.1 Gbit/s and network capacity: arithmetic on ns/op without a socket. The table above is arithmetic too, but on bytes moved, and the minecraft suite has the sockets.")
	d.add(heading{2, "Why the seed's figures differ"}, lines)
}
