package dyno

import "strings"

// Subject is a server that can be put on the bench: what its manifest says, and what was found
// on this machine when it was resolved.
type Subject struct {
	Name     string `json:"name"`     // folder under subjects/, e.g. "framed-bun"
	Title    string `json:"title"`    // how tables call it, e.g. "Bun"
	Contract string `json:"contract"` // the contract that it promises to keep, e.g. "framed"
	Runtime  string `json:"runtime"`  // key of subjects/runtimes.yaml, e.g. "bun"
	// RuntimeVersion is what the runtime itself printed, e.g. "1.4.5"; empty until resolved.
	RuntimeVersion string `json:"runtime_version,omitempty"`
	// About is what is known of the runtime, whatever its version; zero for programs that start by themselves.
	About RuntimeFacts `json:"about_runtime,omitzero"`

	// Package is the npm package that the subject shows, e.g. "fastify"; empty when it shows a runtime
	// alone. PackageVersion is the version that is installed; empty until resolved.
	Package        string `json:"package,omitempty"`
	PackageVersion string `json:"package_version,omitempty"`
	// Backend says what does the work below the package where that is not plain: "native; …" or
	// "fallback; …" with words.
	Backend string `json:"backend,omitempty"`
	// Patched says what was changed in the package and why; empty when it runs as published.
	Patched string `json:"patched,omitempty"`
	// Unmaintained says since when or why nobody maintains the package; empty when somebody does.
	Unmaintained string `json:"unmaintained,omitempty"`

	// Digest is a hash of all that makes the server: the files in its folder, those that they import from
	// beside it, what was built from them, and the package's version. So a changed server is noticed;
	// empty until resolved.
	Digest string `json:"digest,omitempty"`

	Dir     string            `json:"dir"`           // folder of the manifest, absolute
	Command []string          `json:"command"`       // argv after resolution; empty until resolved
	Env     map[string]string `json:"env,omitempty"` // added to the environment of the process

	// Unavailable says why the subject cannot run here; empty when it can.
	Unavailable string `json:"unavailable,omitempty"`
	// BaselineOf names the subject that this one is the baseline of: the same server without a part of its
	// work, measured beside it to see what that part costs, and never ranked.
	BaselineOf string `json:"baseline_of,omitempty"`
	// CloneOf names the subject that this one is a clone of, in experiments on dyno itself (lab/calibrate).
	CloneOf string `json:"clone_of,omitempty"`
	// Slowdown is by how much the clone was made slower on purpose, e.g. 0.03; 0 when it was not.
	Slowdown float64 `json:"slowdown,omitempty"`
	// Ceiling marks a null server: it bounds what can be measured and is never ranked.
	Ceiling bool `json:"ceiling,omitempty"`
}

// Ranked reports whether the subject takes part in comparisons: it is neither a ceiling nor a baseline.
func (s Subject) Ranked() bool { return !s.Ceiling && s.BaselineOf == "" }

// Remarks returns, in a word each, what should be known of how the subject runs: "native" or "fallback",
// "patched", "unmaintained". The fields say why.
func (s Subject) Remarks() []string {
	var remarks []string
	if s.Backend != "" {
		kind, _, _ := strings.Cut(s.Backend, ";")
		remarks = append(remarks, kind)
	}
	if s.Patched != "" {
		remarks = append(remarks, "patched")
	}
	if s.Unmaintained != "" {
		remarks = append(remarks, "unmaintained")
	}
	return remarks
}

// RuntimeFacts are what subjects/runtimes.yaml says of a runtime.
type RuntimeFacts struct {
	Title          string `json:"title"`           // e.g. "Node.js"
	Engine         string `json:"engine"`          // e.g. "V8"
	EngineLanguage string `json:"engine_language"` // what the engine is written in, e.g. "C++"
	Language       string `json:"language"`        // what the runtime is written in
	FirstRelease   int    `json:"first_release"`   // year
}
