package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"dyno"
	"dyno/contract"
	"dyno/host"
	"dyno/lab"
	"dyno/lab/calibrate"
	"dyno/load"
	"dyno/report"
)

const (
	flaggedDoubtful = 0.25 // share of slices
	speedDoubtful   = 0.15 // spread of the fixed loop
	outlookSeed     = 1
)

// aboutNoise measures clones of the null server against each other.
func aboutNoise(cmd *cobra.Command, placement host.Placement) []report.Check {
	fmt.Fprintln(cmd.OutOrStdout(), "Measuring this machine's noise, for about 8 seconds …")
	o, err := outlook(cmd.Context(), placement)
	if err != nil {
		return []report.Check{{Thing: "Noise", Seen: "not measured", Advice: err.Error()}}
	}
	noise := report.Check{Thing: "Noise", Seen: fmt.Sprintf("others took %.1f %% of the CPUs, the hypervisor %.1f %%; %.0f %% of slices flagged",
		o.Foreign*100, o.Stolen*100, o.Flagged*100)}
	if o.Flagged > flaggedDoubtful {
		noise.Advice = "other programs or machines take CPU time from the measurement; close them, or measure when they are quiet"
	}
	speed := report.Check{Thing: "Speed", Seen: fmt.Sprintf("the servers' CPU varied by %.0f %%", o.LoopSpread*100)}
	if o.LoopSpread > speedDoubtful {
		speed.Advice = "the clock rate changes, or somebody shares the core; fix the rate, or leave the other hardware thread idle"
	}
	resolution := report.Check{Thing: "Resolution", Seen: fmt.Sprintf("%s in a minute, %s in ten, %s in an hour (one pair of steady servers)",
		difference(o.Resolves(time.Minute)), difference(o.Resolves(10*time.Minute)), difference(o.Resolves(time.Hour)))}
	if o.Resolves(time.Minute) == 0 {
		resolution.Seen, resolution.Advice = "not known", "too few blocks could be measured; see what the other lines say"
	}
	return []report.Check{noise, speed, resolution}
}

// difference writes a share to two digits, e.g. 0.0213 as "2.1 %".
func difference(share float64) string {
	if share >= 1 {
		return "over 100 %"
	}
	return fmt.Sprintf("%.2g %%", share*100)
}

// outlook measures what Outlook tells, and stores nothing.
func outlook(ctx context.Context, placement host.Placement) (calibrate.Outlook, error) {
	if err := host.PinProcess(placement.ClientCPUs); err != nil {
		return calibrate.Outlook{}, err
	}
	w := &workbench{placement: placement}
	c, err := contract.ByName("framed")
	if err != nil {
		return calibrate.Outlook{}, err
	}
	server, err := w.ceiling(c.Name())
	if err != nil {
		return calibrate.Outlook{}, err
	}
	engine, err := w.engine(load.Auto)
	if err != nil {
		return calibrate.Outlook{}, err
	}
	defer engine.Close()
	kept := &trialList{}
	l := &lab.Lab{
		Engine: engine, Contract: c, Start: w.starter(c), Store: kept,
		Show: func(dyno.Progress) {}, Now: time.Now, Watch: host.NewWatch(placement).Begin,
	}
	run := calibrate.OutlookRun(server, host.Fingerprint(placement), outlookSeed)
	began := time.Now()
	if err := l.Measure(ctx, run, map[dyno.TrialKey]bool{}); err != nil {
		return calibrate.Outlook{}, err
	}
	return calibrate.Look(run, kept.trials, time.Since(began)), nil
}

// trialList is a store of trials that are used at once.
type trialList struct{ trials []dyno.Trial }

func (l *trialList) AddTrials(_ context.Context, _ string, trials []dyno.Trial) error {
	l.trials = append(l.trials, trials...)
	return nil
}
