package lab

import (
	"context"
	"sync"

	"dyno"
	"dyno/contract"
)

// Gate checks one subject: a fresh process, every case of the contract, and a clean end. It never
// fails; what goes wrong is in the result.
func Gate(ctx context.Context, c contract.Contract, s dyno.Subject, seed uint64, start Starter) dyno.GateResult {
	g := dyno.GateResult{Subject: s.Name, Contract: c.Name()}
	if s.Unavailable != "" {
		g.Fault = "unavailable: " + s.Unavailable
		return g
	}
	p, err := start(ctx, s)
	if err != nil {
		g.Fault, g.Stderr = err.Error(), lastWords(err)
		return g
	}
	g.Cases = c.Verify(ctx, p.Addr(), seed)
	fault := p.Fault()
	g.Stderr = p.Stderr()
	if err := p.Stop(context.Background()); err != nil && fault == "" {
		fault = err.Error()
	}
	g.Fault = fault
	return g
}

// gatesAtOnce is how many subjects are gated side by side: nothing is measured meanwhile.
const gatesAtOnce = 4

// contractOf returns the contract that a subject promises to keep: a baseline keeps another than the suite.
func contractOf(s dyno.Subject, suite contract.Contract) contract.Contract {
	if own, err := contract.ByName(s.Contract); err == nil {
		return own
	}
	return suite // unknown ones were refused when the manifests were read
}

// Gates checks several subjects, each by its own contract, and calls done after each, one call at a time. Results keep the
// order of the subjects.
func Gates(ctx context.Context, c contract.Contract, subjects []dyno.Subject, seed uint64,
	start Starter, done func(dyno.GateResult)) []dyno.GateResult {
	results := make([]dyno.GateResult, len(subjects))
	slots := make(chan struct{}, gatesAtOnce)
	var wg sync.WaitGroup
	var mu sync.Mutex
	for i, s := range subjects {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			results[i] = Gate(ctx, contractOf(s, c), s, seed, start)
			mu.Lock()
			defer mu.Unlock()
			done(results[i])
		})
	}
	wg.Wait()
	return results
}
