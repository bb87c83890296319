// Package frame is the command line that dyno's benches share: which items are measured and how often,
// where tables and faults go, and the exit status. It measures nothing, and knows no item.
package frame

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"dyno/bench/internal/table"
)

// Exit statuses, as those of dyno. 0 means that everything was measured and every target met.
const (
	ExitMissed      = 1 // a target was missed, or an item could not be measured
	ExitUsage       = 2
	ExitInterrupted = 130 // as shells report SIGINT
)

// Bench is a program that measures items one after the other. All of them share E, what it prepares.
type Bench[E any] struct {
	Name  string // before every line on standard error
	Start string // how a user starts it, e.g. "go run ./bench"
	About string // what -h prints above the flags
	Items []Item[E]
	// Prepare makes what items share, and prints what stands above all tables.
	Prepare func(quick bool, stdout, stderr io.Writer) (E, error)
}

// Item is one promise, or several, and how they are measured.
type Item[E any] struct {
	Name    string
	Repeat  int  // repetitions; with fewer the item is not judged
	Quick   int  // repetitions with -quick
	Asked   bool // measured only when -items names it
	Measure func(ctx context.Context, shared E, repeat int) ([]Table, error)
}

// Table is what was found, under the name that it is printed with.
type Table struct {
	Name   string
	Result table.Result
}

// One makes the Measure of an item whose single table has the item's name.
func One[E any](name string, measure func(context.Context, E, int) (table.Result, error)) func(context.Context, E, int) ([]Table, error) {
	return func(ctx context.Context, shared E, repeat int) ([]Table, error) {
		r, err := measure(ctx, shared, repeat)
		return []Table{{name, r}}, err
	}
}

// Main runs the bench with the arguments of the program and ends it.
func (b Bench[E]) Main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // the next signal ends the bench at once
	os.Exit(b.Run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// Run executes one command line and returns the exit status.
func (b Bench[E]) Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := b.parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", b.Name, err)
		return ExitUsage
	}
	shared, err := b.Prepare(o.quick, stdout, stderr)
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", b.Name, err)
		return ExitMissed
	}
	var faults []string
	for _, it := range o.items {
		n, judged := o.repetitions(it.Repeat, it.Quick)
		tables, err := it.Measure(ctx, shared, n)
		if ctx.Err() != nil {
			fmt.Fprintf(stderr, "%s: interrupted; run it again, nothing is kept\n", b.Name)
			return ExitInterrupted
		}
		if err != nil {
			table.WriteUnmeasured(stdout, it.Name, err)
			faults = append(faults, fmt.Sprintf("%s: not measured: %v", it.Name, err))
			continue
		}
		for _, t := range tables {
			table.Write(stdout, t.Name, t.Result, judged)
			if judged {
				faults = append(faults, t.Result.Missed(t.Name)...)
			}
		}
	}
	for _, fault := range faults {
		fmt.Fprintf(stderr, "%s: %s\n", b.Name, fault)
	}
	if len(faults) > 0 {
		return ExitMissed
	}
	return 0
}

// options are what the user asked for.
type options[E any] struct {
	items  []Item[E]
	repeat int // 0: what each item needs
	quick  bool
}

// repetitions says how often an item is measured that is judged after so many, and whether it is judged.
func (o options[E]) repetitions(enough, quick int) (n int, judged bool) {
	switch {
	case o.repeat > 0:
		n = o.repeat
	case o.quick:
		n = quick
	default:
		n = enough
	}
	return n, !o.quick && n >= enough
}

// parse reads the command line. What -h prints is the error flag.ErrHelp.
func (b Bench[E]) parse(args []string, stderr io.Writer) (options[E], error) {
	var names, usual []string
	for _, it := range b.Items {
		names = append(names, it.Name)
		if !it.Asked {
			usual = append(usual, it.Name)
		}
	}
	var o options[E]
	flags := flag.NewFlagSet(b.Name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	chosen := flags.String("items", strings.Join(usual, ","), "what to measure")
	flags.IntVar(&o.repeat, "repeat", 0, "repetitions of each item; 0 takes what each needs, fewer are not judged")
	flags.BoolVar(&o.quick, "quick", false, "a short run that prints but does not judge")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(stderr, b.About)
			flags.SetOutput(stderr)
			flags.PrintDefaults()
			return o, err
		}
		return o, fmt.Errorf("%w; see %s -h", err, b.Start)
	}
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("unknown argument %q; choose items with -items %s", flags.Arg(0), *chosen)
	case o.repeat < 0 || o.repeat == 1 || o.repeat > 1000:
		return o, fmt.Errorf("-repeat %d; one run has no spread, so it must lie between 2 and 1000", o.repeat)
	}
	for name := range strings.SplitSeq(*chosen, ",") {
		i := slices.Index(names, strings.TrimSpace(name))
		if i < 0 {
			return o, fmt.Errorf("-items: unknown item %q; choose among %s", name, strings.Join(names, ", "))
		}
		if !slices.ContainsFunc(o.items, func(it Item[E]) bool { return it.Name == names[i] }) {
			o.items = append(o.items, b.Items[i])
		}
	}
	return o, nil
}
