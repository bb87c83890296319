package report

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"dyno"
	"dyno/hist"
	"dyno/stat"
)

// scene is a run to report on: real trials of an imagined world, judged by the real judge.
type scene struct {
	run     dyno.Run
	trials  []dyno.Trial
	planned int
}

func (s scene) verdict() dyno.Verdict { return stat.Judge(s.run, s.trials, s.planned) }

// server is the truth about a subject: its rate grows with connections and falls with size.
type server struct {
	name, title, version string
	rate                 float64 // at 8 B on one connection
	scale                float64 // exponent of growth with connections
	perByte              float64 // share of the rate lost per KiB
	ceiling              bool
}

var (
	denoServer = server{name: "framed-deno", title: "Deno", version: "2.6.1", rate: 31_000, scale: 0.42, perByte: 0.12}
	bunServer  = server{name: "framed-bun", title: "Bun", version: "1.4.5", rate: 36_000, scale: 0.45, perByte: 0.05}
	nodeServer = server{name: "framed-node", title: "Node", version: "24.9.0", rate: 30_950, scale: 0.42, perByte: 0.12}
	goServer   = server{name: "framed-go", title: "Go", version: "1.26.8", rate: 45_000, scale: 0.5, perByte: 0.04}
	nullServer = server{name: "null-framed", title: "Null server", rate: 52_000, scale: 0.6, perByte: 0.02, ceiling: true}
)

var seedLoads = []dyno.Load{{Connections: 1, Depth: 1}, {Connections: 4, Depth: 1}, {Connections: 32, Depth: 1}, {Connections: 32, Depth: 16}}

func cells(sizes []int, loads ...dyno.Load) []dyno.Cell {
	var all []dyno.Cell
	for _, l := range loads {
		for _, s := range sizes {
			all = append(all, dyno.Cell{Workload: dyno.Workload{PayloadBytes: s}, Load: l})
		}
	}
	return all
}

// measure makes a complete run of the seed's suite; spread is the standard deviation between
// processes, as a share.
func measure(all []dyno.Cell, blocks int, spread float64, servers ...server) scene {
	rng := rand.New(rand.NewPCG(7, uint64(len(all))))
	s := scene{run: dyno.Run{
		ID: "minecraft-20261121-084812",
		Suite: dyno.Suite{
			Name: "minecraft", Title: "Minecraft-style framed TCP echo", Contract: "framed", Cells: all,
			Versus: [2]string{"framed-deno", "framed-bun"},
			Method: dyno.Method{Blocks: blocks, Rounds: 4, Slice: 200 * time.Millisecond, Skip: 10 * time.Millisecond, WarmUpMax: 10 * time.Second},
		},
		Seed: 42, Dyno: "0.1.0", State: dyno.RunComplete,
		StartedAt: time.Date(2026, 11, 21, 8, 48, 12, 0, time.UTC), EndedAt: time.Date(2026, 11, 21, 8, 53, 40, 0, time.UTC),
		Machine: dyno.Machine{
			OS: "Debian GNU/Linux 12 (bookworm)", Kernel: "6.18.44", Arch: "x86_64", CPUModel: "AMD EPYC 9B14", CPUs: 2,
			MemoryBytes: 24 << 30, Virtual: "kvm", ClientCPUs: []int{0}, ServerCPUs: []int{1}, GoVersion: "go1.26.8", ClockSource: "tsc",
		},
	}}
	for _, v := range servers {
		s.run.Suite.Subjects = append(s.run.Suite.Subjects, v.name)
		s.run.Subjects = append(s.run.Subjects, dyno.Subject{Name: v.name, Title: v.title, RuntimeVersion: v.version, Ceiling: v.ceiling})
		s.run.Gates = append(s.run.Gates, dyno.GateResult{Subject: v.name, Cases: []dyno.CaseResult{{Case: "echo", OK: true}}})
	}
	for block := range blocks {
		for _, v := range servers {
			process := math.Exp(spread * rng.NormFloat64())
			for _, c := range all {
				s.trials = append(s.trials, v.trial(rng, block, c, process))
			}
		}
	}
	s.planned = len(s.trials)
	return s
}

func (v server) trial(rng *rand.Rand, block int, c dyno.Cell, process float64) dyno.Trial {
	inFlight := float64(c.Load.Connections * c.Load.Depth)
	ratePerS := v.rate * process * math.Pow(inFlight, v.scale) * (1 - v.perByte*float64(c.Workload.PayloadBytes)/1024)
	t := dyno.Trial{
		TrialKey: dyno.TrialKey{Block: block, Cell: c, Subject: v.name},
		Latency:  hist.New(), WarmUp: dyno.WarmUp{Settled: true},
		Server: dyno.ServerCost{StartUpNs: int64(2e12 / v.rate * process), PeakRSSBytes: int64(2e12 / v.rate * process), Threads: 4},
	}
	latencyNs := func() int64 { return int64(inFlight / ratePerS * 1e9 * (0.8 + 0.2*rng.ExpFloat64())) }
	for round := range 4 {
		replies := int64(ratePerS * 0.19 * math.Exp(0.01*rng.NormFloat64()))
		t.Slices = append(t.Slices, dyno.Slice{
			Round: round, DurationNs: 190e6, Replies: replies, ServerCPUNs: int64(150e6 * process), ServerReplies: replies, ClientBusyNs: 90e6,
			BytesRead: 120 * replies,
		})
	}
	for range 400 {
		t.Latency.Record(latencyNs())
	}
	for i := range t.Slices { // all alike: quicker than a histogram for each
		t.Slices[i].Latency = t.Latency.Bands()
	}
	return t
}

// scenes are the situations that a report must tell apart.
func scenes() map[string]scene {
	sizes := []int{8, 64, 1024}
	all := map[string]scene{}

	all["decided"] = measure(cells([]int{8, 16, 32, 64, 128, 256, 512, 1024}, seedLoads...), 5, 0.004,
		denoServer, bunServer, nodeServer, goServer, nullServer)

	slowed := goServer
	slowed.name, slowed.title, slowed.rate = "framed-go#slow1", "Go, 3 % slower #1", goServer.rate/1.03
	equal := goServer
	equal.name, equal.title = "framed-go#1", "Go #1"
	another := goServer
	another.name, another.title = "framed-go#2", "Go #2"
	cloned := measure(cells([]int{64}, seedLoads[1]), 8, 0.004, equal, another, slowed)
	cloned.run.Suite.Versus = [2]string{equal.name, another.name}
	for i := range cloned.run.Subjects {
		cloned.run.Subjects[i].CloneOf = goServer.name
	}
	cloned.run.Subjects[2].Slowdown = 0.03
	all["clones"] = cloned

	twin := denoServer
	twin.name, twin.title = "framed-bun", "Bun"
	all["ties"] = measure(cells(sizes, seedLoads[:2]...), 12, 0.0005, denoServer, twin)
	all["undecided"] = measure(cells(sizes, seedLoads[:2]...), 4, 0.05, denoServer, twin, nodeServer)
	all["single-block"] = measure(cells(sizes, seedLoads[:2]...), 1, 0.01, denoServer, bunServer, nullServer)
	all["one-subject"] = measure(cells(sizes, seedLoads[:1]...), 3, 0.01, bunServer)
	all["one-load"] = measure(cells(sizes[:1], seedLoads[2]), 5, 0.01, denoServer, bunServer, goServer)
	for _, name := range []string{"decided", "one-load"} { // the others are from before pollers were noted
		for i := range all[name].trials {
			t := &all[name].trials[i]
			t.Client.Poller = map[bool]string{false: "epoll", true: "io_uring"}[t.Cell.Load.Connections > 4]
		}
	}

	partial := measure(cells(sizes, seedLoads[:3]...), 4, 0.01, denoServer, bunServer)
	partial.trials = partial.trials[:len(partial.trials)*3/8]
	partial.run.State, partial.run.EndedAt, partial.run.Suite.Quick = dyno.RunPartial, time.Time{}, true
	all["partial"] = partial

	all["troubled"] = troubled(sizes)
	all["client-bound"] = clientBound(sizes)
	all["hostile"] = hostile(sizes)

	nothing := measure(nil, 0, 0, denoServer, bunServer)
	nothing.planned = 96
	all["nothing"] = nothing

	generic := measure(cells(sizes[:2], seedLoads[0]), 3, 0.01, denoServer, bunServer, goServer)
	generic.run.Suite.Versus, generic.run.Suite.Contract, generic.run.Suite.Title = [2]string{}, "httpbasic", "Frameworks"
	generic.run.Suite.Method.Continuous = true
	all["no-versus"] = generic
	calls := measure([]dyno.Cell{{Workload: dyno.Workload{Name: "valid"}, Load: dyno.Load{Connections: 200, Depth: 50}}}, 4, 0.01, denoServer, bunServer)
	calls.run.Suite.Versus, calls.run.Suite.Contract, calls.run.Suite.Title = [2]string{}, "rpc", "Hono RPC"
	all["rpc"] = calls
	all["frameworks"] = frameworks(90_000)
	all["near-ceiling"] = frameworks(50_000)
	all["runtimes"] = runtimes()
	small := denoServer
	small.rate, small.perByte = 38_000, 0.35
	all["crossover"] = measure(cells([]int{8, 64, 256, 1024}, seedLoads[:3]...), 6, 0.004, small, bunServer)
	all["baselines"] = baselines(sizes)
	all["codec"] = codecs()
	maps.Copy(all, capacityScenes())
	return all
}

// baselines has raw echoes beside two servers: one saves much, one little, and one cannot be told.
func baselines(sizes []int) scene {
	rawBun, rawDeno := bunServer, denoServer
	rawBun.name, rawBun.title = "echo-bun", "Bun, raw echo"
	rawDeno.name, rawDeno.title = "echo-deno", "Deno, raw echo"
	s := measure(cells(sizes, seedLoads[:2]...), 6, 0.004, denoServer, bunServer, rawDeno, rawBun, nullServer)
	s.run.Suite.Subjects, s.run.Suite.Baselines = s.run.Suite.Subjects[:2], true
	for i := range s.run.Subjects {
		switch s.run.Subjects[i].Name {
		case "echo-bun":
			s.run.Subjects[i].BaselineOf = "framed-bun"
		case "echo-deno":
			s.run.Subjects[i].BaselineOf = "framed-deno"
		}
	}
	for i := range s.trials {
		t := &s.trials[i]
		saved := map[string]float64{"echo-bun": 0.97, "echo-deno": 0.955}[t.Subject]
		if saved == 0 {
			continue
		}
		if t.Cell.Load.Connections == 4 && t.Subject == "echo-deno" {
			saved = 0.85
		}
		for j := range t.Slices {
			whole := float64(t.Slices[j].ServerReplies) * 5_000
			t.Slices[j].ServerCPUNs = int64(whole * saved)
		}
	}
	for i := range s.trials { // both servers need 5 µs a packet
		if t := &s.trials[i]; t.Subject == "framed-bun" || t.Subject == "framed-deno" {
			for j := range t.Slices {
				t.Slices[j].ServerCPUNs = int64(float64(t.Slices[j].ServerReplies) * 5_000 * (1 + 0.01*float64(t.Block%3)))
			}
		}
	}
	return s
}

// codecs is a suite whose subjects keep the time of their own work.
func codecs() scene {
	var all []dyno.Cell
	nsPerOperation := map[string]float64{
		"WriteInt32": 1.2, "WriteString": 14, "ReadInt32": 1.1, "ReadString": 21, "Small": 13, "Stress test": 310,
		"Throughput 64 B": 7, "Throughput 64 KB": 1400, "Encoding only": 65, "Realistic mix": 30, "Copy 4 KB": 60, "Copy mix": 9, "Copy 64 B": 3.3, "Copy 64 KB": 1200, "Parallel small": 14,
	}
	bytes := map[string]int64{"Throughput 64 B": 64, "Throughput 64 KB": 64 << 10, "Encoding only": 4 << 10, "Realistic mix": 90, "Copy 4 KB": 4 << 10, "Copy mix": 90, "Copy 64 B": 64, "Copy 64 KB": 64 << 10}
	for _, name := range slices.Sorted(maps.Keys(nsPerOperation)) {
		all = append(all, dyno.Cell{Workload: dyno.Workload{Name: name}, Load: seedLoads[0]})
	}
	inGo, inNode := goServer, nodeServer
	inGo.name, inNode.name = "codec-go", "codec-node"
	s := measure(all, 5, 0.01, inGo, inNode)
	s.run.ID, s.run.Suite.Name, s.run.Suite.Title = "codec-20261121-084812", "codec", "The packet codec"
	s.run.Suite.Contract, s.run.Suite.Versus = "codec", [2]string{}
	for i := range s.trials {
		t := &s.trials[i]
		name := t.Cell.Workload.Name
		ns := nsPerOperation[name]
		allocated := int64(0)
		if t.Subject == "codec-node" {
			ns, allocated = 3*ns, -1
		} else if name == "ReadString" {
			allocated = 1
		}
		t.Work = dyno.Work{AllocatedBytes: allocated, Allocations: allocated}
		for j := range t.Slices {
			operations := int64(1e8 / ns * float64(t.Slices[j].Replies%97+950) / 1000)
			t.Slices[j].Replies, t.Slices[j].DurationNs = operations, 1e8
			t.Work = t.Work.Plus(dyno.Work{
				Operations: operations, DurationNs: 1e8, Bytes: operations * bytes[name],
				AllocatedBytes: 24 * allocated * operations, Allocations: allocated * operations,
			})
		}
		if allocated > 0 {
			t.Work.AllocatedBytes, t.Work.Allocations = 24*t.Work.Operations, t.Work.Operations
		}
	}
	return s
}

// frameworks is a suite of many subjects and named workloads, below a ceiling.
func frameworks(ceilingRate float64) scene {
	var servers []server
	for i, title := range []string{"uws (node)", "bun (bun)", "elysia (bun)", "hono (bun)", "h3 (node)", "fastify (node)", "koa (node)",
		"express (bun)", "hapi (node)", "express (node)", "nest (node)", "adonis (node)"} {
		servers = append(servers, server{name: fmt.Sprintf("http-%d", i), title: title, rate: 40_000 / (1 + 0.15*float64(i/2)), scale: 0.3})
	}
	null := nullServer
	null.rate, null.scale = ceilingRate, 0.3
	var all []dyno.Cell
	for _, name := range []string{"GET /", "GET /id/:id", "POST /json"} {
		all = append(all, dyno.Cell{Workload: dyno.Workload{Name: name}, Load: dyno.Load{Connections: 64, Depth: 1}})
	}
	s := measure(all, 6, 0.008, append(servers, null)...)
	s.run.ID = "frameworks-20261121-084812"
	for i := range s.run.Subjects[:len(servers)] {
		s.run.Subjects[i].Runtime, s.run.Subjects[i].RuntimeVersion = "node", "24.21.0"
		s.run.Subjects[i].About = dyno.RuntimeFacts{Title: "Node.js", Engine: "V8", EngineLanguage: "C++", Language: "C++", FirstRelease: 2009}
		if i != 1 {
			s.run.Subjects[i].Package, s.run.Subjects[i].PackageVersion = fmt.Sprintf("package-%d", i), fmt.Sprintf("%d.2.3", i)
		}
	}
	s.run.Subjects[0].Package, s.run.Subjects[0].Backend = "@some/one-long-name-of-a-package-js-unofficial", "native; µWebSockets"
	s.run.Subjects[2].Patched, s.run.Subjects[2].Unmaintained = "the router | is private", "no release since 2023"
	s.run.Suite.Claims = []dyno.Claim{
		{Said: "uws ≈ bun", A: "http-0", B: "http-1", Ratio: 1},
		{Said: "hono ≈ 2× express", A: "http-3", B: "http-9", Ratio: 2},
	}
	s.run.Suite.Name, s.run.Suite.Title, s.run.Suite.Contract, s.run.Suite.Versus = "frameworks", "HTTP frameworks", "httpbasic", [2]string{}
	return s
}

// runtimes is a suite that shows runtimes alone, one of them in two builds.
func runtimes() scene {
	bun, deno, node, older := bunServer, denoServer, nodeServer, nodeServer
	older.name, older.title, older.version, older.rate = "node20", "Node.js 20", "20.20.2", 28_000
	s := measure([]dyno.Cell{{Workload: dyno.Workload{Name: "GET /"}, Load: dyno.Load{Connections: 100, Depth: 1}}}, 6, 0.008, node, deno, bun, older, nullServer)
	for i, f := range []dyno.RuntimeFacts{
		{Title: "Node.js", Engine: "V8", EngineLanguage: "C++", Language: "C++", FirstRelease: 2009},
		{Title: "Deno", Engine: "V8", EngineLanguage: "C++", Language: "Rust", FirstRelease: 2020},
		{Title: "Bun", Engine: "JavaScriptCore", EngineLanguage: "C++", Language: "Zig", FirstRelease: 2022},
		{Title: "Node.js 20", Engine: "V8", EngineLanguage: "C++", Language: "C++", FirstRelease: 2009},
	} {
		s.run.Subjects[i].About, s.run.Subjects[i].Runtime = f, f.Title
	}
	s.run.Suite.Name, s.run.Suite.Title, s.run.Suite.Contract, s.run.Suite.Versus = "runtimes", "JavaScript runtimes", "httpbasic", [2]string{}
	s.visits(dyno.Cell{Workload: dyno.Workload{Name: "runtimes-visits.yml"}, Load: dyno.Load{Users: 3000}}, node, deno, bun, older, nullServer)
	return s
}

// visits adds a cell whose load are virtual users.
func (s *scene) visits(c dyno.Cell, servers ...server) {
	rng := rand.New(rand.NewPCG(8, 9))
	s.run.Suite.Cells = append(s.run.Suite.Cells, c)
	for block := range s.run.Suite.Method.Blocks {
		for _, v := range servers {
			t := v.trial(rng, block, dyno.Cell{Workload: c.Workload, Load: dyno.Load{Connections: 1, Depth: 1}}, math.Exp(0.008*rng.NormFloat64()))
			t.Cell, t.FirstByte, t.Session = c, hist.New(), hist.New()
			for i := range t.Slices {
				t.Slices[i].Replies, t.Slices[i].ServerReplies, t.Slices[i].ServerCPUNs = 2250, 2250, int64(2250*2e9/v.rate*math.Exp(0.01*rng.NormFloat64()))
			}
			for range 400 {
				ns := int64(1e9 / v.rate * (0.8 + 0.2*rng.ExpFloat64()))
				t.FirstByte.Record(ns)
				t.Session.Record(40e6 + 3*ns)
			}
			t.Visits = dyno.Visits{Created: 3000, Completed: 3000, Requests: 9000, BodyBytes: 198_000, Codes: map[int]int64{200: 9000},
				Promises: []dyno.Promise{{Said: "http.response_time.p95 < 250", Kept: 1}}}
			s.trials = append(s.trials, t)
		}
	}
	s.planned = len(s.trials)
}

// troubled has everything that can go wrong without stopping a run.
func troubled(sizes []int) scene {
	s := measure(cells(sizes, seedLoads[:2]...), 4, 0.01, denoServer, bunServer, nodeServer)
	for i := range s.trials {
		t := &s.trials[i]
		switch {
		case t.Subject == "framed-bun" && t.Block == 2 && t.Cell.Workload.PayloadBytes == 64:
			t.Void = "3 wrong replies: want 64 B of the request, got 0 B"
			t.Stderr = []string{"warning: socket drained twice", "panic: index out of range"}
		case t.Subject == "framed-node" && t.Cell.Load.Connections == 4 && t.Cell.Workload.PayloadBytes == 8:
			t.Void = "exit code 1 after 12 ms"
		case t.Subject == "framed-deno" && t.Block == 1:
			t.Slices[1].Flag = "2.1 % of CPU stolen"
			t.WarmUp.Settled = false
		case t.Subject == "framed-deno" && t.Block == 3 && t.Cell.Workload.PayloadBytes == 1024:
			for j := range 3 {
				t.Slices[j].Flag = "a resting subject burnt CPU"
			}
		}
	}
	s.run.Machine.SharedCPUs = true
	s.run.Machine.Warnings = []string{"only 1 CPU is usable: client and servers share it"}
	s.run.Subjects = append(s.run.Subjects,
		dyno.Subject{Name: "framed-zig", Title: "Zig", Unavailable: "zig is not installed: no package for this platform"},
		dyno.Subject{Name: "framed-java", Title: "Java"}, dyno.Subject{Name: "framed-php", Title: "PHP"})
	s.run.Gates = append(s.run.Gates, dyno.GateResult{Subject: "framed-zig", Fault: "not installed"},
		dyno.GateResult{Subject: "framed-java", Cases: []dyno.CaseResult{
			{Case: "echo", OK: true}, {Case: "split-frame", Reason: "split after byte 1: want 16 B, got 0 B within 2s"}, {Case: "half-close", Reason: "connection reset"}},
			Stderr: []string{"one", "two", "three", "four", "five", "Exception in thread \"main\" java.nio.BufferUnderflowException"}},
		dyno.GateResult{Subject: "framed-php", Fault: "did not listen within 10s"})
	return s
}

func clientBound(sizes []int) scene {
	near := goServer
	near.name, near.title, near.rate, near.scale, near.perByte = "framed-c", "C", 50_000, 0.6, 0.02
	s := measure(cells(sizes, seedLoads[:2]...), 4, 0.01, denoServer, bunServer, near, nullServer)
	for i := range s.trials {
		if s.trials[i].Cell.Load.Connections == 4 {
			for j := range s.trials[i].Slices {
				s.trials[i].Slices[j].ClientBusyNs = 186e6
			}
		}
	}
	return s
}

// hostile has names and messages that would break a terminal, a table or a page.
func hostile(sizes []int) scene {
	evil, long, wide := bunServer, denoServer, goServer
	evil.title = "\x1b[31mB|u`n\x1b[0m\u202e\n<script>alert(1)</script>"
	long.title = "A subject whose title goes on and on and on, as if tables had no end, and then some more"
	wide.title = "服务器漢字🟡🔵"
	s := measure(cells(sizes, seedLoads...), 3, 0.01, evil, long, wide, nullServer)
	for i := range s.trials {
		if s.trials[i].Subject == "framed-go" && s.trials[i].Block == 0 {
			s.trials[i].Void = "wrong | reply: `\x1b]0;owned\x07\x00\xff*bold*` [link](javascript:x)"
			s.trials[i].Stderr = []string{"\x1b[2J\x1b[H" + string(make([]byte, 50)) + "gone", "# heading", "| a | b |", "```", longWord}
		}
	}
	s.run.Machine.CPUModel = "CPU\r\nwith | pipes"
	return s
}

var longWord = string(repeat('x', 400))

func repeat(r rune, n int) []rune {
	runes := make([]rune, n)
	for i := range runes {
		runes[i] = r
	}
	return runes
}
