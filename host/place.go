package host

import (
	"fmt"
	"path/filepath"
	"slices"
)

// Placement says where the load engine runs and where the servers under test run.
type Placement struct {
	ClientCPUs []int
	ServerCPUs []int
	// Shared means that client and servers have a CPU in common: rates then measure both together.
	Shared bool
	// Warnings say in plain words what weakens the figures; empty when nothing does.
	Warnings []string
}

// plentyOfCores is when leaving CPU 0 alone costs nothing. It gets most interrupts and the kernel's
// housekeeping.
const plentyOfCores = 4

// Place chooses one CPU for the client and another for the servers among those that this process may
// use: on different cores, since hardware threads of one core slow each other down; on one NUMA node,
// since loopback traffic between nodes crosses a slower link; and away from CPU 0 when there are
// plenty. With a single CPU both share it.
func Place() (Placement, error) {
	if errAllowedAtStart != nil {
		return Placement{}, errAllowedAtStart
	}
	return here.place(allowedAtStart)
}

func sorted(cpus []int) []int {
	cpus = slices.Clone(cpus)
	slices.Sort(cpus)
	return slices.Compact(cpus)
}

func (k kernel) place(allowed []int) (Placement, error) {
	if len(allowed) == 0 {
		return Placement{}, fmt.Errorf("no CPU is usable by this process; check its affinity with taskset -p")
	}
	t := k.topology(allowed)
	best, client, server := -1, allowed[0], allowed[0]
	for _, c := range allowed {
		for _, s := range allowed {
			if score := t.score(c, s); c != s && score > best {
				best, client, server = score, c, s
			}
		}
	}
	return k.judge([]int{client}, []int{server}), nil
}

// topology is what decides which CPUs suit each other.
type topology struct {
	core   map[int]int // by CPU
	node   map[int]int // by CPU
	plenty bool        // of cores
}

func (k kernel) topology(cpus []int) topology {
	t := topology{core: map[int]int{0: k.core(0)}, node: k.nodes()}
	cores := map[int]bool{}
	for _, cpu := range cpus {
		t.core[cpu] = k.core(cpu)
		cores[t.core[cpu]] = true
	}
	t.plenty = len(cores) >= plentyOfCores
	return t
}

// score ranks a pair of CPUs; each wish outweighs all that follow it.
func (t topology) score(client, server int) int {
	score := 0
	for _, granted := range []bool{
		t.core[client] != t.core[server],
		t.node[client] == t.node[server],
		t.plenty && t.core[client] != t.core[0] && t.core[server] != t.core[0],
		server != 0, // the server is what is measured: it gets the quieter CPU
	} {
		score *= 2
		if granted {
			score++
		}
	}
	return score
}

// judge completes a placement with what weakens it.
func (k kernel) judge(clientCPUs, serverCPUs []int) Placement {
	p := Placement{ClientCPUs: clientCPUs, ServerCPUs: serverCPUs}
	for _, c := range clientCPUs {
		if slices.Contains(serverCPUs, c) {
			p.Shared = true
			p.Warnings = append(p.Warnings, fmt.Sprintf("client and servers share CPU %d: rates measure both together, so trust the server's CPU per reply, or give dyno another CPU", c))
		}
	}
	for _, c := range clientCPUs {
		for _, s := range serverCPUs {
			if c != s && k.core(c) == k.core(s) {
				p.Warnings = append(p.Warnings, fmt.Sprintf("client CPU %d and server CPU %d are hardware threads of one core and slow each other down: choose CPUs of different cores where there are any", c, s))
			}
		}
	}
	return p
}

// core returns the lowest CPU among the hardware threads of a CPU's core, which names the core. A
// kernel that does not tell is taken to have one thread a core.
func (k kernel) core(cpu int) int {
	topology := filepath.Join(k.sys, "devices/system/cpu", fmt.Sprintf("cpu%d", cpu), "topology")
	for _, name := range []string{"core_cpus_list", "thread_siblings_list"} { // new name, old name
		if siblings, err := parseCPUs(word(topology, name)); err == nil && len(siblings) > 0 {
			return slices.Min(siblings)
		}
	}
	return cpu
}

// nodes returns the NUMA node of each CPU; all are on node 0 when the kernel does not tell.
func (k kernel) nodes() map[int]int {
	nodes := map[int]int{}
	folders, _ := filepath.Glob(filepath.Join(k.sys, "devices/system/node/node[0-9]*")) // the pattern is well formed
	for _, folder := range folders {
		var number int
		if _, err := fmt.Sscanf(filepath.Base(folder), "node%d", &number); err != nil {
			continue
		}
		cpus, err := parseCPUs(word(folder, "cpulist"))
		if err != nil {
			continue
		}
		for _, cpu := range cpus {
			nodes[cpu] = number
		}
	}
	return nodes
}
