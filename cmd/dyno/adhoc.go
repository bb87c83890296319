package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dyno"
	"dyno/internal/threshold"
	"dyno/internal/words"
	"dyno/load"
	"dyno/report/adhoc"
)

// Bounds of the flags of ad-hoc loads.
const (
	connectionsMax = 1_000_000
	requestsMax    = 1_000_000_000_000
	loopsMax       = 256
	loadSpinMax    = time.Second
)

// flagsOfPeers are flags of autocannon, wrk, bombardier, oha and hey, and what they are called here.
var flagsOfPeers = map[string]string{
	"a": "-n", "amount": "-n", "threads": "-w", "k": "--insecure", "z": "-d", "q": "-R", "r": "-R",
	"i": "-b @FILE", "input": "-b @FILE", "har": "--corpus", "f": "-b @FILE", "body-file": "-b @FILE", "D": "-b @FILE",
	"W": "--warmup", "overallRate": "-R", "socketPath": "--unix", "unix-socket": "--unix", "o": "--format", "output-format": "--format",
	"expectBody": "--expect-body", "servername": "--sni",
}

// loads reports whether a command makes an ad-hoc load.
func loads(cmd *cobra.Command) bool { return cmd.Name() == "http" || cmd.Name() == "tcp" }

// has reports whether a command has a flag, written as a user does: -n, --name or -n VALUE.
func has(cmd *cobra.Command, written string) bool {
	flag, _, _ := strings.Cut(written, " ")
	if name, long := strings.CutPrefix(flag, "--"); long {
		return cmd.Flags().Lookup(name) != nil
	}
	return len(flag) == 2 && cmd.Flags().ShorthandLookup(flag[1:]) != nil
}

// loadFlags are what `dyno http` and `dyno tcp` have in common.
type loadFlags struct {
	connections, depth, loops   int
	duration, timeout, warmUp   secondsValue
	requests                    int64
	rate, arrivals, poller      string
	spin                        time.Duration
	spinGiven                   bool
	seed                        uint64
	unixPath                    string
	allowRemote, spectrum, json bool
	format                      string
	formatsOf                   string // what --format is about, where it is not about a load by the protocol
	failIf                      []string
	thresholds                  []threshold.Threshold
	openLoop                    bool
	ratePerS, rampToPerS        float64
}

// secondsValue is a time that may be written as load generators do, in bare seconds: 10, 10s or 1m30s.
type secondsValue time.Duration

func (s *secondsValue) Set(text string) error {
	if text != "" && strings.Trim(text, "0123456789.") == "" {
		text += "s"
	}
	d, err := time.ParseDuration(text)
	*s = secondsValue(d)
	return err
}

func (s *secondsValue) String() string { return time.Duration(*s).String() }
func (s *secondsValue) Type() string   { return "duration" }

// register adds the flags to a command. Names and defaults are those of autocannon and wrk, where they
// have them.
func (f *loadFlags) register(cmd *cobra.Command, things string) {
	f.duration, f.timeout = secondsValue(10*time.Second), secondsValue(10*time.Second)
	flags := cmd.Flags()
	flags.IntVarP(&f.connections, "connections", "c", 10, "open so many connections; 10 is what autocannon and wrk take")
	flags.VarP(&f.duration, "duration", "d", "load for this long: seconds, or a time such as 1m30s")
	flags.IntVarP(&f.depth, "pipelining", "p", 1, fmt.Sprintf("%s in flight on each connection, 1 to %d", things, load.MaxDepth))
	flags.Int64VarP(&f.requests, "requests", "n", 0, fmt.Sprintf("send so many %s in all, however long it takes; with -d, whichever ends first", things))
	flags.StringVarP(&f.rate, "rate", "R", "", "open loop: `RATE` per second whatever the server does, or FROM:TO to move from one rate to another")
	flags.StringVar(&f.arrivals, "arrivals", "constant", "how an open loop arrives: constant, or poisson as independent users do")
	flags.IntVarP(&f.loops, "workers", "w", 1, "event loops (the threads of wrk, whose -t is something else here), each on a CPU of its own where there are enough")
	flags.VarP(&f.timeout, "timeout", "t", "a reply later than this is a timeout: seconds, or a time such as 500ms")
	flags.Var(&f.warmUp, "warmup", "load for this long before the clock starts; not counted")
	flags.DurationVar(&f.spin, "spin", 0, "poll this long for a reply before sleeping (default: 200µs where the client has a CPU of its own)")
	flags.StringVar(&f.poller, "poller", "auto", "how the loops ask the kernel: epoll, io_uring, or auto for the cheaper one of this load (TLS has epoll)")
	flags.StringVar(&f.unixPath, "unix", "", "connect to the Unix socket at `PATH` (@NAME for an abstract one)")
	flags.BoolVar(&f.allowRemote, "allow-remote", false, "load a server outside of loopback; only one that you own or may test, for it may fall over")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of every random order (default: a new one, which is printed)")
	flags.BoolVarP(&f.spectrum, "latency", "l", false, "add the whole latency distribution, as HDR tools print and plot it")
	flags.BoolVarP(&f.json, "json", "j", false, "print the result as JSON (schema "+adhoc.Schema+", units in the names)")
	flags.StringArrayVar(&f.failIf, "fail-if", nil, "exit 1 if `EXPRESSION` holds, e.g. 'p99>50ms'; may be repeated")
}

// thresholdHelp explains --fail-if in the long help of a command.
const thresholdHelp = `--fail-if takes a figure, one of > >= < <=, and a limit:
  p50 … p99.99, min, mean, max, stdev           a time with its unit: 50ms
  errors, timeouts, non2xx, late, unsent        a number, or a percentage of requests: 0.1%
  throughput (or rate)                          verified replies per second
Unless you say how many errors may be, none may: dyno exits 0 only when every request got a right
reply (in an open loop, 1 % may still wait at the end), 1 otherwise, 2 for a wrong command line,
130 after Ctrl-C.`

// check refuses what cannot be done, and reads what needs reading.
func (f *loadFlags) check(cmd *cobra.Command, protocol string) error {
	set := cmd.Flags().Changed
	for _, bound := range []struct {
		flag        string
		value       int64
		least, most int64
	}{
		{"connections", int64(f.connections), 1, connectionsMax},
		{"pipelining", int64(f.depth), 1, load.MaxDepth},
		{"workers", int64(f.loops), 1, loopsMax},
	} {
		if bound.value < bound.least || bound.value > bound.most {
			return usagef("--%s %d; it must lie between %d and %d", bound.flag, bound.value, bound.least, bound.most)
		}
	}
	switch {
	case set("requests") && (f.requests < 1 || f.requests > requestsMax):
		return usagef("--requests %d; it must lie between 1 and %d", f.requests, int64(requestsMax))
	case set("requests") && f.requests < int64(f.connections):
		return usagef("--requests %d for %d connections; each needs one, so use fewer connections or more requests", f.requests, f.connections)
	case f.duration <= 0 || time.Duration(f.duration) > load.MaxDuration:
		return usagef("--duration %v; it must be above 0 and at most %v", &f.duration, load.MaxDuration)
	case f.timeout <= 0:
		return usagef("--timeout %v; give a time such as 10s", &f.timeout)
	case f.warmUp < 0 || time.Duration(f.warmUp) > load.MaxDuration:
		return usagef("--warmup %v; it must lie between 0s and %v", &f.warmUp, load.MaxDuration)
	case f.spin < 0 || f.spin > loadSpinMax:
		return usagef("--spin %v; it must lie between 0s and %v", f.spin, loadSpinMax)
	case !slices.Contains(load.Pollers(), f.poller):
		return usage(errors.New("--poller: " + words.Unknown("poller", f.poller, load.Pollers())))
	}
	f.spinGiven = set("spin")
	if set("requests") && !set("duration") {
		f.duration = 0
	}
	if f.seed == 0 {
		f.seed = rand.Uint64()>>12 | 1 // 52 bits survive every tool that reads JSON
	}
	return errors.Join(f.readRate(set("arrivals") && cmd.Flags().Lookup("rate") != nil), f.readFormat(set("format"), protocol), f.readThresholds())
}

func (f *loadFlags) readFormat(given bool, protocol string) error {
	if given {
		if err := adhoc.CheckFormat(f.format, cmp.Or(f.formatsOf, protocol)); err != nil {
			return usage(fmt.Errorf("--format: %w", err))
		}
	}
	switch {
	case f.json && given && f.format != "json":
		return usagef("--json and --format %s; choose one of them", f.format)
	case f.json:
		f.format = "json"
	}
	if f.spectrum && f.format != "" {
		return usagef("--latency belongs to the text that people read; --format %s holds what it holds", f.format)
	}
	return nil
}

func (f *loadFlags) readThresholds() error {
	for _, expression := range f.failIf {
		t, err := threshold.Parse(expression)
		if err != nil {
			return usage(fmt.Errorf("--fail-if: %w", err))
		}
		f.thresholds = append(f.thresholds, t)
	}
	return nil
}

// options are the flags as the report keeps them.
func (f *loadFlags) options() dyno.LoadOptions {
	o := dyno.LoadOptions{
		Load: dyno.Load{Connections: f.connections, Depth: f.depth}, Arrivals: dyno.ClosedLoop,
		RatePerS: f.ratePerS, RampToPerS: f.rampToPerS,
		Duration: time.Duration(f.duration), Requests: f.requests, WarmUp: time.Duration(f.warmUp),
		ReplyWithin: time.Duration(f.timeout), Seed: f.seed,
	}
	if f.openLoop {
		o.Arrivals = dyno.Arrivals(f.arrivals)
	}
	return o
}

// print writes the report where and as the user wants it.
func (f *loadFlags) print(w io.Writer, r *dyno.LoadReport) error {
	if f.format != "" {
		return adhoc.Write(w, r, f.format)
	}
	o := textOptions(w)
	return adhoc.Text(w, r, adhoc.Options{Width: o.Width, Color: o.Color, Spectrum: f.spectrum})
}

// judge turns a report into an exit status: an interruption, broken thresholds, or requests that got no
// right reply while no threshold says how many may.
func (f *loadFlags) judge(ctx context.Context, r *dyno.LoadReport) error {
	if ctx.Err() != nil {
		return &statusError{exitInterrupted, errors.New("interrupted; the figures are of what was done until then")}
	}
	var broken []string
	judged := false
	for _, t := range f.thresholds {
		judged = judged || t.JudgesErrors()
		if isBroken, seen := t.Broken(r); isBroken {
			broken = append(broken, fmt.Sprintf("%s: %s", t, seen))
		}
	}
	switch {
	case len(broken) > 0:
		return &statusError{exitFailed, errors.New("threshold broken: " + strings.Join(broken, "; "))}
	case r.Counts.Verified == 0:
		return &statusError{exitFailed, fmt.Errorf("no reply was verified (%s); %s", reason(r), wayOut(r))}
	case !judged && r.Failed() > 0:
		return &statusError{exitFailed, fmt.Errorf("%d of %s got no right reply (%s); --fail-if 'errors>1%%' lets some pass",
			r.Failed(), words.Count(int(r.Due()), thing(r)), reason(r))}
	case !judged && r.Faults() > 0:
		return &statusError{exitFailed, fmt.Errorf("every %s got its reply, and connections failed all the same (%s)", thing(r), reason(r))}
	case !judged && float64(r.Counts.Unsent) > unsentShareMax*float64(r.Due()):
		return &statusError{exitFailed, fmt.Errorf("%d of %s were due and never sent: the server cannot keep up; lower the rate, or open more connections",
			r.Counts.Unsent, words.Count(int(r.Due()), thing(r)))}
	case r.Partial != "":
		return &statusError{exitFailed, errors.New(r.Partial)}
	}
	return nil
}

// wayOut says what to do about a load that verified nothing.
func wayOut(r *dyno.LoadReport) string {
	commonest := 0
	for code, n := range r.Codes {
		if n > r.Codes[commonest] || n == r.Codes[commonest] && code < commonest {
			commonest = code
		}
	}
	switch {
	case commonestError(r) == load.TLSFailed.String():
		return "does the server want --cert and --key?"
	case r.Options.ExpectStatus != 0 || r.Options.ExpectBody || r.Options.CorpusRequests > 0 || r.Protocol != "http" || commonest == 0:
		return "nothing was measured: look at what the server writes"
	case commonest/100 == 3:
		return fmt.Sprintf("redirects are not followed: load the URL that it leads to, or use --expect-status %d", commonest)
	}
	return fmt.Sprintf("correct the request, or use --expect-status %d", commonest)
}

// thing is what a protocol sends.
func thing(r *dyno.LoadReport) string {
	if r.Protocol == "framed" {
		return "packet"
	}
	return "request"
}

// unsentShareMax is how many of the requests of an open loop may still wait when it ends, as some do
// wherever there is a queue.
const unsentShareMax = 0.01

// reason is the commonest failure, or the first wrong reply.
func reason(r *dyno.LoadReport) string {
	most := commonestError(r)
	switch {
	case most == "":
		return "there was no time for one"
	case most == "wrong" && r.FirstFault != "":
		return "the first: " + r.FirstFault
	}
	return fmt.Sprintf("%s: %d", most, r.Errors[most])
}

// commonestError returns the kind of failure that there was most of; "" when there was none.
func commonestError(r *dyno.LoadReport) string {
	most := ""
	for kind, n := range r.Errors {
		if most == "" || n > r.Errors[most] || n == r.Errors[most] && kind < most {
			most = kind
		}
	}
	return most
}
