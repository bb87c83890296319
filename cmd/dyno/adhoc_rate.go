package main

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"dyno"
	"dyno/internal/words"
	"dyno/load"
)

// arrivalNames are what --arrivals takes.
var arrivalNames = []string{string(dyno.Constant), string(dyno.Poisson)}

// readRate reads -R: a rate, or FROM:TO.
func (f *loadFlags) readRate(arrivalsGiven bool) error {
	if !slices.Contains(arrivalNames, f.arrivals) {
		return usage(errors.New("--arrivals: " + words.Unknown("kind of arrivals", f.arrivals, arrivalNames)))
	}
	if f.rate == "" {
		if arrivalsGiven {
			return usagef("--arrivals %s needs a rate; add -R, e.g. -R 1000", f.arrivals)
		}
		return nil
	}
	from, to, isRamp := strings.Cut(f.rate, ":")
	var err error
	f.openLoop = true
	if f.ratePerS, err = readRate(from); err == nil && isRamp {
		f.rampToPerS, err = readRate(to)
	}
	switch {
	case err != nil || !isRamp && f.ratePerS == 0 || isRamp && f.rampToPerS == 0:
		return usagef("--rate %s is not a rate above 0 and up to %d per second; write it like 5000, or 0:5000 for a ramp", words.Quote(f.rate), load.MaxRatePerS)
	case isRamp && f.arrivals == string(dyno.Poisson):
		return usagef("--arrivals poisson has one rate; leave out the ramp, or the arrivals")
	case isRamp && f.duration == 0:
		return usagef("--rate %s needs a --duration to move in; add -d", f.rate)
	}
	return nil
}

// readRate reads a rate from 0 on.
func readRate(text string) (float64, error) {
	rate, err := strconv.ParseFloat(text, 64)
	if err == nil && !(rate >= 0 && rate <= load.MaxRatePerS) { // nor NaN
		err = strconv.ErrRange
	}
	return rate, err
}

// schedule returns when requests are due over a window of that length; nil for a closed loop.
func (f *loadFlags) schedule(over time.Duration) load.Schedule {
	switch {
	case !f.openLoop:
		return nil
	case f.rampToPerS > 0:
		return load.Ramp(f.ratePerS, f.rampToPerS, over)
	case f.arrivals == string(dyno.Poisson):
		return load.Poisson(f.ratePerS, f.seed)
	}
	return load.Constant(f.ratePerS)
}

// warmUpSchedule is the load's own, at the first rate of a ramp.
func (f *loadFlags) warmUpSchedule() load.Schedule {
	if f.rampToPerS > 0 {
		return load.Constant(max(f.ratePerS, 1))
	}
	return f.schedule(time.Duration(f.warmUp))
}
