package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dyno"
	"dyno/report/internal/typeset"
)

// runtimes is the table that seed 002 opens with, for suites that show runtimes alone.
func (e editor) runtimes(d *document) {
	if !e.showsRuntimes() {
		return
	}
	t := &table{columns: []column{left("Runtime"), left("Engine"), left("Engine language"), left("Runtime language"), right("First release"), right("Version")}}
	for _, s := range e.runtimesUsed() {
		a := s.About
		released := absent
		if a.FirstRelease > 0 {
			released = fmt.Sprint(a.FirstRelease)
		}
		t.add(a.Title, cmp.Or(a.Engine, absent), cmp.Or(a.EngineLanguage, absent), a.Language, released, cmp.Or(s.RuntimeVersion, absent))
	}
	d.add(t)
}

// showsRuntimes reports whether every subject shows a runtime and nothing on top of it.
func (e editor) showsRuntimes() bool {
	return len(e.runtimesUsed()) > 0 &&
		!slices.ContainsFunc(e.v.Run.Subjects, func(s dyno.Subject) bool { return s.Ranked() && s.Package != "" })
}

// runtimesUsed returns one subject of each runtime of which something is known, in suite order.
func (e editor) runtimesUsed() []dyno.Subject {
	var used []dyno.Subject
	for _, s := range e.v.Run.Subjects {
		known := slices.ContainsFunc(used, func(u dyno.Subject) bool { return u.Runtime == s.Runtime })
		if s.Ranked() && s.Unavailable == "" && s.About.Title != "" && !known {
			used = append(used, s)
		}
	}
	return used
}

// versions says what ran. Packages have a table of their own.
func (e editor) versions() string {
	parts := []string{"dyno " + firstOf(e.v.Run.Dyno, "unknown") + " (" + firstOf(e.v.Run.Machine.GoVersion, "unknown Go") + ")"}
	if e.hasPackages() {
		for _, s := range e.runtimesUsed() {
			parts = append(parts, s.About.Title+" "+s.RuntimeVersion)
		}
		return strings.Join(parts, "; ")
	}
	for _, s := range e.v.Run.Subjects {
		if s.RuntimeVersion != "" {
			parts = append(parts, e.title(s.Name)+" "+s.RuntimeVersion)
		}
	}
	return strings.Join(parts, "; ")
}

func (e editor) hasPackages() bool {
	return slices.ContainsFunc(e.v.Run.Subjects, func(s dyno.Subject) bool { return s.PackageVersion != "" })
}

// packages says which version of which package each subject shows, and what should be known of it.
func (e editor) packages(d *document) {
	if !e.hasPackages() {
		return
	}
	t := &table{columns: []column{left(e.words.Subject), left("Package"), left("Version"), left("Runtime"), left("Remarks")}}
	var lines bullets
	for _, s := range e.v.Run.Subjects {
		if !s.Ranked() || s.Unavailable != "" {
			continue
		}
		t.add(e.title(s.Name), cmp.Or(s.Package, absent), cmp.Or(s.PackageVersion, absent), strings.TrimSpace(cmp.Or(s.About.Title, s.Runtime)+" "+s.RuntimeVersion), strings.Join(s.Remarks(), ", "))
		if s.Patched != "" {
			lines.add(e.title(s.Name) + " is patched: " + typeset.Clean(s.Patched))
		}
	}
	d.add(heading{2, "Packages and versions"}, t)
	if len(lines) > 0 {
		d.add(lines)
	}
}
