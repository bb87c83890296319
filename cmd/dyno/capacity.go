package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dyno"
	"dyno/capacity"
	"dyno/contract/framed"
	"dyno/host"
	"dyno/internal/threshold"
	"dyno/internal/words"
	"dyno/load"
	"dyno/report/adhoc"
)

// capacityFlags are what `dyno capacity` asks, beside what is sent.
type capacityFlags struct {
	httpFlags
	sizes    string
	workload string
	promises []string
	probe    secondsValue
	searches int
	mostPerS float64
	players  bool
	runtimes map[string]string
	slo      []threshold.Threshold
	out      string
	resume   bool
	confirm  bool // whether a longer probe follows; those of a suite confirm each other
}

// Bounds and defaults of a capacity search.
const (
	probeDefault    = 3 * time.Second
	probeLeast      = 200 * time.Millisecond
	searchesMax     = 100
	firstRatePerS   = 500
	leastRatePerS   = 1
	promiseDefault  = "p99<50ms"
	capacityConns   = 64
	searchesDefault = 5
)

func newCapacity() *cobra.Command {
	var f capacityFlags
	cmd := &cobra.Command{
		Use:   "capacity URL|HOST:PORT|SUBJECT [SUBJECT…]",
		Short: "Find the highest rate that keeps a promise about latency and errors",
		Long: `Searches for the highest rate at which a server keeps every promise (--slo): of a URL, of a framed
TCP server at HOST:PORT, or of a subject (see dyno list subjects), of which each search gets a fresh
process.

Requests are due by a clock whatever the server does (open loop), and latency counts from when each
was due. Rates double until the promise breaks; then several independent searches close in on the
rate, and a longer probe confirms the lower end of their interval. Unless you promise otherwise
(errors<…), no request may fail, and 99 % must have been sent when a probe ends.

With --players every connection is a player who sends 20 packets a second of the sizes that people
in a game send, and there are as many connections as players. All arrive independently (Poisson),
which is what many players with clocks of their own look like together. The default promise is
then one tick.

Several subjects are compared: in each block (--searches) every one is searched for in a fresh
process, in random order. All searches are stored as trials of a run (--out), and the report has
verdicts.

The table shows latency against rate, from all probes. The knee is the highest rate whose p99 is
at most twice that of a light load. The exit status is 0 when a rate was found and confirmed, 1
when not. A server outside of loopback needs --allow-remote: the search brings it to its limit, so
it must be yours.`,
		Example: `  dyno capacity http://127.0.0.1:8080/ --slo 'p99<50ms' --slo 'errors<0.1%'
  dyno capacity 127.0.0.1:25565 --size 64 --slo 'p99.9<5ms' -c 256
  dyno capacity framed-bun --slo 'p99<1ms'
  dyno capacity framed-bun --players          how many players get every echo within a tick of 50 ms
  dyno capacity framed-bun framed-deno --players -d 1s   who holds more, by verdict
  dyno capacity http-hono-bun --workload 'GET /' --json`,
		Args: arguments(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return f.compare(cmd, args)
			}
			return f.run(cmd, args[0])
		},
	}
	f.probe, f.timeout = secondsValue(probeDefault), secondsValue(10*time.Second)
	flags := cmd.Flags()
	flags.StringArrayVar(&f.promises, "slo", []string{promiseDefault}, "the promise, `EXPRESSION`: a latency or failures below a limit; may be repeated")
	flags.IntVarP(&f.connections, "connections", "c", capacityConns, "connections that the requests share; one waits when none is free")
	flags.IntVarP(&f.depth, "pipelining", "p", 1, fmt.Sprintf("requests in flight on each connection, 1 to %d", load.MaxDepth))
	flags.VarP(&f.probe, "duration", "d", "length of a probe: seconds, or a time such as 500ms")
	flags.IntVar(&f.searches, "searches", searchesDefault, "independent searches, the n of the interval")
	flags.Float64Var(&f.mostPerS, "most", load.MaxRatePerS, "try no higher rate than this many per second")
	flags.StringVar(&f.arrivals, "arrivals", string(dyno.Poisson), "how requests arrive: poisson as independent users do, or constant")
	flags.IntVarP(&f.loops, "workers", "w", 1, "event loops, each on a CPU of its own where there are enough")
	flags.VarP(&f.timeout, "timeout", "t", "a reply later than this has failed: seconds, or a time such as 500ms")
	flags.DurationVar(&f.spin, "spin", 0, "poll this long for a reply before sleeping (default: 200µs for promises below 1ms where the client has a CPU of its own)")
	flags.StringVar(&f.sizes, "size", "64", "framed: bytes in the payload of a packet")
	flags.BoolVar(&f.players, "players", false, "framed: search for players, each a connection with 20 packets a second of mixed sizes")
	flags.StringVar(&f.workload, "workload", "", "subject: which of its contract's workloads (default: the first)")
	flags.StringToStringVar(&f.runtimes, "runtime", nil, "use your own build of a runtime, `NAME=PATH`")
	flags.Lookup("runtime").DefValue = ""
	flags.StringVar(&f.out, "out", "results", "several subjects: folder of the store and the reports")
	flags.BoolVar(&f.resume, "resume", false, "several subjects: finish the latest interrupted comparison, by its own plan")
	flags.BoolVar(&f.allowRemote, "allow-remote", false, "load a server outside of loopback; only one that you own or may test, for it may fall over")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of every random order (default: a new one, which is printed)")
	flags.BoolVarP(&f.json, "json", "j", false, "print the result as JSON (schema "+adhoc.CapacitySchema+", units in the names)")
	flags.StringVar(&f.format, "format", "", "print the result as json, md or html (a page with the curve drawn)")
	f.registerRequest(cmd)
	return cmd
}

// check refuses what makes no search.
func (f *capacityFlags) check(cmd *cobra.Command) error {
	f.poller, f.duration, f.formatsOf = "auto", f.probe, "capacity"
	if err := f.httpFlags.check(cmd, "http"); err != nil {
		return err
	}
	if !slices.Contains(arrivalNames, f.arrivals) {
		return usage(errors.New("--arrivals: " + words.Unknown("kind of arrivals", f.arrivals, arrivalNames)))
	}
	switch {
	case time.Duration(f.probe) < probeLeast:
		return usagef("--duration %v; a probe must last at least %v", &f.probe, probeLeast)
	case f.searches < 1 || f.searches > searchesMax:
		return usagef("--searches %d; it must lie between 1 and %d", f.searches, searchesMax)
	case !(f.mostPerS >= leastRatePerS && f.mostPerS <= load.MaxRatePerS):
		return usagef("--most %g; it must lie between %d and %d per second", f.mostPerS, leastRatePerS, load.MaxRatePerS)
	}
	if err := f.checkPlayers(cmd); err != nil {
		return err
	}
	var err error
	if f.slo, err = readPromises(f.promises); err != nil {
		return usage(fmt.Errorf("--slo: %w", err))
	}
	return nil
}

// readPromises reads what has to hold. What nobody promised about failures and requests that were not sent is
// implied.
func readPromises(expressions []string) ([]threshold.Threshold, error) {
	all, err := threshold.ParsePromises(expressions)
	if err != nil {
		return nil, err
	}
	judgesErrors, judgesUnsent := false, false
	for i, t := range all {
		judgesErrors = judgesErrors || t.JudgesErrors()
		judgesUnsent = judgesUnsent || strings.HasPrefix(strings.ToLower(strings.TrimSpace(expressions[i])), "unsent")
	}
	for _, implied := range []struct {
		given      bool
		expression string
	}{{judgesErrors, "errors<=0"}, {judgesUnsent, "unsent<=1%"}} {
		if !implied.given {
			t, err := threshold.ParsePromise(implied.expression)
			if err != nil {
				return nil, err
			}
			all = append(all, t)
		}
	}
	return all, nil
}

// checkPlayers refuses flags that mean nothing where the players decide, and bounds them by the files that
// this process may open.
func (f *capacityFlags) checkPlayers(cmd *cobra.Command) error {
	if !f.players {
		return nil
	}
	for _, flag := range []string{"connections", "pipelining", "size", "workload", "arrivals"} {
		if cmd.Flags().Changed(flag) {
			return usagef("--%s cannot be combined with --players, which says how many connections there are and what they send; leave one out", flag)
		}
	}
	most, err := mostPlayersPerS()
	f.connections, f.mostPerS = 1, min(f.mostPerS, most)
	return err
}

// mostPlayersPerS is the rate of as many players as this process may open connections.
func mostPlayersPerS() (float64, error) {
	files, err := host.RaiseOpenFiles(playersWanted + spareFiles)
	if files <= spareFiles {
		return 0, err
	}
	return framed.PlayerRatePerS * float64(files-spareFiles), nil
}

// playersWanted is how many players a search may reach where the limit on open files allows.
const playersWanted = 100_000

// run finds the target, searches, prints and judges.
func (f *capacityFlags) run(cmd *cobra.Command, name string) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	for _, flag := range []string{"out", "resume"} {
		if cmd.Flags().Changed(flag) {
			return usagef("--%s is for several subjects, which are stored as a run; name another subject, or leave it out", flag)
		}
	}
	p, err := f.prober(cmd, name)
	if err != nil {
		return err
	}
	defer p.close()
	if p.load.target.local() {
		alone, release := claimMachine()
		defer release()
		if !alone {
			p.seat.warnings = append(p.seat.warnings, "another dyno was measuring on this machine when this search began: both disturb each other")
		}
	}
	found, err := f.search(cmd, p, name)
	if found == nil {
		return err
	}
	if printErr := f.printCapacity(cmd, found); printErr != nil {
		return printErr
	}
	switch {
	case cmd.Context().Err() != nil:
		return &statusError{exitInterrupted, errors.New("interrupted; the figures are of what was done until then")}
	case err != nil:
		return &statusError{exitFailed, err}
	case found.RatePerS.Value == 0:
		return &statusError{exitFailed, errors.New("no rate kept the promise; promise less, or look at the server")}
	case found.Confirmation == nil:
		return &statusError{exitFailed, errors.New("no rate was confirmed by a longer probe: the server is not steady; try longer probes with -d")}
	}
	return nil
}

// search runs the search; the result is nil when it could not begin.
func (f *capacityFlags) search(cmd *cobra.Command, p *prober, name string) (*dyno.Capacity, error) {
	if _, err := host.RaiseOpenFiles(uint64(f.connections + spareFiles)); err != nil && !f.players {
		return nil, fmt.Errorf("%w, or use fewer connections", err)
	}
	quietGC()
	f.confirm = true
	show := newTicker(cmd.ErrOrStderr())
	return f.find(cmd.Context(), p, name, func(probe dyno.CapacityProbe) { show.line(adhoc.ProbeLine(probe, f.searches)) })
}

// find searches; the result is nil when not even one probe could be made.
func (f *capacityFlags) find(ctx context.Context, p *prober, name string, show func(dyno.CapacityProbe)) (*dyno.Capacity, error) {
	options := capacity.Options{
		Searches: f.searches, FirstPerS: firstRatePerS, LeastPerS: leastRatePerS, MostPerS: f.mostPerS,
		Resolution: dyno.CapacityResolution, Confirm: f.confirm, Seed: f.seed,
	}
	if f.players {
		options.LeastPerS = framed.PlayerRatePerS
	}
	if err := options.Valid(); err != nil {
		return nil, usage(err)
	}
	found := &dyno.Capacity{
		Protocol: p.load.protocol, Target: name, Promises: f.promises, Options: p.load.options,
		Settling: f.settling(), Fresh: p.process != nil || p.subject != nil, StartedAt: time.Now(), Probes: []dyno.CapacityProbe{},
	}
	if f.players {
		found.PlayerPerS = framed.PlayerRatePerS
	}
	found.Options.Duration, found.Options.Arrivals = time.Duration(f.probe), dyno.Arrivals(f.arrivals)
	err := capacity.Find(ctx, p, options, found, show)
	found.EndedAt, found.Instrument = time.Now(), p.instrument
	if ctx.Err() != nil {
		found.Partial = "interrupted"
	} else if err != nil {
		found.Partial = err.Error()
	}
	if len(found.Probes) == 0 {
		return nil, err
	}
	return found, err
}

func (f *capacityFlags) printCapacity(cmd *cobra.Command, found *dyno.Capacity) error {
	if f.format != "" {
		return adhoc.WriteCapacityIn(cmd.OutOrStdout(), found, f.format)
	}
	o := textOptions(cmd.OutOrStdout())
	return adhoc.CapacityText(cmd.OutOrStdout(), found, adhoc.Options{Width: o.Width, Color: o.Color})
}

// ofURLs are flags that mean something to a URL alone; what subjects are sent, their contracts say.
var ofURLs = []string{"method", "header", "body", "expect-status", "expect-body", "insecure", "cert", "key", "sni"}

// meaningless refuses flags that a kind of target would pass over.
func meaningless(cmd *cobra.Command, kind string, flags ...string) error {
	for _, flag := range flags {
		if cmd.Flags().Changed(flag) {
			return usagef("--%s means nothing to %s; leave it out", flag, kind)
		}
	}
	return nil
}

// prober finds out what the target is: a subject by its name, a framed server by HOST:PORT, else a URL.
func (f *capacityFlags) prober(cmd *cobra.Command, name string) (*prober, error) {
	p := &prober{flags: f}
	_, _, hostPort := net.SplitHostPort(name)
	address, isTCP := strings.CutPrefix(name, "tcp://")
	var err error
	switch {
	case isTCP || hostPort == nil && !strings.Contains(name, "/"):
		if err := meaningless(cmd, "a framed server", slices.Concat(ofURLs, []string{"workload", "runtime"})...); err != nil {
			return nil, err
		}
		tcp := tcpFlags{loadFlags: f.loadFlags, sizes: f.sizes}
		if p.load, err = tcp.load(cmd, []string{address}); err == nil && f.players {
			p.load.options.PayloadBytes = nil
			p.load.newSession, err = framed.Contract{}.Traffic(framed.Players, 1, f.seed)
		}
	case strings.Contains(name, "/") && f.players:
		err = usagef("--players are of the framed protocol; %s is a URL, so leave --players out", words.Quote(name))
	case strings.Contains(name, "/"):
		if err := meaningless(cmd, "a URL", "size", "workload", "runtime"); err != nil {
			return nil, err
		}
		p.load, err = f.httpFlags.load(cmd, []string{name})
	default:
		if err := meaningless(cmd, "a subject", ofURLs...); err != nil {
			return nil, err
		}
		err = f.subjectTarget(cmd, p, name)
	}
	if err != nil {
		return nil, err
	}
	p.load.loadFlags = &f.loadFlags
	if p.subject == nil {
		if p.seat, err = f.seat(p.load.target); err != nil {
			return nil, err
		}
		p.findServer()
	}
	f.calm(&p.seat)
	p.seat.urgent = true // a server that is free to move may be on the client's CPU, and the arrivals must be on time
	return p, p.start()
}
