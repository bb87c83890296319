package host

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Noise is a reading of what some CPUs have done since the machine started, in ticks of 10 ms. The
// difference of two readings says how noisy the time between them was.
type Noise struct{ total, busy, steal uint64 }

// NoiseShare is what CPUs did between two readings, as shares of their time from 0 to 1. A tick is
// 10 ms: over a slice of 250 ms a share is known to 0.04 only.
type NoiseShare struct {
	// Steal is the time in which the hypervisor ran somebody else while this machine wanted to run.
	Steal float64
	// Busy is the time in which anything ran here, whoever it was; who knows what he spent himself
	// gets the rest as foreign.
	Busy float64
}

// SampleNoise reads the counters of the CPUs.
func SampleNoise(cpus []int) (Noise, error) { return here.sampleNoise(cpus) }

// Since returns the shares between an earlier reading of the same CPUs and this one; zero when no tick
// has passed.
func (n Noise) Since(earlier Noise) NoiseShare {
	total := advance(earlier.total, n.total)
	if total == 0 {
		return NoiseShare{}
	}
	return NoiseShare{
		Steal: min(advance(earlier.steal, n.steal)/total, 1),
		Busy:  min(advance(earlier.busy, n.busy)/total, 1),
	}
}

// advance returns how far a counter went. The kernel's idle counters can step back a little.
func advance(from, to uint64) float64 {
	if to < from {
		return 0
	}
	return float64(to - from)
}

func (k kernel) sampleNoise(cpus []int) (Noise, error) {
	b, err := os.ReadFile(filepath.Join(k.proc, "stat"))
	if err != nil {
		return Noise{}, fmt.Errorf("noise of CPU %s: %w; dyno needs /proc mounted", formatCPUs(cpus), err)
	}
	return parseNoise(b, cpus)
}

// parseNoise sums the lines "cpuN user nice system idle iowait irq softirq steal …" of the CPUs.
func parseNoise(stat []byte, cpus []int) (Noise, error) {
	const idle, iowait, steal, columns = 3, 4, 7, 8 // what follows is counted in user and nice already
	var sum Noise
	seen := 0
	for line := range bytes.Lines(stat) {
		fields := strings.Fields(string(line))
		if len(fields) == 0 || !strings.HasPrefix(fields[0], "cpu") {
			continue
		}
		cpu, err := strconv.Atoi(fields[0][len("cpu"):])
		if err != nil || !slices.Contains(cpus, cpu) {
			continue
		}
		seen++
		for column, field := range fields[1:min(len(fields), columns+1)] {
			ticks, err := strconv.ParseUint(field, 10, 64)
			if err != nil {
				return Noise{}, fmt.Errorf("noise of CPU %d: %w; is /proc the kernel's?", cpu, err)
			}
			sum.total += ticks
			switch column {
			case idle, iowait:
			case steal:
				sum.steal += ticks
			default:
				sum.busy += ticks
			}
		}
	}
	if seen != len(cpus) {
		return Noise{}, fmt.Errorf("noise of CPU %s: the kernel counts %d of them; choose CPUs that are online", formatCPUs(cpus), seen)
	}
	return sum, nil
}
