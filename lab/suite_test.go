package lab

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"dyno"
	"dyno/load"
)

const goodSuite = `title: T
contract: framed
subjects: [a, b]
versus: [a, b]
payload_bytes: [8, 64]
loads:
  - connections: 1
  - connections: 4
    depth: 2
blocks: 3
quick:
  payload_bytes: [64]
  blocks: 2
  slice: 50ms
  poller: epoll
`

func writeSuite(t *testing.T, name, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestLoadSuite(t *testing.T) {
	dir := writeSuite(t, "s", goodSuite)
	full, err := LoadSuites(dir, "s", false)
	if err != nil {
		t.Fatal(err)
	}
	quick, err := LoadSuites(dir, "s", true)
	if err != nil {
		t.Fatal(err)
	}
	if s := full[0]; len(s.Cells) != 4 || s.Method.Blocks != 3 || s.Method.Poller != "auto" || s.Method.Slice != 36*time.Millisecond || s.Quick {
		t.Errorf("full form: %+v", s)
	}
	want := dyno.Cell{Workload: dyno.Workload{PayloadBytes: 64}, Load: dyno.Load{Connections: 4, Depth: 2}}
	if s := quick[0]; len(s.Cells) != 2 || s.Cells[1] != want || s.Method.Blocks != 2 || s.Method.Rounds != 14 || s.Method.Slice != 50*time.Millisecond || s.Method.Poller != "epoll" || !s.Quick {
		t.Errorf("quick form: %+v", s)
	}
}

func TestZeroIsNotSilence(t *testing.T) {
	text := goodSuite + "  skip: 0s\n  warm_up: 0s\n"
	suites, err := LoadSuites(writeSuite(t, "s", text), "s", true)
	if err != nil {
		t.Fatal(err)
	}
	if m := suites[0].Method; m.Skip != 0 || m.WarmUpMax != 0 {
		t.Errorf("skip %v, warm-up %v; the file says 0s for both", m.Skip, m.WarmUpMax)
	}
}

func TestQuickFormsSetTheErrorOfABlock(t *testing.T) {
	for _, tc := range []struct {
		whole, quick string
		want, short  float64
	}{
		{"", "", 0, 0},
		{"block_error: 1%\n", "", 0.01, 0.01},
		{"block_error: 1%\n", "  block_error: 2.5 %\n", 0.01, 0.025},
		{"block_error: 1%\n", "  block_error: none\n", 0.01, 0},
	} {
		text := strings.Replace(goodSuite, "blocks: 3\n", "blocks: 3\n"+tc.whole, 1) + tc.quick
		for quick, want := range map[bool]float64{false: tc.want, true: tc.short} {
			suites, err := LoadSuites(writeSuite(t, "s", text), "s", quick)
			if err != nil {
				t.Fatal(err)
			}
			m := suites[0].Method
			if most := suites[0].Method.RoundsMost(); m.BlockError != want || (most > m.Rounds) != (want > 0) {
				t.Errorf("%q, %q, quick %v: %g, up to %d rounds", tc.whole, tc.quick, quick, m.BlockError, most)
			}
		}
	}
}

func TestChecksOfSubjectsAreLocated(t *testing.T) {
	dir := writeSuite(t, "s", goodSuite)
	os.WriteFile(filepath.Join(dir, "all.yaml"), []byte("quick_of:\n  - suite: s\n"), 0o644)
	check := func(subject, contract string) error {
		if subject == "b" && contract == "framed" {
			return errors.New("unheard of; use a")
		}
		return nil
	}
	for _, name := range []string{"s", "all"} {
		_, err := LoadSuites(dir, name, false, check)
		if err == nil || !strings.HasSuffix(err.Error(), "s.yaml:3:15: unheard of; use a") {
			t.Errorf("suite %s: %v", name, err)
		}
	}
}

func TestBundleRunsItsMembersQuick(t *testing.T) {
	dir := writeSuite(t, "s", goodSuite+"capacity: {slo: [\"p99<50ms\"], players: true}\n")
	os.WriteFile(filepath.Join(dir, "all.yaml"), []byte("quick_of:\n  - suite: s\n"), 0o644)
	suites, err := LoadSuites(dir, "all", false)
	if err != nil || len(suites) != 1 || !suites[0].Quick || suites[0].Name != "s" || suites[0].Capacity != nil {
		t.Fatalf("%+v, %v", suites, err)
	}
}

func TestBundleNarrowsItsMembers(t *testing.T) {
	const bundle = "quick_of:\n  - suite: s\n    subjects: [b]\n    blocks: 1\n    payload_bytes: [8]\n"
	dir := writeSuite(t, "s", goodSuite)
	all := filepath.Join(dir, "all.yaml")
	os.WriteFile(all, []byte(bundle), 0o644)
	suites, err := LoadSuites(dir, "all", false)
	if err != nil {
		t.Fatal(err)
	}
	if s := suites[0]; len(s.Subjects) != 1 || s.Versus != [2]string{} || s.Method.Blocks != 1 || s.Method.Slice != 50*time.Millisecond || s.Cells[0].Workload.PayloadBytes != 8 {
		t.Errorf("%+v", s)
	}
	for _, tc := range []struct{ from, to, want string }{
		{"[b]", "[c]", `all.yaml:3:16: unknown subject of s "c"`},
		{"[b]", "[b, b]", `all.yaml:3:19: subject "b" is named twice; remove one`},
		{"blocks: 1", "blocks: 0", "all.yaml:4:13: blocks is 0; it must lie between 1 and 1000"},
		{"[8]", "[0]", "all.yaml:5:21: a payload of 0 bytes"},
		{"quick_of:", "rounds: 3\nquick_of:", "all.yaml:1:9: rounds says nothing in a bundle; put it into the suites under quick_of"},
		{"quick_of:", "blocks: 0\nquick_of:", "all.yaml:1:9: blocks says nothing in a bundle"},
		{"quick_of:", "subjects: [a]\nquick_of:", "subjects says nothing in a bundle"},
		{"quick_of:", "title: T\nquick: {blocks: 3}\nquick_of:", "all.yaml:2:8: quick says nothing in a bundle"},
	} {
		os.WriteFile(all, []byte(strings.Replace(bundle, tc.from, tc.to, 1)), 0o644)
		if _, err := LoadSuites(dir, "all", false); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %s", tc.to, err, tc.want)
		}
	}
}

func TestShippedSuitesLoad(t *testing.T) {
	dir := filepath.Join("..", "suites")
	names, err := SuiteNames(dir)
	if err != nil || len(names) < 2 {
		t.Fatalf("%v, %v", names, err)
	}
	for _, name := range names {
		for _, quick := range []bool{false, true} {
			if _, err := LoadSuites(dir, name, quick); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestBadSuitesAreRefusedWithTheirPlace(t *testing.T) {
	for name, tc := range map[string]struct{ from, to, want string }{
		"unknown key":         {"blocks: 3", "blokcs: 3", `s.yaml:10:1: unknown key "blokcs"; did you mean "blocks"?`},
		"unknown quick key":   {"slice: 50ms", "slize: 50ms", `s.yaml:14:3: unknown key "slize"; did you mean "slice"?`},
		"unknown poller":      {"blocks: 3", "poller: kqueue", `s.yaml:10:9: unknown poller "kqueue"; choose from auto, epoll, io_uring`},
		"unknown contract":    {"contract: framed", "contract: frame", `s.yaml:2:11: unknown contract "frame"`},
		"no subjects":         {"[a, b]\nversus: [a, b]", "[]", "s.yaml:3:11: no subjects"},
		"subject twice":       {"subjects: [a, b]", "subjects: [a, b, a]", `s.yaml:3:18: subject "a" is named twice`},
		"versus of three":     {"versus: [a, b]", "versus: [a, b, a]", "s.yaml:4:9: needs two different subjects"},
		"versus unknown":      {"versus: [a, b]", "versus: [a, c]", `s.yaml:4:13: unknown subject of this suite "c"`},
		"zero blocks":         {"blocks: 3", "blocks: 0", "s.yaml:10:9: blocks is 0; it must lie between 1 and 1000"},
		"negative blocks":     {"blocks: 3", "blocks: -3", "s.yaml:10:9: blocks is -3"},
		"absurd blocks":       {"blocks: 3", "blocks: 1000000", "s.yaml:10:9: blocks is 1000000"},
		"zero payload":        {"[8, 64]", "[8, 0]", "s.yaml:5:20: a payload of 0 bytes"},
		"absurd payload":      {"[8, 64]", "[8, 99999999]", "s.yaml:5:20: a payload of 99999999 bytes"},
		"payload twice":       {"[8, 64]", "[8, 8]", "s.yaml:5:20: 8 bytes are listed twice"},
		"no payloads":         {"payload_bytes: [8, 64]\n", "", "a suite of the contract framed needs payload_bytes and loads"},
		"workload of a size":  {"payload_bytes: [8, 64]", "workloads: [GET]", "s.yaml:5:12: the contract framed names no workloads; list sizes under payload_bytes"},
		"zero connections":    {"connections: 1", "connections: 0", "s.yaml:7:18: 0 connections"},
		"missing connections": {"- connections: 1", "- depth: 1", "0 connections"},
		"absurd connections":  {"connections: 1", "connections: 10000000", "s.yaml:7:18: 10000000 connections"},
		"zero depth":          {"depth: 2", "depth: 0", "s.yaml:9:12: depth is 0; it must lie between 1 and 64"},
		"absurd depth":        {"depth: 2", "depth: 65", "s.yaml:9:12: depth is 65"},
		"load twice":          {"connections: 4\n    depth: 2", "connections: 1", "s.yaml:8:5: this load is listed twice"},
		"error of 0":          {"blocks: 3", "blocks: 3\nblock_error: 0%", "s.yaml:11:14: \"block_error\": \"0%\" is no percentage between 0.1% and 50%, such as 1%, nor none"},
		"error of everything": {"blocks: 3", "blocks: 3\nblock_error: 51%", "\"51%\" is no percentage"},
		"error without %":     {"blocks: 3", "blocks: 3\nblock_error: 0.01", "\"0.01\" is no percentage"},
		"error of NaN":        {"blocks: 3", "blocks: 3\nblock_error: NaN%", "\"NaN%\" is no percentage"},
		"error of nothing":    {"blocks: 3", "blocks: 3\nblock_error:", "s.yaml:11:13: \"block_error\" has no value"},
		"zero slice":          {"slice: 50ms", "slice: 0s", "s.yaml:14:10: slice is 0s"},
		"skip eats slice":     {"blocks: 3", "blocks: 3\nskip: 2s", "s.yaml:11:7: skip 2s leaves nothing"},
		"negative skip":       {"blocks: 3", "blocks: 3\nskip: -2ms", "s.yaml:11:7: skip is -2ms"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(goodSuite, tc.from, tc.to, 1)
			if text == goodSuite {
				t.Fatal("the case changes nothing")
			}
			_, err := LoadSuites(writeSuite(t, "s", text), "s", false)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got  %v\nwant %s", err, tc.want)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Error("more than one line")
			}
		})
	}
}

func TestSuitesThatCannotBeRead(t *testing.T) {
	dir := writeSuite(t, "minecraft", goodSuite)
	if _, err := LoadSuites(dir, "minecarft", false); err == nil || err.Error() != `unknown suite "minecarft"; did you mean "minecraft"?` {
		t.Errorf("misspelt: %v", err)
	}
	os.Mkdir(filepath.Join(dir, "folder.yaml"), 0o755)
	if _, err := LoadSuites(dir, "folder", false); err == nil || !strings.Contains(err.Error(), "not a file") {
		t.Errorf("folder: %v", err)
	}
	os.WriteFile(filepath.Join(dir, "self.yaml"), []byte("quick_of:\n  - suite: self\n"), 0o644)
	if _, err := LoadSuites(dir, "self", false); err == nil || !strings.Contains(err.Error(), "only names others") {
		t.Errorf("self: %v", err)
	}
	os.WriteFile(filepath.Join(dir, "lost.yaml"), []byte("quick_of:\n  - suite: minecrft\n"), 0o644)
	if _, err := LoadSuites(dir, "lost", false); err == nil || !strings.Contains(err.Error(), `lost.yaml:2:12: unknown suite "minecrft"; did you mean "minecraft"?`) {
		t.Errorf("lost: %v", err)
	}
}

// TestTheDocumentedSuiteLoads keeps docs/SUITES.md honest: its keys are those that are read.
func TestTheDocumentedSuiteLoads(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "docs", "SUITES.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(data), "```yaml\n")
	if len(blocks) < 3 { // the suite, parts of one, and the bundle
		t.Fatalf("%d YAML blocks, want 2 and more", len(blocks)-1)
	}
	suite, _, _ := strings.Cut(blocks[1], "```")
	suite = strings.Replace(suite, `workloads: ["GET /", "POST /json"] `, "# ", 1)
	bundle, _, _ := strings.Cut(blocks[len(blocks)-1], "```")
	dir := writeSuite(t, "minecraft", suite)
	if err := os.WriteFile(filepath.Join(dir, "all.yaml"), []byte(bundle), 0o644); err != nil {
		t.Fatal(err)
	}
	suites, err := LoadSuites(dir, "all", false)
	if err != nil || len(suites) != 1 || suites[0].Method.Blocks != 3 || len(suites[0].Cells) != 2 || suites[0].Cells[1].Load.Depth != 16 {
		t.Fatalf("%+v, %v", suites, err)
	}
	for key, value := range map[string]string{
		"blocks": "12", "rounds": "14", "block_error": "none", "slice": "36ms", "skip": "6ms", "warm_up": "3s", "reply_within": "2s", "continuous": "false", "poller": "auto", "baselines": "false",
	} {
		if !strings.Contains(string(data), "| `"+key+"` | "+value+" |") {
			t.Errorf("the table does not say that %s is %s by default", key, value)
		}
	}
}

func TestCapacitySections(t *testing.T) {
	for name, c := range map[string]struct {
		section string
		want    dyno.CapacityPlan
	}{
		"players": {"{slo: [\"p99<50ms\"], players: true}", dyno.CapacityPlan{
			Promises: []string{"p99<50ms"}, Workload: dyno.Workload{Name: "players"}, PlayerPerS: 20, Depth: 1, Arrivals: dyno.Poisson,
			Probe: time.Second, Blocks: 5, MostPerS: load.MaxRatePerS, ReplyWithin: 2 * time.Second,
		}},
		"a size": {"{slo: [\"p99.9<5ms\", \"errors<1%\"], payload_bytes: 64, connections: 8, blocks: 3, probe: 2s}", dyno.CapacityPlan{
			Promises: []string{"p99.9<5ms", "errors<1%"}, Workload: dyno.Workload{PayloadBytes: 64}, Connections: 8, Depth: 1, Arrivals: dyno.Poisson,
			Probe: 2 * time.Second, Blocks: 3, MostPerS: load.MaxRatePerS, ReplyWithin: 2 * time.Second,
		}},
	} {
		suites, err := LoadSuites(writeSuite(t, "s", goodSuite+"capacity: "+c.section+"\n"), "s", false)
		if err != nil || !reflect.DeepEqual(*suites[0].Capacity, c.want) {
			t.Errorf("%s: %+v, %v", name, suites, err)
		}
	}
	if suites, err := LoadSuites(writeSuite(t, "s", goodSuite), "s", false); err != nil || suites[0].Capacity != nil {
		t.Errorf("without a section: %+v, %v", suites, err)
	}
}

func TestBadCapacitySections(t *testing.T) {
	for section, want := range map[string]string{
		"{players: true}":                                          "no promise; give one under slo",
		"{slo: [], players: true}":                                 "no promise",
		"{slo: [\"p99>50ms\"], players: true}":                     "promises that something is bad",
		"{slo: [\"p99<50\"], players: true}":                       "p99<50",
		"{slo: [\"p99<50ms\"]}":                                    "needs players, or payload_bytes",
		"{slo: [\"p99<50ms\"], workload: \"GET /\"}":               "needs players, or payload_bytes",
		"{slo: [\"p99<50ms\"], players: true, connections: 5}":     "players say what is sent",
		"{slo: [\"p99<50ms\"], payload_bytes: 8, connections: -1}": "it must lie between 1 and",
		"{slo: [\"p99<50ms\"], players: true, blocks: -1}":         "blocks is -1",
		"{slo: [\"p99<50ms\"], players: true, probe: 1ms}":         "probe is 1ms",
		"{slo: [\"p99<50ms\"], player: true}":                      "did you mean",
	} {
		_, err := LoadSuites(writeSuite(t, "s", goodSuite+"capacity: "+section+"\n"), "s", false)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "s.yaml:") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; want %q", section, err, want)
		}
	}
}
