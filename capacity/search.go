// Package capacity searches for the highest rate of an open loop at which a server keeps a promise. It
// decides which rates to try and what follows from them. It opens no connection and starts no server:
// a Prober does.
//
// A probe is random: near the capacity the same rate keeps the promise in one window and breaks it in
// the next. So one search is not enough. Each search approaches the capacity anew from a place of its
// own, with a process of its own where there is a choice; what the promise's mean strain is at which
// rate is fitted to the probes of all of them (stat.CapacityOf), and so they have an interval.
package capacity

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"dyno"
	"dyno/stat"
)

// Prober loads a server.
type Prober interface {
	// Begin prepares the server for a search (from 1; 0 is the approach).
	Begin(ctx context.Context, search int) error
	// Probe loads the server at a rate, and judges whether it kept its promise.
	Probe(ctx context.Context, ratePerS float64, w Window) (dyno.CapacityProbe, error)
}

// Window says what a probe is for, and so how long it must be.
type Window int

// The windows of a search.
const (
	Coarse  Window = iota // finds roughly where the capacity lies
	Full                  // long enough for what the promise is about to happen in it
	Confirm               // several times as long
)

// Options say how to search.
type Options struct {
	Searches   int     // independent ones; the interval needs two
	FirstPerS  float64 // the rate to begin with
	LeastPerS  float64 // below it no rate is tried
	MostPerS   float64 // above it no rate is tried
	Resolution float64 // a search probes this share above and below where it takes the capacity to be, e.g. 0.02
	Confirm    bool    // whether a longer probe follows
	Seed       uint64
}

const (
	approachStep  = 2.0  // rates double until the promise breaks
	approachWidth = 1.15 // the approach ends when it knows the capacity to this factor
	searchStep    = 1.08 // of a search that looks for the other side
	closeProbes   = 6    // of a search, near the capacity
	confirmSteps  = 4    // rates that are tried to be confirmed
	confirmStep   = 0.96
	noiseRepeats  = 2
)

// search is the state of Find.
type search struct {
	Options
	Prober
	number int
	found  *dyno.Capacity
	show   func(dyno.CapacityProbe)
	random *rand.Rand
}

// bracket is what a search knows: low kept the promise, high broke it. 0 and infinity are not known.
type bracket struct{ low, high float64 }

// Find searches, and completes found with its probes, the rate and the limit. show sees every probe
// when it is done. When ctx ends, what is known until then is in found, and the error is that of ctx.
func Find(ctx context.Context, p Prober, o Options, found *dyno.Capacity, show func(dyno.CapacityProbe)) error {
	s := &search{Options: o, Prober: p, show: show, found: found, random: rand.New(rand.NewPCG(o.Seed, 0xCA9AC17))}
	err := s.run(ctx)
	found.RatePerS = s.ended()
	found.Limit = limitOf(found)
	found.Curve = stat.Curve(found.Probes)
	if found.RatePerS.N > 0 {
		found.KneePerS, _ = stat.Knee(found.Curve)
	}
	return err
}

func (s *search) run(ctx context.Context) error {
	place, err := s.approach(ctx)
	if err != nil || place == 0 {
		return err
	}
	for s.number = 1; s.number <= s.Searches; s.number++ {
		if err := s.Begin(ctx, s.number); err != nil {
			return err
		}
		if err := s.once(ctx, place); err != nil {
			return err
		}
	}
	if !s.Confirm {
		return nil
	}
	return s.confirm(ctx, s.ended())
}

// ended is the capacity by the searches that came to an end: one that was cut short knows its rate too badly.
func (s *search) ended() dyno.Estimate {
	return s.estimate(func(number int) bool { return number < s.number })
}

// estimate is the capacity by the probes of the searches that count.
func (s *search) estimate(counts func(number int) bool) dyno.Estimate {
	return stat.CapacityOf(slices.DeleteFunc(slices.Clone(s.found.Probes), func(p dyno.CapacityProbe) bool { return !counts(p.Search) }))
}

// probe makes one probe and keeps it. One that was disturbed is kept too, and made again; the rule does
// not look at what it found.
func (s *search) probe(ctx context.Context, ratePerS float64, w Window) (p dyno.CapacityProbe, err error) {
	for repeated := range 1 + noiseRepeats {
		p, err = s.Probe(ctx, ratePerS, w)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return p, err
		}
		p.Search = s.number
		p.Repeated = p.Noise != "" && repeated < noiseRepeats
		s.found.Probes = append(s.found.Probes, p)
		s.show(p)
		if !p.Repeated {
			break
		}
	}
	return p, nil
}

// keeps probes a rate coarsely.
func (s *search) keeps(ctx context.Context, ratePerS float64) (bool, error) {
	p, err := s.probe(ctx, ratePerS, Coarse)
	return p.Kept, err
}

// note adds what came of a probe.
func (b *bracket) note(ratePerS float64, kept bool) {
	if kept {
		b.low = ratePerS
	} else {
		b.high = ratePerS
	}
}

// approach finds roughly where the capacity lies; 0 when even the least rate breaks the promise. One
// stall of the machine must not end it far too low, so a rate that broke the promise is tried again.
func (s *search) approach(ctx context.Context) (ratePerS float64, err error) {
	if err := s.Begin(ctx, 0); err != nil {
		return 0, err
	}
	b := bracket{high: math.Inf(1)}
	rate := s.within(s.FirstPerS)
	for {
		kept, err := s.keeps(ctx, rate)
		if err == nil && !kept {
			kept, err = s.keeps(ctx, rate)
		}
		if err != nil {
			return 0, err
		}
		b.note(rate, kept)
		switch {
		case kept && rate >= s.MostPerS:
			return rate, nil
		case !kept && rate <= s.LeastPerS:
			return 0, nil
		case b.high <= b.low*approachWidth:
			return math.Sqrt(b.low * b.high), nil
		}
		rate = s.next(b, approachStep)
	}
}

// next is the rate to try: between the two sides, or a step beyond the one that is known.
func (s *search) next(b bracket, step float64) float64 {
	rate := math.Sqrt(b.low * b.high)
	switch {
	case math.IsInf(b.high, 1):
		rate = b.low * step
	case b.low == 0:
		rate = b.high / step
	}
	return s.within(rate)
}

// once searches from near a place until one rate kept the promise and another broke it, and probes a few more
// where the capacity seems to be. The searches begin at random distances, so that their steps do not all meet the
// same rates.
func (s *search) once(ctx context.Context, place float64) error {
	b := bracket{high: math.Inf(1)}
	rate := s.within(place * math.Pow(searchStep, s.random.Float64()-0.5))
	for step := searchStep; b.low == 0 || math.IsInf(b.high, 1); step *= searchStep { // far from where it should be: hurry
		p, err := s.probe(ctx, rate, Full)
		if err != nil {
			return err
		}
		b.note(rate, p.Kept)
		if p.Kept && rate >= s.MostPerS || !p.Kept && rate <= s.LeastPerS {
			return nil
		}
		rate = s.next(b, step)
	}
	for k := range closeProbes {
		apart := 1 + s.Resolution
		if k < 2 {
			apart += s.Resolution // the place is not known so well yet
		}
		rate := s.here() * apart
		if k%2 == 1 {
			rate = s.here() / apart
		}
		if _, err := s.probe(ctx, s.within(rate), Full); err != nil {
			return err
		}
	}
	return nil
}

// here is where the capacity seems to be by the probes of this search.
func (s *search) here() float64 {
	return s.estimate(func(number int) bool { return number == s.number }).Value
}

func (s *search) within(ratePerS float64) float64 {
	return min(max(ratePerS, s.LeastPerS), s.MostPerS)
}

// confirm looks for a rate, from the lower end of the interval downwards, that keeps the promise for
// longer than a probe lasts.
func (s *search) confirm(ctx context.Context, e dyno.Estimate) error {
	rate := e.Low
	if !e.Known() {
		rate = e.Value * confirmStep
	}
	for range confirmSteps {
		rate = max(rate, s.LeastPerS)
		p, err := s.probe(ctx, rate, Confirm)
		if err != nil {
			return err
		}
		if p.Kept {
			s.found.Confirmation = &p
			return nil
		}
		rate *= confirmStep
	}
	return nil
}

// Valid refuses options that make no search.
func (o Options) Valid() error {
	switch {
	case o.Searches < 1:
		return fmt.Errorf("%d searches; make at least 1", o.Searches)
	case !(o.LeastPerS > 0 && o.LeastPerS <= o.MostPerS):
		return fmt.Errorf("rates from %g/s to %g/s; the least must be above 0 and at most the most", o.LeastPerS, o.MostPerS)
	case !(o.Resolution >= 0.001 && o.Resolution <= 0.5):
		return fmt.Errorf("a resolution of %g %%; it must lie between 0.1 %% and 50 %%", 100*o.Resolution)
	}
	return nil
}
