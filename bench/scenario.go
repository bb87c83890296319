package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dyno/bench/internal/table"
	"dyno/host"
)

// What `dyno scenario` must reach beside Artillery.
var (
	scenarioCostTarget   = table.Target{AtMost: true, Limit: 0.1} // CPU a request, dyno ÷ Artillery
	scenarioRateTarget   = table.Target{Limit: 10}                // users let in per second, dyno ÷ Artillery
	scenarioMemoryTarget = table.Target{AtMost: true, Limit: 200} // MB with 20,000 users at once
)

const (
	scenarioFolder = "bench/scenario"
	artilleryPath  = scenarioFolder + "/node_modules/artillery/bin/run"
	dynoPath       = "bin/dyno"
	scenarioWithin = 60 * time.Second // for any of the runs
	costUsers      = 1500             // in 10 s, beside a run with one user, whose cost is taken off
	flood          = 3000             // users in a second, more than Artillery lets in
	floodDyno      = 30_000           // as many, for dyno, as the limit on open files allows
	heldUsers      = 20_000
)

// artilleryNodes are where a Node that Artillery runs on may be, beside the one in the path.
var artilleryNodes = []string{"subjects/node_modules/node24-linux-x64/bin/node", "subjects/node_modules/node22-linux-x64/bin/node"}

// scenarioRun is what one run of a script came to.
type scenarioRun struct {
	counters map[string]int64
	lastedMs int64 // from the first thing that was counted to the last
	outcome
}

// player runs scripts.
type player struct {
	name string
	argv []string
}

func players() (dyno, artillery player, err error) {
	if missing := fileMissing(artilleryPath, "run `make bench-scenario`, which needs npm"); missing != "" {
		return dyno, artillery, fmt.Errorf("%s", missing)
	}
	node := "node"
	for _, path := range slices.Backward(artilleryNodes) {
		if fileMissing(path, "") == "" {
			node = path
		}
	}
	return player{"dyno", []string{dynoPath, "scenario", "--out", ""}},
		player{"artillery", []string{"env", "ARTILLERY_DISABLE_TELEMETRY=true", node, artilleryPath, "run"}}, nil
}

// play runs a script of bench/scenario on the client's CPU and reads its report file.
func (b *bench) play(ctx context.Context, p player, s *server, script string, users, seconds int) (scenarioRun, error) {
	dir, err := os.MkdirTemp("", "dyno-bench")
	if err != nil {
		return scenarioRun{}, err
	}
	defer os.RemoveAll(dir)
	report := filepath.Join(dir, "report.json")
	argv := append(slices.Clone(p.argv), "--quiet", "--target", "http://"+s.addr.String(), "--output", report)
	if users > 0 {
		argv = append(argv, "--overrides", fmt.Sprintf(`{"config":{"phases":[{"duration":%d,"arrivalCount":%d}]}}`, seconds, users))
	}
	done, err := b.children.runToEnd(ctx, b.placement.ClientCPUs, scenarioWithin, append(argv, filepath.Join(scenarioFolder, script))...)
	if err != nil {
		return scenarioRun{}, fmt.Errorf("%s with %s: %w", p.name, script, err)
	}
	data, err := os.ReadFile(report)
	if err != nil {
		return scenarioRun{}, err
	}
	run, err := parseScenarioReport(data)
	run.outcome = done
	if err != nil {
		err = fmt.Errorf("%s with %s: %w", p.name, script, err)
	}
	return run, err
}

func parseScenarioReport(data []byte) (scenarioRun, error) {
	var file struct {
		Aggregate struct {
			Counters                      map[string]int64
			FirstCounterAt, LastCounterAt int64
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return scenarioRun{}, fmt.Errorf("its report is no JSON: %w", err)
	}
	a := file.Aggregate
	if a.Counters["vusers.created"] == 0 || a.Counters["vusers.completed"] != a.Counters["vusers.created"] {
		return scenarioRun{}, fmt.Errorf("%d of %d users completed; run the bench again on a quieter machine",
			a.Counters["vusers.completed"], a.Counters["vusers.created"])
	}
	return scenarioRun{counters: a.Counters, lastedMs: max(a.LastCounterAt-a.FirstCounterAt, 1)}, nil
}

// perS is how many users were let in and served per second.
func (r scenarioRun) perS() float64 {
	return float64(r.counters["vusers.created"]) / (float64(r.lastedMs) / 1e3)
}

// scenarioSame runs the three examples, and one that keeps users out, with both and compares what they counted.
func scenarioSame(ctx context.Context, b *bench, repeat int) (table.Result, error) {
	dyno, artillery, err := players()
	if err != nil {
		return table.Result{}, err
	}
	s, err := b.serve(shopServer)
	if err != nil {
		return table.Result{}, err
	}
	defer s.stop()
	r := table.Result{
		Setting: "the three official kinds of example, and maxVusers: users, requests, codes and expectations, dyno − Artillery",
		How:     fmt.Sprintf("%d repetitions on the same server; every difference of a counter is added up", repeat),
		Heads:   [2]string{"median", "min … max"},
	}
	for _, script := range []string{"ramp.yml", "capture.yml", "expect.yml", "crowded.yml"} {
		var differences, requests []float64
		for range repeat {
			ours, err := b.play(ctx, dyno, s, script, 0, 0)
			if err != nil {
				return r, err
			}
			theirs, err := b.play(ctx, artillery, s, script, 0, 0)
			if err != nil {
				return r, err
			}
			lines, n := differ(ours.counters, theirs.counters)
			for _, line := range lines {
				b.progress("%s: %s", script, line)
			}
			differences, requests = append(differences, float64(n)), append(requests, float64(ours.counters["http.requests"]))
		}
		same := table.SpreadRow(script+": counts that differ", "", differences)
		same.Target = &table.Target{AtMost: true, Limit: 0}
		r.Rows = append(r.Rows, table.SpreadRow(script+": requests of dyno", "", requests), same)
	}
	return r, nil
}

// differ compares the counters that both must agree on. (Bytes they count in different ways.)
func differ(ours, theirs map[string]int64) (lines []string, sum int64) {
	names := map[string]bool{}
	for _, counters := range []map[string]int64{ours, theirs} {
		for name := range counters {
			names[name] = strings.HasPrefix(name, "vusers.") || strings.HasPrefix(name, "http.") && name != "http.downloaded_bytes" ||
				strings.HasPrefix(name, "errors.") || strings.HasPrefix(name, "plugins.expect.")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if d := ours[name] - theirs[name]; names[name] && d != 0 {
			lines = append(lines, fmt.Sprintf("%s is %d with dyno and %d with Artillery", name, ours[name], theirs[name]))
			sum += max(d, -d)
		}
	}
	return lines, sum
}

// scenarioCost compares CPU per request, the highest rate of arrivals on one core, and memory.
func scenarioCost(ctx context.Context, b *bench, repeat int) (table.Result, error) {
	dyno, artillery, err := players()
	if err != nil {
		return table.Result{}, err
	}
	s, err := b.serve(shopServer)
	if err != nil {
		return table.Result{}, err
	}
	defer s.stop()
	files, err := host.RaiseOpenFiles(floodDyno + openFilesSpare)
	if err != nil && files < 2*openFilesSpare {
		return table.Result{}, err
	}
	most := int(files) - openFilesSpare
	found := map[string]*scenarioFigures{"dyno": {}, "artillery": {}}
	for i := range repeat {
		for _, p := range []player{dyno, artillery} {
			if err := b.scenarioTurn(ctx, p, s, most, found[p.name]); err != nil {
				return table.Result{}, err
			}
		}
		held, err := b.play(ctx, dyno, s, "held.yml", min(heldUsers, most), 4)
		if err != nil {
			return table.Result{}, err
		}
		found["dyno"].heldMB = append(found["dyno"].heldMB, float64(held.rssBytes)/1e6)
		b.progress("scenarios, repetition %d of %d: a request costs dyno %.1f µs and Artillery %.1f µs", i+1, repeat,
			found["dyno"].requestUs[i], found["artillery"].requestUs[i])
	}
	return scenarioResult(found["dyno"], found["artillery"], repeat, min(heldUsers, most)), nil
}

// scenarioFigures are a player's repetitions.
type scenarioFigures struct{ requestUs, loneUs, usersPerS, heldMB []float64 }

func (b *bench) scenarioTurn(ctx context.Context, p player, s *server, usersMax int, f *scenarioFigures) error {
	requestUs, err := b.scenarioRequestUs(ctx, p, s, "three.yml")
	if err != nil {
		return err
	}
	loneUs, err := b.scenarioRequestUs(ctx, p, s, "one.yml")
	if err != nil {
		return err
	}
	users := flood
	if p.name == "dyno" {
		users = min(floodDyno, usersMax)
	}
	most, err := b.play(ctx, p, s, "one.yml", users, 1)
	if err != nil {
		return err
	}
	f.requestUs, f.loneUs = append(f.requestUs, requestUs), append(f.loneUs, loneUs)
	f.usersPerS = append(f.usersPerS, most.perS())
	return nil
}

// scenarioRequestUs is the CPU time in µs of one request of a script: that of many users, less that of one.
func (b *bench) scenarioRequestUs(ctx context.Context, p player, s *server, script string) (float64, error) {
	one, err := b.play(ctx, p, s, script, 1, 10)
	if err != nil {
		return 0, err
	}
	many, err := b.play(ctx, p, s, script, costUsers, 10)
	if err != nil {
		return 0, err
	}
	requests := float64(many.counters["http.requests"] - one.counters["http.requests"])
	return float64((many.cpu - one.cpu).Microseconds()) / requests, nil
}

func scenarioResult(dyno, artillery *scenarioFigures, repeat, heldAtOnce int) table.Result {
	cost := table.SpreadRow("CPU a request, dyno ÷ Artillery", "", table.Ratios(dyno.requestUs, artillery.requestUs))
	cost.Target = &scenarioCostTarget
	lone := table.SpreadRow("CPU of a user's only request, ÷ Artillery", "", table.Ratios(dyno.loneUs, artillery.loneUs))
	lone.Target = &scenarioCostTarget
	rate := table.SpreadRow("users let in, dyno ÷ Artillery", "", table.Ratios(dyno.usersPerS, artillery.usersPerS))
	rate.Target = &scenarioRateTarget
	held := table.SpreadRow(fmt.Sprintf("memory of %d users at once, dyno", heldAtOnce), "MB", dyno.heldMB)
	held.Target = &scenarioMemoryTarget
	return table.Result{
		Setting: "dyno scenario beside Artillery: one connection a user, one core",
		How:     fmt.Sprintf("%d repetitions, in turns; CPU of %d users with 3 requests (or 1) each in 10 s, less that of one;\n  pace of users with one request each that all arrive within a second", repeat, costUsers),
		Heads:   [2]string{"median", "min … max"},
		Rows: []table.Row{
			table.SpreadRow("CPU a request, dyno", "µs", dyno.requestUs), table.SpreadRow("CPU a request, Artillery", "µs", artillery.requestUs), cost, lone,
			table.SpreadRow("users let in and served, dyno", "/s", dyno.usersPerS), table.SpreadRow("users let in and served, Artillery", "/s", artillery.usersPerS), rate,
			held,
		},
	}
}
