package lab

import (
	"slices"
	"time"

	"dyno"
	"dyno/contract/framed"
	"dyno/internal/threshold"
	"dyno/internal/words"
	"dyno/load"
)

// capacityFile says how a suite searches for capacities.
type capacityFile struct {
	SLO          []string      `yaml:"slo"`
	Players      bool          `yaml:"players"`  // the framed contract: every connection is a player
	Workload     string        `yaml:"workload"` // one of the contract's …
	PayloadBytes int           `yaml:"payload_bytes"`
	Connections  int           `yaml:"connections"` // … with so many connections
	Blocks       int           `yaml:"blocks"`
	Probe        time.Duration `yaml:"probe"`
}

// Where a suite file is silent about its searches.
const (
	capacityBlocks      = 5
	capacityProbe       = time.Second
	capacityConnections = 64
	minProbe            = 200 * time.Millisecond
)

// capacityPlan checks what a suite says of capacities, and returns the plan; nil when it says nothing.
func (f *suiteText) capacityPlan(m matrix) (*dyno.CapacityPlan, error) {
	c := f.Capacity
	if c == nil {
		return nil, nil
	}
	if err := f.checkCapacity(c); err != nil {
		return nil, err
	}
	plan := &dyno.CapacityPlan{
		Promises: c.SLO, Workload: dyno.Workload{Name: c.Workload, PayloadBytes: c.PayloadBytes},
		Connections: orElse(c.Connections, capacityConnections), Depth: 1, Arrivals: dyno.Poisson,
		Probe: orElse(c.Probe, capacityProbe), Blocks: orElse(c.Blocks, capacityBlocks),
		MostPerS: load.MaxRatePerS, ReplyWithin: m.ReplyWithin,
	}
	if c.Players {
		plan.Workload, plan.Connections, plan.PlayerPerS = framed.Players, 0, framed.PlayerRatePerS
	}
	return plan, nil
}

// checkCapacity refuses searches that make no sense.
func (f *suiteText) checkCapacity(c *capacityFile) error {
	at := func(keys ...string) []string { return append([]string{"capacity"}, keys...) }
	if len(c.SLO) == 0 {
		return f.fail(at(), "no promise; give one under slo, e.g. [\"p99<50ms\"]")
	}
	if _, err := threshold.ParsePromises(c.SLO); err != nil {
		return f.fail(at("slo"), "%v", err)
	}
	names := workloadNames(f.Contract)
	switch {
	case c.Players && f.Contract != framed.Contract{}.Name():
		return f.fail(at("players"), "players are of the contract %s; leave them out", framed.Contract{}.Name())
	case c.Players && (c.Workload != "" || c.PayloadBytes != 0 || c.Connections != 0):
		return f.fail(at("players"), "players say what is sent and over how many connections; leave out the workload, payload_bytes and connections")
	case !c.Players && len(names) == 0 && (c.Workload != "" || c.PayloadBytes < 1 || c.PayloadBytes > maxPayloadBytes):
		return f.fail(at(), "the contract %s needs players, or payload_bytes between 1 and %d", f.Contract, maxPayloadBytes)
	case len(names) > 0 && c.PayloadBytes != 0:
		return f.fail(at("payload_bytes"), "the contract %s has workloads of its own; name one under workload", f.Contract)
	case len(names) > 0 && !slices.Contains(names, c.Workload):
		return f.fail(at("workload"), "%s", words.Unknown("workload", c.Workload, names))
	case c.Connections < 0 || c.Connections > maxConnections:
		return f.fail(at("connections"), "%d connections; it must lie between 1 and %d", c.Connections, maxConnections)
	case c.Blocks < 0 || c.Blocks > maxBlocks:
		return f.fail(at("blocks"), "blocks is %d; it must lie between 1 and %d", c.Blocks, maxBlocks)
	case c.Probe != 0 && (c.Probe < minProbe || c.Probe > maxSlice):
		return f.fail(at("probe"), "probe is %v; it must lie between %v and %v", c.Probe, minProbe, maxSlice)
	}
	return nil
}
