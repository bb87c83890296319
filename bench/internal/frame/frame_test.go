package frame

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"dyno/bench/internal/table"
)

// probe returns a bench of three items whose tables say what they were asked for.
func probe() Bench[string] {
	item := func(name string, asked bool, figure float64) Item[string] {
		return Item[string]{Name: name, Repeat: 5, Quick: 2, Asked: asked, Measure: One(name,
			func(_ context.Context, shared string, repeat int) (table.Result, error) {
				if figure < 0 {
					return table.Result{}, errors.New("no tool")
				}
				row := table.SpreadRow("figure", "", []float64{figure})
				row.Target = &table.Target{AtMost: true, Limit: 1}
				return table.Result{Setting: fmt.Sprintf("%s, %d times", shared, repeat), Heads: [2]string{"median", "min … max"}, Rows: []table.Row{row}}, nil
			})}
	}
	return Bench[string]{
		Name: "probe", Start: "go run ./probe", About: "Measures what it is told.\n\n",
		Items: []Item[string]{item("met", false, 0.5), item("missed", false, 2), item("absent", true, -1)},
		Prepare: func(quick bool, stdout, _ io.Writer) (string, error) {
			fmt.Fprintln(stdout, "the head")
			return fmt.Sprintf("quick %v", quick), nil
		},
	}
}

func TestParse(t *testing.T) {
	for _, test := range []struct {
		args, items string
		repeat      int
		quick       bool
		fault       string
	}{
		{args: "", items: "met missed"},
		{args: "-quick", items: "met missed", quick: true},
		{args: "-items absent,met,absent -repeat 7", items: "absent met", repeat: 7},
		{args: "-items mett", fault: `-items: unknown item "mett"; choose among met, missed, absent`},
		{args: "-items=", fault: `-items: unknown item ""; choose among met, missed, absent`},
		{args: "-repeat 1", fault: "-repeat 1; one run has no spread, so it must lie between 2 and 1000"},
		{args: "-repeat -3", fault: "-repeat -3; one run has no spread, so it must lie between 2 and 1000"},
		{args: "-repeat 1001", fault: "-repeat 1001; one run has no spread, so it must lie between 2 and 1000"},
		{args: "-repeat many", fault: `invalid value "many" for flag -repeat: parse error; see go run ./probe -h`},
		{args: "-fast", fault: "flag provided but not defined: -fast; see go run ./probe -h"},
		{args: "met", fault: `unknown argument "met"; choose items with -items met,missed`},
	} {
		o, err := probe().parse(strings.Fields(test.args), io.Discard)
		if test.fault != "" {
			if err == nil || err.Error() != test.fault {
				t.Errorf("%q: error %v, want %q", test.args, err, test.fault)
			}
			continue
		}
		var names []string
		for _, it := range o.items {
			names = append(names, it.Name)
		}
		if got := strings.Join(names, " "); err != nil || got != test.items || o.repeat != test.repeat || o.quick != test.quick {
			t.Errorf("%q: %q, repeat %d, quick %v, error %v", test.args, got, o.repeat, o.quick, err)
		}
	}
}

func TestRepetitions(t *testing.T) {
	for _, test := range []struct {
		o      options[string]
		n      int
		judged bool
	}{
		{options[string]{}, 5, true},
		{options[string]{quick: true}, 2, false},
		{options[string]{repeat: 4}, 4, false},
		{options[string]{repeat: 9}, 9, true},
		{options[string]{repeat: 9, quick: true}, 9, false},
	} {
		if n, judged := test.o.repetitions(5, 2); n != test.n || judged != test.judged {
			t.Errorf("%+v: %d, %v; want %d, %v", test.o, n, judged, test.n, test.judged)
		}
	}
}

func TestRun(t *testing.T) {
	interrupted, interrupt := context.WithCancel(context.Background())
	interrupt()
	for _, test := range []struct {
		args   string
		ctx    context.Context
		code   int
		stdout []string
		stderr string
	}{
		{"-items met", context.Background(), 0, []string{"the head", "quick false, 5 times"}, ""},
		{"", context.Background(), ExitMissed, []string{"quick false, 5 times"}, "probe: missed: missed: figure is 2.000 (2.000 … 2.000), target ≤ 1\n"},
		{"-quick", context.Background(), 0, []string{"quick true, 2 times"}, ""},
		{"-items absent,met", context.Background(), ExitMissed, []string{"no tool", "met"}, "probe: absent: not measured: no tool\n"},
		{"-items met", interrupted, ExitInterrupted, []string{"the head"}, "probe: interrupted; run it again, nothing is kept\n"},
		{"-items all", context.Background(), ExitUsage, nil, "probe: -items: unknown item \"all\"; choose among met, missed, absent\n"},
	} {
		var stdout, stderr bytes.Buffer
		if code := probe().Run(test.ctx, strings.Fields(test.args), &stdout, &stderr); code != test.code || stderr.String() != test.stderr {
			t.Errorf("%q: exit status %d, want %d; stderr %q", test.args, code, test.code, &stderr)
		}
		for _, want := range test.stdout {
			if !strings.Contains(stdout.String(), want) {
				t.Errorf("%q: %q is not in\n%s", test.args, want, &stdout)
			}
		}
		if test.stdout == nil && stdout.Len() > 0 {
			t.Errorf("%q: printed %q", test.args, &stdout)
		}
	}
}

func TestHelp(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := probe().Run(context.Background(), []string{"-h"}, &stdout, &stderr); code != 0 || stdout.Len() > 0 {
		t.Errorf("exit status %d; stdout %q", code, &stdout)
	}
	if text := stderr.String(); !strings.HasPrefix(text, "Measures what it is told.\n\n") || !strings.Contains(text, `(default "met,missed")`) {
		t.Errorf("help:\n%s", text)
	}
}
