package html

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const hostile = "\x1b[31m</style></script><script>alert(1)</script><img src=x onerror=alert(1)>\"'`&\u202e\x00"

func hostilePage() Page {
	table := &Table{Columns: []Column{{Title: hostile}, {Title: "n", Right: true}}, Rows: []Row{
		{ID: Anchor(hostile), Cells: []string{hostile, "1"}, Strong: true}, {Cells: []string{hostile}},
	}}
	return Page{
		Title: hostile, Question: hostile, Answer: []Block{Text{Words: hostile, Manner: "alarm"}}, Made: hostile,
		Links: []Link{{hostile, "verdict.json"}, {hostile, "javascript:alert(1)"}},
		Blocks: []Block{
			Heading{2, hostile}, Heading{3, hostile}, List{{Words: hostile, Quoted: []string{hostile}, Link: &Link{hostile, "#" + Anchor(hostile)}}}, table,
			Gallery{{Title: hostile, SVG: "<svg></svg>", Note: hostile, Table: table}}, Fold{hostile, []Block{Text{Words: hostile}}},
		},
	}
}

func rendered(t *testing.T, p Page) string {
	t.Helper()
	var out strings.Builder
	if err := Render(&out, p); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestEverythingForeignIsEscaped(t *testing.T) {
	s := rendered(t, hostilePage())
	if n := strings.Count(s, "<script>"); n != 1 {
		t.Errorf("%d scripts, want our own alone", n)
	}
	for _, bad := range []string{"<img", "javascript:alert", "\x1b", "\x00", "\u202e"} {
		if strings.Contains(s, bad) {
			t.Errorf("%q came through", bad)
		}
	}
}

// The page loads nothing, and its policy allows no script and no style but the page's own.
func TestThePageIsSelfContained(t *testing.T) {
	s := rendered(t, hostilePage())
	for _, bad := range []string{"http://", "https://", "@import", "url(", " src=", "<link", " style="} {
		if at := strings.Index(s, bad); at >= 0 && !strings.Contains(s[max(at-8, 0):at+40], "&lt;img") {
			t.Errorf("%q at %s", bad, s[max(at-30, 0):at+40])
		}
	}
	for tag, source := range map[string]string{"style": "style-src", "script": "script-src"} {
		body := regexp.MustCompile(`(?s)<` + tag + `>(.*?)</` + tag + `>`).FindStringSubmatch(s)
		if body == nil || !strings.Contains(strings.ReplaceAll(s, "&#43;", "+"), source+" &#39;sha256-"+digest(body[1])+"&#39;") {
			t.Errorf("the policy does not allow the page's own %s", tag)
		}
	}
}

type fullDisk struct{}

var errFull = errors.New("no space left on device")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestAWriterThatFailsIsReported(t *testing.T) {
	if err := Render(fullDisk{}, hostilePage()); !errors.Is(err, errFull) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
}

// Words have a contrast of 4.5 : 1 with what they stand on, and drawings one of 3 : 1, in both themes (WCAG 2.1).
func TestContrast(t *testing.T) {
	themes := regexp.MustCompile(`(?s)\{\s*color-scheme: (light|dark);(.*?)\}`).FindAllStringSubmatch(style, -1)
	if len(themes) != 3 {
		t.Fatalf("%d themes in the style, want light and dark twice", len(themes))
	}
	if plain(themes[1][2]) != plain(themes[2][2]) {
		t.Error("the dark theme of the button differs from that of the system")
	}
	for _, theme := range themes {
		colors := map[string]float64{}
		for _, m := range regexp.MustCompile(`--(\w+): #([0-9a-f]{6})`).FindAllStringSubmatch(theme[2], -1) {
			colors[m[1]] = luminance(t, m[2])
		}
		for name, least := range map[string]float64{"ink": 4.5, "soft": 4.5, "link": 4.5, "alarm": 4.5} {
			for _, ground := range []string{"page", "raised", "band"} {
				if c := contrast(colors[name], colors[ground]); c < least {
					t.Errorf("%s: %s on %s has %.2f, want %v", theme[1], name, ground, c, least)
				}
			}
		}
		for i := range 8 { // series are also the colours of their names
			if c := contrast(colors[fmt.Sprintf("s%d", i)], colors["page"]); c < 4.5 {
				t.Errorf("%s: series %d has %.2f", theme[1], i, c)
			}
		}
		for _, name := range []string{"sx", "va", "vb", "vtie", "vopen"} {
			if c := contrast(colors[name], colors["page"]); c < 3 {
				t.Errorf("%s: %s has %.2f", theme[1], name, c)
			}
		}
	}
}

func plain(s string) string { return strings.Join(strings.Fields(s), " ") }

func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		x := float64(n) / 255
		if x <= 0.04045 {
			x /= 12.92
		} else {
			x = math.Pow((x+0.055)/1.055, 2.4)
		}
		sum += weight * x
	}
	return sum
}

func contrast(a, b float64) float64 { return (max(a, b) + 0.05) / (min(a, b) + 0.05) }

func FuzzSlug(f *testing.F) {
	f.Add("Latency characteristics: service time (closed loop)")
	f.Add(hostile)
	f.Fuzz(func(t *testing.T, s string) {
		if id := Anchor(s, s); strings.ContainsAny(id, " \"'<>&\t\n") {
			t.Fatalf("%q gives the id %q", s, id)
		}
	})
}
