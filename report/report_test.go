package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"unicode"

	"dyno"
	"dyno/internal/golden"
	"dyno/report/internal/typeset"
)

func textOf(t *testing.T, v dyno.Verdict, o Options) string {
	t.Helper()
	var out bytes.Buffer
	if err := Text(&out, v, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func markdownOf(t *testing.T, v dyno.Verdict) string {
	t.Helper()
	var out bytes.Buffer
	if err := Markdown(&out, v); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestGolden(t *testing.T) {
	for name, s := range scenes() {
		t.Run(name, func(t *testing.T) {
			v := s.verdict()
			golden.Check(t, name+".txt", textOf(t, v, Options{}))
			golden.Check(t, name+".md", markdownOf(t, v))
		})
	}
	noisy := scenes()["one-load"].verdict()
	noisy.Run.Suite.Method.BlockError = 0.01
	noisy.Noise.Places, noisy.Noise.ExtraRounds, noisy.Noise.AtLimit = 12, 1204, 3
	golden.Check(t, "rounds-go-on.txt", textOf(t, noisy, Options{}))
	golden.Check(t, "colour.txt", textOf(t, scenes()["one-load"].verdict(), Options{Color: true}))
	golden.Check(t, "narrow.txt", textOf(t, scenes()["troubled"].verdict(), Options{Width: 72}))
}

func TestTextStaysWithinItsWidth(t *testing.T) {
	for name, s := range scenes() {
		v := s.verdict()
		for _, o := range []Options{{}, {Width: 80}, {Width: 500}, {Width: -1}} {
			width := widthMax
			if o.Width == 80 {
				width = 80
			}
			for _, l := range strings.Split(textOf(t, v, o), "\n") {
				if typeset.Width(l) > width {
					t.Errorf("%s: %d columns of %d: %q", name, typeset.Width(l), width, l)
				}
				if strings.HasSuffix(l, " ") {
					t.Errorf("%s: space at the end of %q", name, l)
				}
			}
		}
	}
}

func TestNothingInvisibleComesThrough(t *testing.T) {
	v := scenes()["hostile"].verdict()
	for kind, s := range map[string]string{"text": textOf(t, v, Options{}), "markdown": markdownOf(t, v)} {
		for _, r := range s {
			if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
				t.Errorf("%s contains %U", kind, r)
			}
		}
	}
}

func TestMarkdownTablesKeepTheirShape(t *testing.T) {
	for name, s := range scenes() {
		columns := 0
		for _, l := range strings.Split(markdownOf(t, s.verdict()), "\n") {
			if !strings.HasPrefix(l, "|") {
				columns = 0
				continue
			}
			n := strings.Count(strings.ReplaceAll(l, `\|`, ""), "|")
			if columns != 0 && n != columns {
				t.Errorf("%s: %d bars in a table of %d: %s", name, n, columns, l)
			}
			columns = n
			if strings.Contains(strings.ReplaceAll(l, "\\`", ""), "`") || strings.Contains(l, "<script") {
				t.Errorf("%s: live markup: %s", name, l)
			}
		}
	}
}

func TestJSONIsTheVerdict(t *testing.T) {
	v := scenes()["troubled"].verdict()
	var out bytes.Buffer
	if err := JSON(&out, v); err != nil {
		t.Fatal(err)
	}
	var back dyno.Verdict
	if err := json.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if len(back.Cells) != len(v.Cells) || back.Cells[0].Rows[0].RatePerS != v.Cells[0].Rows[0].RatePerS || len(back.VoidTrials) != len(v.VoidTrials) {
		t.Error("the verdict changed on the way")
	}
	v.Cells[0].Rows[0].RatePerS.Value = math.NaN()
	if err := JSON(&out, v); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("NaN: %v", err)
	}
}

type fullDisk struct{}

var errFull = errors.New("no space left on device")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestAWriterThatFailsIsReported(t *testing.T) {
	v := scenes()["one-load"].verdict()
	for _, err := range []error{Text(fullDisk{}, v, Options{}), Markdown(fullDisk{}, v), JSON(fullDisk{}, v)} {
		if !errors.Is(err, errFull) {
			t.Errorf("got %v", err)
		}
	}
}

func TestAnEmptyVerdictIsReported(t *testing.T) {
	if s := textOf(t, dyno.Verdict{}, Options{}); !strings.Contains(s, "Nothing was measured") {
		t.Errorf("got %q", s)
	}
}
