package dyno_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// arrows says which packages of this module each package may import. Anything absent is forbidden.
// docs/ARCHITECTURE.md draws the same picture and says why it is so.
//
// A key stands for the package and everything below it; so does an entry of its list.
var arrows = map[string][]string{
	"dyno":                     {"dyno/hist"},
	"dyno/mpacket":             {},
	"dyno/hist":                {},
	"dyno/internal/words":      {},
	"dyno/internal/golden":     {},
	"dyno/internal/loopback":   {},
	"dyno/internal/schema":     {"dyno/internal/golden"},
	"dyno/internal/queueing":   {},
	"dyno/internal/strictyaml": {"dyno/internal/words"},
	"dyno/internal/threshold":  {"dyno", "dyno/internal/words"},
	"dyno/load":                {"dyno/hist"},
	"dyno/contract":            {"dyno", "dyno/mpacket", "dyno/load", "dyno/internal/words"},
	"dyno/host":                {"dyno"},
	"dyno/subject":             {"dyno", "dyno/host", "dyno/internal/strictyaml", "dyno/internal/words"},
	"dyno/stat":                {"dyno", "dyno/hist", "dyno/internal/words"},
	"dyno/capacity":            {"dyno", "dyno/stat"},
	"dyno/scenario":            {"dyno", "dyno/hist", "dyno/load", "dyno/contract", "dyno/internal/strictyaml", "dyno/internal/words"},
	"dyno/lab":                 {"dyno", "dyno/hist", "dyno/contract", "dyno/load", "dyno/host", "dyno/subject", "dyno/stat", "dyno/scenario", "dyno/internal/strictyaml", "dyno/internal/threshold", "dyno/internal/words"},
	"dyno/lab/calibrate":       {"dyno", "dyno/host", "dyno/lab", "dyno/stat", "dyno/internal/words"},
	"dyno/store":               {"dyno", "dyno/hist", "dyno/stat", "dyno/internal/words"},
	"dyno/report":              {"dyno", "dyno/hist", "dyno/stat", "dyno/internal/words"},
	"dyno/cmd/dyno":            {"*"},
	"dyno/bench":               {"*"},
	"dyno/subjects":            {"dyno/mpacket"},
}

// why is told to whoever breaks an arrow.
var why = map[string]string{
	"dyno":          "the nouns are plain data; whoever needs I/O has a package of its own",
	"dyno/mpacket":  "others import the codec alone, with the standard library only",
	"dyno/load":     "the engine knows bytes and time; protocols are sessions that contracts provide",
	"dyno/stat":     "verdicts follow from stored trials alone",
	"dyno/report":   "reports are rendered from verdicts alone",
	"dyno/store":    "the store keeps trials and knows nothing of how they came about",
	"dyno/subjects": "servers under test share nothing with the instrument but the codec",
}

type goPackage struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var p goPackage
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// home returns the key of arrows that a package belongs to.
func home(path string) string {
	best := ""
	for key := range arrows {
		if (path == key || key != "dyno" && strings.HasPrefix(path, key+"/")) && len(key) > len(best) {
			best = key
		}
	}
	return best
}

func TestImportArrows(t *testing.T) {
	for _, p := range packages(t) {
		from := home(p.ImportPath)
		if from == "" {
			t.Errorf("%s has no place in the house: add it to arrows_test.go and docs/ARCHITECTURE.md, or move it", p.ImportPath)
			continue
		}
		for _, imported := range p.Imports {
			checkArrow(t, p.ImportPath, from, imported)
		}
	}
}

func checkArrow(t *testing.T, path, from, imported string) {
	t.Helper()
	if imported != "dyno" && !strings.HasPrefix(imported, "dyno/") {
		if from == "dyno/mpacket" && strings.Contains(strings.Split(imported, "/")[0], ".") {
			t.Errorf("%s imports %s: %s", path, imported, why[from])
		}
		return
	}
	to := home(imported)
	if to == from || slices.Contains(arrows[from], to) || slices.Contains(arrows[from], "*") {
		return
	}
	t.Errorf("%s must not import %s: %s may import %v; %s", path, imported, from, arrows[from], why[from])
}

// TestArrowsAreDescribed: who reads docs/ARCHITECTURE.md finds every package there, or the internal folder that it
// is in. The servers of subjects/ are described where they are.
func TestArrowsAreDescribed(t *testing.T) {
	text, err := os.ReadFile("docs/ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packages(t) {
		path := strings.TrimPrefix(p.ImportPath, "dyno/")
		folder, _, _ := strings.Cut(path, "/internal/")
		if strings.HasPrefix(path, "subjects") || strings.Contains(string(text), "`"+path+"`") || strings.Contains(string(text), "`"+folder+"/internal`") {
			continue
		}
		t.Errorf("docs/ARCHITECTURE.md does not say what %s is for and what it never does", p.ImportPath)
	}
}

func TestArrowsHaveNoCycle(t *testing.T) {
	state := map[string]int{} // 1: being visited, 2: done
	var visit func(key string, trail []string)
	visit = func(key string, trail []string) {
		if state[key] == 1 {
			t.Errorf("cycle: %v", append(trail, key))
			return
		}
		if state[key] == 2 || key == "*" {
			return
		}
		state[key] = 1
		for _, to := range arrows[key] {
			visit(to, append(trail, key))
		}
		state[key] = 2
	}
	for key := range arrows {
		visit(key, nil)
	}
}
