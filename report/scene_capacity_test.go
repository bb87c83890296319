package report

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"dyno"
	"dyno/stat"
)

// playersPlan is a search for players.
func playersPlan(blocks int) *dyno.CapacityPlan {
	return &dyno.CapacityPlan{
		Promises: []string{"p99<50ms", "errors<0.1%"}, Workload: dyno.Workload{Name: "players"}, Depth: 1, PlayerPerS: 20,
		Arrivals: dyno.Poisson, Probe: time.Second, Blocks: blocks, MostPerS: 2e6, ReplyWithin: 2 * time.Second,
	}
}

// withCapacity adds searches to a scene: what each subject holds, in packets per second.
func withCapacity(s scene, plan *dyno.CapacityPlan, perS map[string]float64, limit dyno.CapacityLimit) scene {
	rng := rand.New(rand.NewPCG(11, uint64(len(perS))))
	s.run.Suite.Capacity = plan
	s.run.Suite.Cells, s.trials = slices.Clone(s.run.Suite.Cells), slices.Clone(s.trials)
	for block := range plan.Blocks {
		for _, name := range s.run.Suite.Subjects {
			if rate, ok := perS[name]; ok {
				s.trials = append(s.trials, dyno.Trial{
					TrialKey: dyno.TrialKey{Block: block, Cell: plan.Cell(), Subject: name},
					Capacity: search(rate*math.Exp(0.01*rng.NormFloat64()), limit),
				})
			}
		}
	}
	s.planned = len(s.trials)
	return s
}

// search is what one search finds of a server with one worker; no rate keeps the promise where its capacity is 0.
func search(capacityPerS float64, limit dyno.CapacityLimit) *dyno.Capacity {
	c := &dyno.Capacity{Protocol: "framed", Promises: []string{"p99<50ms"}, Limit: limit}
	for _, share := range []float64{0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.97, 1.03, 1.2} {
		load := min(share, 0.99)
		p99Ns := 200e3 * (1 + 250*math.Pow(load, 12))
		p := dyno.CapacityProbe{
			RatePerS: max(capacityPerS, 1000) * share, P50Ns: int64(p99Ns / 4), P90Ns: int64(p99Ns / 2), P99Ns: int64(p99Ns), P999Ns: int64(2 * p99Ns),
			Kept: share < 1 && capacityPerS > 0, ServerCPUShare: load, ClientBusyShare: load / 2,
		}
		if !p.Kept {
			p.P99Ns, p.Broken = 61_400_000, "p99 was 61.4 ms"
		}
		p.AnsweredPerS = p.RatePerS
		c.Probes = append(c.Probes, p)
	}
	if capacityPerS > 0 {
		c.RatePerS = dyno.Estimate{Value: capacityPerS, N: 1}
	}
	c.Curve = stat.Curve(c.Probes)
	return c
}

// capacityScenes are the situations that the part about capacities must tell apart.
func capacityScenes() map[string]scene {
	base := measure(cells([]int{16, 64, 256, 1024}, seedLoads[:2]...), 5, 0.004, denoServer, bunServer, nodeServer, nullServer)
	alone := measure(nil, 0, 0, denoServer, bunServer)
	alone.run.Suite.Name, alone.run.Suite.Title = "capacity", "Players held with p99<50ms"
	alone.run.Suite.Versus = [2]string{}
	rate := playersPlan(5)
	rate.Workload, rate.PlayerPerS, rate.Connections = dyno.Workload{PayloadBytes: 64}, 0, 64
	return map[string]scene{
		"players":         withCapacity(base, playersPlan(5), map[string]float64{"framed-deno": 52_000, "framed-bun": 61_000, "framed-node": 52_050}, dyno.LimitServerCPU),
		"players-tie":     withCapacity(alone, playersPlan(40), map[string]float64{"framed-deno": 70_000, "framed-bun": 70_000}, dyno.LimitPromise),
		"players-bounded": withCapacity(alone, playersPlan(5), map[string]float64{"framed-deno": 250_000, "framed-bun": 300_000}, dyno.LimitInstrument),
		"capacity-broken": withCapacity(alone, rate, map[string]float64{"framed-deno": 0, "framed-bun": 60_000}, dyno.LimitPromise),
	}
}
