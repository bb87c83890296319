package dyno

import "time"

// RunState says how far a run got.
type RunState string

// The states of a run.
const (
	RunStarted  RunState = "started"  // in work, or interrupted without a word (kill -9)
	RunPartial  RunState = "partial"  // interrupted in good order; can be resumed
	RunComplete RunState = "complete" // every trial of the plan is in the store
)

// Run is one execution of a suite: everything needed to understand, judge and resume it.
type Run struct {
	ID        string       `json:"id"` // e.g. "minecraft-20261121-084812"
	Suite     Suite        `json:"suite"`
	Seed      uint64       `json:"seed"` // every random order follows from it
	Subjects  []Subject    `json:"subjects"`
	Gates     []GateResult `json:"gates"`
	Machine   Machine      `json:"machine"`
	Dyno      string       `json:"dyno"` // version of dyno
	StartedAt time.Time    `json:"started_at"`
	EndedAt   time.Time    `json:"ended_at,omitzero"`
	State     RunState     `json:"state"`
}

// Machine is the fingerprint of the computer that a run was measured on.
type Machine struct {
	Hostname      string   `json:"hostname"`
	OS            string   `json:"os"`     // e.g. "Debian GNU/Linux 12 (bookworm)"
	Kernel        string   `json:"kernel"` // e.g. "6.18.44"
	Arch          string   `json:"arch"`
	CPUModel      string   `json:"cpu_model"`
	CPUs          int      `json:"cpus"` // usable by this process
	MemoryBytes   int64    `json:"memory_bytes"`
	Virtual       string   `json:"virtual,omitempty"`  // hypervisor, when the CPU says that there is one
	Governor      string   `json:"governor,omitempty"` // cpufreq governor, where there is one
	ClientCPUs    []int    `json:"client_cpus"`        // where the load engine ran
	ServerCPUs    []int    `json:"server_cpus"`        // where the subjects ran
	SharedCPUs    bool     `json:"shared_cpus"`        // client and server had to share: figures are weak
	OpenFilesMax  int64    `json:"open_files_max"`
	Warnings      []string `json:"warnings,omitempty"`
	GoVersion     string   `json:"go_version"`
	ClockSource   string   `json:"clock_source,omitempty"`
	TransparentHP string   `json:"transparent_huge_pages,omitempty"`
}
