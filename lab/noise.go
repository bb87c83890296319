package lab

import (
	"fmt"
	"slices"
	"time"

	"dyno"
	"dyno/host"
)

// Watcher looks at the machine, and returns what happened until the call of what it returned: all that
// neither dyno nor its servers did, which spent serversNs of CPU time meanwhile.
type Watcher func() (since func(serversNs int64) dyno.Disturbance)

// A slice is flagged when the resting subjects burn more of it together than the larger of these shares: what
// disturbs however few they are, and what their housekeeping (timers, garbage collection, compilers at
// work after a load) adds up to when they are many. Neither looks at what the slice came to.
const (
	restCPUShare     = 0.05
	restCPUShareEach = 0.005
)

// restAllowance returns the CPU time that so many resting subjects may burn in a slice, in ns.
func restAllowance(resting int, length time.Duration) int64 {
	return int64(max(restCPUShare, restCPUShareEach*float64(resting)) * float64(length))
}

// disturbedShare is the share of a slice that others may take before the slice is flagged. One server a
// percent faster than another needs a hundred times less to be misjudged in one slice, but a slice is one
// of dozens, and rounds are paired; what a flag must catch is a neighbour that stays for a whole block.
const disturbedShare = 0.05

// suspicion says why a slice of a length is suspect, if it is. It is never told how fast the server was.
func suspicion(length time.Duration, resting int, restCPUNs int64, d dyno.Disturbance) string {
	share := int64(disturbedShare * float64(length))
	took := func(ns int64) time.Duration { return time.Duration(ns).Round(time.Millisecond) }
	switch {
	case restCPUNs > restAllowance(resting, length):
		return fmt.Sprintf("resting subjects used %v of CPU", time.Duration(restCPUNs).Round(time.Microsecond))
	case d.StealNs > host.TickNs+share: // counted in ticks, so a tick may be an error of rounding
		return fmt.Sprintf("the hypervisor took %v", took(d.StealNs))
	case d.ForeignCPUNs > share:
		return fmt.Sprintf("others used %v of CPU", took(d.ForeignCPUNs))
	case d.MemoryStallNs > share:
		return fmt.Sprintf("processes waited %v for memory", took(d.MemoryStallNs))
	}
	return ""
}

// watch begins to look at the machine, if anybody does.
func (l *Lab) watch() func(serversNs int64) dyno.Disturbance {
	if l.Watch == nil {
		return func(int64) dyno.Disturbance { return dyno.Disturbance{} }
	}
	return l.Watch()
}

// listener notes what a cell meets beside the disturbances of its slices.
type listener struct {
	lanes    []*lane
	cpus     []int // those of the servers
	used     []int // those of the client, too
	throttle int64
	switches []int64 // by lane, at the start
}

// listen notes the state of the machine before the first slice of a cell.
func (b *block) listen(lanes []*lane) *listener {
	m := b.run.Machine
	used := slices.Concat(m.ClientCPUs, m.ServerCPUs)
	n := &listener{lanes: lanes, cpus: m.ServerCPUs, used: used, throttle: host.ThrottleEvents(used)}
	loopNs := n.loopNs()
	for _, l := range lanes {
		l.trial.Noise.LoopNs = loopNs
		n.switches = append(n.switches, l.switches())
	}
	return n
}

// end notes what has changed after the last slice.
func (n *listener) end() {
	loopNs, throttle := n.loopNs(), host.ThrottleEvents(n.used)
	for i, l := range n.lanes {
		l.trial.Noise.LoopAfterNs = loopNs
		l.trial.Noise.ThrottleEvents = max(throttle-n.throttle, 0)
		l.trial.Noise.InvoluntarySwitches = max(l.switches()-n.switches[i], 0)
	}
}

// loopNs times the fixed work where the servers run; 0 when nobody knows where that is.
func (n *listener) loopNs() int64 {
	if len(n.cpus) == 0 {
		return 0
	}
	ns, err := host.SpeedNs(n.cpus[0])
	if err != nil {
		return 0
	}
	return ns
}

func (l *lane) switches() int64 {
	if l.process == nil {
		return 0
	}
	return l.process.Switches()
}
