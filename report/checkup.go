package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"dyno"
	"dyno/report/internal/typeset"
)

// Check is what was found out about one thing that measuring needs, or that makes figures doubtful.
type Check struct {
	Thing, Seen string
	Advice      string // what to do about it; empty when it is well
	Vital       bool   // nothing can be measured before it is done
}

func (c Check) state() string {
	switch {
	case c.Vital:
		return "MISSING"
	case c.Advice != "":
		return "doubtful"
	}
	return "ok"
}

// Checkup writes what was found out about a machine, what to do about it, and how many of the resolved subjects can
// run there. Those that cannot are named with the reason. The error is the writer's.
func Checkup(w io.Writer, checks []Check, subjects []dyno.Subject, o Options) error {
	var d document
	d.add(checksTable(checks, o.width()))
	var advice bullets
	for _, c := range checks {
		if c.Advice != "" {
			advice.add(c.Thing + ": " + c.Advice)
		}
	}
	if len(advice) > 0 {
		d.add(advice)
	}
	if len(subjects) > 0 {
		d.add(readiness(subjects), note("How many subjects of each contract can run here. dyno list subjects shows which."))
		d.add(unavailable(subjects)...)
	}
	r := textRenderer{width: o.width(), color: o.Color}
	return write(w, r.render(d))
}

// checksTable has a row for each check, or several where what was seen takes more than a line: nothing is cut.
func checksTable(checks []Check, width int) *table {
	t := &table{columns: []column{left("What"), left("State"), left("Seen")}}
	room := width - 2*gap
	for _, column := range [...]func(Check) string{func(c Check) string { return c.Thing }, Check.state} {
		widest := textMin
		for _, c := range checks {
			widest = max(widest, typeset.Width(typeset.Clean(column(c))))
		}
		room -= widest
	}
	for _, c := range checks {
		lines := typeset.Wrap(typeset.Clean(c.Seen), room)
		t.add(c.Thing, c.state(), lines[0])
		for _, line := range lines[1:] {
			t.add("", "", line)
		}
	}
	return t
}

// readiness counts, by runtime and contract, the subjects that can run.
func readiness(subjects []dyno.Subject) *table {
	type place struct{ runtime, contract string }
	all, ready, versions := map[place]int{}, map[place]int{}, map[string]string{}
	var contracts, runtimes []string
	for _, s := range subjects {
		if !slices.Contains(contracts, s.Contract) {
			contracts = append(contracts, s.Contract)
		}
		if !slices.Contains(runtimes, s.Runtime) {
			runtimes = append(runtimes, s.Runtime)
		}
		at := place{s.Runtime, s.Contract}
		all[at]++
		if s.Unavailable == "" {
			ready[at]++
			versions[s.Runtime] = s.RuntimeVersion
		}
	}
	slices.Sort(runtimes)
	t := &table{columns: []column{left("Runtime")}}
	for _, c := range contracts {
		t.columns = append(t.columns, right(c))
	}
	for _, name := range runtimes {
		cells := []string{strings.TrimSpace(name + " " + versions[name])}
		for _, c := range contracts {
			at := place{name, c}
			switch {
			case all[at] == 0:
				cells = append(cells, absent)
			case ready[at] < all[at]:
				cells = append(cells, fmt.Sprintf("%d of %d", ready[at], all[at]))
			default:
				cells = append(cells, fmt.Sprint(all[at]))
			}
		}
		t.add(cells...)
	}
	return t
}

// unavailableMax is how many subjects are named that lack the same thing.
const unavailableMax = 5

// unavailable says why subjects cannot run, in one item for each reason; nothing when all can.
func unavailable(subjects []dyno.Subject) []any {
	var reasons []string
	lacking := map[string][]string{}
	for _, s := range subjects {
		if s.Unavailable == "" {
			continue
		}
		if lacking[s.Unavailable] == nil {
			reasons = append(reasons, s.Unavailable)
		}
		lacking[s.Unavailable] = append(lacking[s.Unavailable], s.Name)
	}
	if len(reasons) == 0 {
		return nil
	}
	var lines bullets
	for _, reason := range reasons {
		names := lacking[reason]
		if more := len(names) - unavailableMax; more > 1 {
			names = append(slices.Clone(names[:unavailableMax]), fmt.Sprintf("%d more", more))
		}
		lines.add(listed(names) + ": " + reason)
	}
	return []any{heading{3, "Cannot run here"}, lines}
}

// packageLeast is the width to which packages are cut before remarks are left out.
const packageLeast = 30

// Subjects writes the list of resolved subjects, by contract. The error is the writer's.
func Subjects(w io.Writer, subjects []dyno.Subject, o Options) error {
	t := &table{columns: []column{left("Subject"), left("Runtime"), {title: "Package", least: packageLeast}, {title: "Remarks", spare: true}}}
	contract := ""
	for _, s := range slices.SortedStableFunc(slices.Values(subjects), func(a, b dyno.Subject) int { return strings.Compare(a.Contract, b.Contract) }) {
		if s.Contract != contract {
			contract = s.Contract
			t.strong("Contract " + contract)
		}
		remarks := s.Remarks()
		if s.Unavailable != "" {
			remarks = []string{"unavailable"} // the reason stands below
		}
		t.add(s.Name, strings.TrimSpace(s.Runtime+" "+s.RuntimeVersion), firstOf(strings.TrimSpace(s.Package+" "+s.PackageVersion), absent), strings.Join(remarks, ", "))
	}
	var d document
	d.add(t)
	d.add(unavailable(subjects)...)
	ready := len(slices.DeleteFunc(slices.Clone(subjects), func(s dyno.Subject) bool { return s.Unavailable != "" }))
	d.add(paragraph(fmt.Sprintf("%d of %s can run here.", ready, typeset.Counted(len(subjects), "subject"))))
	r := textRenderer{width: o.width(), color: o.Color}
	return write(w, r.render(d))
}
