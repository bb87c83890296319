package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"dyno"
	"dyno/capacity"
	"dyno/contract"
	"dyno/contract/framed"
	"dyno/host"
	"dyno/internal/words"
	"dyno/lab"
	"dyno/load"
)

// prober makes the probes of a capacity search with the load engine.
type prober struct {
	flags  *capacityFlags
	load   *adhocLoad
	seat   seat
	engine *load.Engine
	client *load.Client

	// A subject gets a fresh process for each search.
	subject *dyno.Subject
	begin   lab.Starter
	process lab.Process

	serverPIDs []int // of a server that dyno did not start; empty when it is not known
	serverCPUs int   // that the server may use; 0 when it is not known

	probes     uint64
	instrument dyno.LoadInstrument
}

const (
	// warmUpOfSearch is closed-loop load, so that the code of a fresh process is compiled when the
	// first probe begins.
	warmUpOfSearch = time.Second
	confirmProbes  = 3 // lengths of a probe that the confirmation lasts
	warmUpPlayers  = 8
)

// subjectTarget makes the prober one for a subject that has passed its gate.
func (f *capacityFlags) subjectTarget(cmd *cobra.Command, p *prober, name string) error {
	_, w, err := placedBench(cmd, f.runtimes)
	if err != nil {
		return err
	}
	s, err := w.registry.Find(name)
	if err != nil {
		return usagef("%v, and it is no URL and no HOST:PORT", err)
	}
	if s = w.registry.Resolve(cmd.Context(), s); s.Unavailable != "" {
		return fmt.Errorf("%s cannot run here: %s", name, s.Unavailable)
	}
	c, err := contract.ByName(s.Contract)
	if err != nil {
		return usage(err)
	}
	workload, err := f.workloadOf(c)
	if err != nil {
		return err
	}
	p.subject, p.begin = &s, w.starter(c)
	p.serverCPUs = len(w.placement.ServerCPUs)
	if gate := lab.Gate(cmd.Context(), c, s, f.seed, p.begin); !gate.OK() {
		return fmt.Errorf("%s; a subject that breaks its contract gets no number", gateNote(gate))
	}
	if p.load, err = f.subjectLoad(c, s, workload); err != nil {
		return err
	}
	placement := w.placement
	p.seat = seat{cpus: placement.ClientCPUs, warnings: placement.Warnings}
	if !placement.Shared {
		p.seat.spin, p.seat.spinWhy = clientSpin, "the server keeps off its CPU"
	}
	if f.spinGiven {
		p.seat.spin, p.seat.spinWhy = f.spin, "as --spin says"
	}
	return host.PinProcess(placement.ClientCPUs)
}

// subjectLoad is what the probes of a subject send. Its address is that of each process.
func (f *capacityFlags) subjectLoad(c contract.Contract, s dyno.Subject, workload dyno.Workload) (*adhocLoad, error) {
	l := &adhocLoad{loadFlags: &f.loadFlags, protocol: s.Contract, options: f.options()}
	if workload.PayloadBytes > 0 {
		l.options.PayloadBytes = []int{workload.PayloadBytes}
	}
	l.target.shown = fmt.Sprintf("%s, %s", s.Title, workload)
	l.target.addr = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), 0)
	var err error
	l.newSession, err = c.Traffic(workload, f.depth, f.seed)
	return l, err
}

// workloadOf is the workload that was asked for.
func (f *capacityFlags) workloadOf(c contract.Contract) (dyno.Workload, error) {
	known := c.Workloads()
	if f.players {
		if c.Name() != (framed.Contract{}).Name() {
			return dyno.Workload{}, usagef("--players are of the contract %s; this subject keeps %s, so leave --players out", framed.Contract{}.Name(), c.Name())
		}
		return framed.Players, nil
	}
	if len(known) == 0 {
		if f.workload != "" {
			return dyno.Workload{}, usagef("--workload %s: workloads of %s have no names; use --size", words.Quote(f.workload), c.Name())
		}
		sizes, err := (&tcpFlags{loadFlags: f.loadFlags, sizes: f.sizes}).readSizes()
		if err == nil && len(sizes) > 1 {
			err = usagef("--size %s: a subject is searched with one size; give one", words.Quote(f.sizes))
		}
		if err != nil {
			return dyno.Workload{}, err
		}
		return dyno.Workload{PayloadBytes: sizes[0]}, nil
	}
	if f.workload == "" {
		return known[0], nil
	}
	var names []string
	for _, w := range known {
		if strings.EqualFold(w.Name, f.workload) {
			return w, nil
		}
		names = append(names, w.Name)
	}
	return dyno.Workload{}, usage(errors.New("--workload: " + words.Unknown("workload", f.workload, names)))
}

// findServer looks for the process of a server on this machine that dyno did not start, to account for
// its CPU time.
func (p *prober) findServer() {
	if !p.load.target.local() || p.load.target.unixPath != "" {
		return
	}
	owners, _, err := host.ListenerOwners(int(p.load.target.addr.Port()), allProcesses())
	if err != nil || len(owners) == 0 {
		return
	}
	p.serverPIDs = owners
	for _, pid := range owners {
		p.serverPIDs = append(p.serverPIDs, host.Descendants(pid)...)
	}
	slices.Sort(p.serverPIDs)
	p.serverPIDs = slices.Compact(p.serverPIDs)
	p.serverCPUs = len(host.AllowedCPUs())
}

// start starts the engine.
func (p *prober) start() (err error) {
	p.engine, err = p.seat.engine(load.Options{Loops: p.flags.loops, Spin: p.seat.spin, Poller: load.Poller(p.flags.poller)})
	return err
}

func (p *prober) close() {
	p.closeClient()
	if p.engine != nil {
		p.engine.Close()
	}
	if p.process != nil {
		_ = p.process.Stop(context.Background()) // its trial is over; the warden ends what does not end
	}
}

func (p *prober) closeClient() {
	if p.client != nil {
		p.client.Close()
		p.client = nil
	}
}

// Begin gives a subject a fresh process, and opens the connections.
func (p *prober) Begin(ctx context.Context, search int) error {
	if p.subject == nil && p.client != nil {
		return nil // the same server and the same connections
	}
	p.closeClient()
	if p.subject != nil {
		if err := p.renew(ctx); err != nil {
			return err
		}
	}
	if p.flags.players {
		p.flags.connections = warmUpPlayers
	}
	if err := p.open(ctx); err != nil {
		return err
	}
	_, err := p.client.Run(ctx, load.Window{Duration: warmUpOfSearch})
	return err
}

// open opens the connections anew.
func (p *prober) open(ctx context.Context) (err error) {
	p.closeClient()
	p.load.sessions = nil
	p.client, err = p.load.open(ctx, p.engine)
	return err
}

// gather opens a connection for each player that a rate stands for.
func (p *prober) gather(ctx context.Context, ratePerS float64) error {
	players := max(int(math.Round(ratePerS/framed.PlayerRatePerS)), 1)
	if p.client != nil && players == p.flags.connections {
		return nil
	}
	p.flags.connections = players
	return p.open(ctx)
}

// renew ends the subject's process and starts another.
func (p *prober) renew(ctx context.Context) (err error) {
	if p.process != nil {
		if err := p.process.Stop(ctx); err != nil {
			return err
		}
		p.process = nil
	}
	if p.process, err = p.begin(ctx, *p.subject); err != nil {
		return err
	}
	p.load.target.addr, err = netip.ParseAddrPort(p.process.Addr())
	return err
}

// Probe loads the server for one window.
func (p *prober) Probe(ctx context.Context, ratePerS float64, w capacity.Window) (dyno.CapacityProbe, error) {
	head, length := p.flags.settling(), time.Duration(p.flags.probe)
	switch w {
	case capacity.Full:
		length = p.flags.longEnough(ratePerS)
	case capacity.Confirm:
		length = confirmProbes * p.flags.longEnough(ratePerS)
	}
	if p.flags.players {
		if err := p.gather(ctx, ratePerS); err != nil {
			return dyno.CapacityProbe{}, err
		}
	}
	p.probes++
	schedule := load.Constant(ratePerS)
	if p.flags.arrivals == string(dyno.Poisson) {
		schedule = load.Poisson(ratePerS, p.flags.seed+p.probes)
	}
	codes := p.load.codes()
	before := p.spent()
	began := time.Now()
	result, err := p.client.Run(ctx, load.Window{Duration: head + length, Skip: head, Schedule: schedule})
	if err != nil {
		return dyno.CapacityProbe{}, err
	}
	took, after := time.Since(began), p.spent()
	r := p.load.report(result, p.seat)
	r.Codes = less(p.load.codes(), codes)
	r.Options.RatePerS, r.Options.Arrivals = ratePerS, dyno.Arrivals(p.flags.arrivals)
	p.instrument = r.Instrument
	if fault := p.fault(); fault != "" {
		return dyno.CapacityProbe{}, fmt.Errorf("%s at %.0f/s: %s", p.load.target.shown, ratePerS, fault)
	}
	if r.Counts.Verified == 0 && p.gone(ctx) {
		return dyno.CapacityProbe{}, fmt.Errorf("%s takes no connections any more at %.4g/s: the server died of it or was stopped; start it again, and look at what it wrote", p.load.target.shown, ratePerS)
	}
	probe := p.flags.judgeProbe(r)
	probe.ServerCPUShare = p.cpuShare(before, after, took)
	return probe, nil
}

// gone reports whether the server refuses connections: then no lower rate can be kept either.
func (p *prober) gone(ctx context.Context) bool {
	network, address := "tcp", p.load.target.address()
	if p.load.target.unixPath != "" {
		network = "unix"
	}
	c, err := (&net.Dialer{Timeout: probeWithin}).DialContext(ctx, network, address)
	if err == nil {
		c.Close()
	}
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist)
}

// spent is the CPU time of the server until now.
type spent struct {
	totalNs int64
	threads map[int]int64
	known   bool
}

func (p *prober) spent() spent {
	if p.process != nil {
		ns, err := p.process.CPUTime()
		return spent{totalNs: ns, known: err == nil}
	}
	ns, err := host.TreeCPUTime(p.serverPIDs)
	return spent{ns, host.ThreadCPUTimes(p.serverPIDs), err == nil && len(p.serverPIDs) > 0}
}

// cpuShare is how near the server was to its limit: the share of the CPUs that it may use, or of one
// CPU by its busiest thread, whichever is larger; -1 where it is not known.
func (p *prober) cpuShare(before, after spent, took time.Duration) float64 {
	if !before.known || !after.known || p.serverCPUs == 0 {
		return -1
	}
	all := float64(after.totalNs-before.totalNs) / float64(p.serverCPUs)
	busiest := float64(host.BusiestThread(before.threads, after.threads))
	return max(all, busiest) / float64(took)
}

// fault says why a subject's process must not be trusted any more; "" when it may.
func (p *prober) fault() string {
	if p.process == nil {
		return ""
	}
	return p.process.Fault()
}
