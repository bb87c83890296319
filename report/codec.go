package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"dyno"
	"dyno/report/internal/typeset"
)

// codec is the section of a codec suite: the seed's tables, by the subjects' own clocks.
func (e editor) codec(d *document) {
	d.add(heading{2, "Operations"}, paragraph("An operation is timed by the subject's own clock over shuffled inputs, and everything that it wrote or read is verified by a checksum. B/op and allocs/op are those of "+
		e.teller(e.v.Cells)+"; the other runtimes do not tell theirs."))
	e.operations(d, "Write operations (encoding)", e.operationsNamed("Write"))
	e.operations(d, "Read operations (decoding)", e.operationsNamed("Read"))
	e.operations(d, "Complete encode/decode cycles", e.operationsNamed(cyclePrefixes...))
	parallel := e.operationsNamed(parallelPrefix)
	e.operations(d, "Parallel operations", parallel)
	if len(parallel) > 0 {
		d.add(note("Go has one goroutine for each CPU that servers may use, all on the same inputs, and ns/op is the time of all over the operations of all. JavaScript has one thread: its parallel operations are the serial ones."))
	}
	var rest []dyno.CellVerdict
	for _, c := range e.v.Cells {
		if !moves(c) && !named(c, append(cyclePrefixes, "Write", "Read", parallelPrefix, dyno.CopyPrefix)...) {
			rest = append(rest, c)
		}
	}
	e.operations(d, "High volume operations", rest)
	e.throughput(d)
	e.capacity(d)
	e.artefacts(d)
}

const (
	codecContract    = "codec"
	parallelPrefix   = "Parallel"
	throughputPrefix = "Throughput "
)

var cyclePrefixes = []string{"Small", "Medium", "Large"}

func named(c dyno.CellVerdict, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(c.Cell.Workload.Name, p) {
			return true
		}
	}
	return false
}

func (e editor) operationsNamed(prefixes ...string) []dyno.CellVerdict {
	var cells []dyno.CellVerdict
	for _, c := range e.v.Cells {
		if named(c, prefixes...) {
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
		line := []string{operationTitle(c.Cell.Workload.Name)}
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

// operationTitle shortens the seed's longest names, which a terminal would cut. The table's title says the rest.
func operationTitle(name string) string {
	switch name {
	case "High volume writes (1000×)":
		return "Writes (1000×)"
	case "High volume reads (1000×)":
		return "Reads (1000×)"
	case "Massive payload (10 KB)":
		return "Massive (10 KB)"
	}
	return name
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

// throughput is the seed's table of Gbit/s, and that of the copies of the same bytes.
func (e editor) throughput(d *document) {
	subjects := e.ranked()
	rates, shares := &table{columns: []column{left("Packets")}}, &table{columns: []column{left("Packets")}}
	for _, s := range subjects {
		rates.columns = append(rates.columns, right(e.title(s)+" Gbit/s"))
		shares.columns = append(shares.columns, right(e.title(s)+" of copy"))
	}
	for _, c := range e.v.Cells {
		if !moves(c) || named(c, dyno.CopyPrefix) {
			continue
		}
		packets := strings.TrimPrefix(c.Cell.Workload.Name, throughputPrefix)
		rate, share := []string{packets}, []string{packets}
		for _, s := range subjects {
			r, _ := rowOf(c, s)
			rate, share = append(rate, gbits(r)), append(share, ofCopy(r))
		}
		rates.add(rate...)
		shares.add(share...)
	}
	if len(rates.rows) > 0 {
		d.add(heading{2, "Throughput"}, rates, note(
			"Payload bytes that were moved, on one thread; ± is the half width of the 95 % interval. Sizes are framed and taken apart again, which moves a payload once; encoding and decoding only are of 4 KB, and decoding copies what is in the frames."))
		d.add(heading{3, "Beside a copy of the same bytes"}, shares, note(
			"The share of what copying the same bytes reaches on the same runtime, paired by block."))
	}
}

func gbits(r dyno.Row) string {
	if r.Work == nil || r.Work.BytesPerS.N == 0 {
		return absent
	}
	return measured(r.Work.BytesPerS, 1e9/8)
}

func ofCopy(r dyno.Row) string {
	if r.Work == nil || r.Work.OfCopy.N == 0 {
		return absent
	}
	return fmt.Sprintf("%.0f%% %s", 100*r.Work.OfCopy.Value, doubt(r.Work.OfCopy))
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
		text = strconv.FormatFloat(n, 'f', 1-int(math.Floor(math.Log10(n))), 64) // two figures that count
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
