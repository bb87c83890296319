package dyno

import "fmt"

// Rate counts how often something happened that could have, with the exact 95 % interval of its chance.
type Rate struct {
	Hits int     `json:"hits"`
	Of   int     `json:"of"`
	Low  float64 `json:"low"` // from 0 to 1, as High
	High float64 `json:"high"`
}

// Share is the rate from 0 to 1, 0 when nothing could have happened.
func (r Rate) Share() float64 {
	if r.Of == 0 {
		return 0
	}
	return float64(r.Hits) / float64(r.Of)
}

// String writes the rate with its interval, e.g. "3 of 120 (2.5 %, 95 % interval 0.5 to 7.1 %)".
func (r Rate) String() string {
	if r.Of == 0 {
		return "0 of 0"
	}
	return fmt.Sprintf("%d of %d (%.1f %%, 95 %% interval %.1f to %.1f %%)", r.Hits, r.Of, r.Share()*100, r.Low*100, r.High*100)
}

// CloneCheck says how often verdicts on clones of one server were wrong: about clones the truth is known.
type CloneCheck struct {
	Equal    Rate `json:"equal"`     // faster or slower between clones that are equal
	EqualCPU Rate `json:"equal_cpu"` // cheaper or dearer between them, where server CPU ranks
	Missed   Rate `json:"missed"`    // slowed clones that were not found slower than an equal one
	Wrong    Rate `json:"wrong"`     // slowed clones that were found faster; Missed counts them too
	// Slowdown is the known size of the slowdown, e.g. 0.03; 0 when nobody was slowed.
	Slowdown float64 `json:"slowdown,omitempty"`
	// Reached is the geometric mean of the slowed clones' rates ÷ those of the others; 0 when nobody was slowed.
	Reached  float64 `json:"reached,omitempty"`
	Compared int     `json:"compared"` // size of the largest family that p-values were corrected for
}

// Of returns how many verdicts were counted.
func (c CloneCheck) Of() int { return c.Equal.Of + c.EqualCPU.Of + c.Missed.Of }

// What dyno promises about clones, as chances from 0 to 1.
const (
	FalseMost  = 0.01 // of verdicts between equal clones that claim a difference
	MissedMost = 0.05 // of slowed clones that are not found
)

// Promises holds dyno to what it promises about the clones that were counted.
func (c CloneCheck) Promises() []PromisedRate {
	var promises []PromisedRate
	for _, p := range []PromisedRate{
		c.Equal.Promise("faster or slower was claimed between equal clones", FalseMost),
		c.EqualCPU.Promise("cheaper or dearer was claimed between equal clones", FalseMost),
		c.Missed.Promise(fmt.Sprintf("a slowdown of %.3g %% was missed", c.Slowdown*100), MissedMost),
	} {
		if p.Rate.Of > 0 {
			promises = append(promises, p)
		}
	}
	return promises
}

// Against says whether a promise was kept that the chance is at most so large, and what remains possible.
func (r Rate) Against(most float64) string {
	said := fmt.Sprintf("promised: at most %.3g %%; ", most*100)
	switch {
	case r.Of == 0:
		return said + "nothing was counted"
	case r.High <= most:
		return said + "kept, and shown to be"
	case r.Low > most:
		return said + "broken, and shown to be"
	case r.Share() <= most:
		return said + fmt.Sprintf("kept so far, though up to %.1f %% remains possible", r.High*100)
	}
	return said + fmt.Sprintf("exceeded, though as little as %.1f %% remains possible", r.Low*100)
}

// PromiseState says what is known of a promise.
type PromiseState string

// The states of a promise.
const (
	PromiseKept   PromiseState = "kept"   // the whole interval lies within it
	PromiseOpen   PromiseState = "open"   // the interval contains it: more must be counted
	PromiseBroken PromiseState = "broken" // the whole interval lies beyond it
)

// PromisedRate is what dyno promises about the chance of something that should not happen, and what was counted.
type PromisedRate struct {
	What  string       `json:"what"` // should not happen, e.g. "a slowdown of 3 % was missed"
	Rate  Rate         `json:"rate"`
	Most  float64      `json:"most"` // the chance that is promised, from 0 to 1
	State PromiseState `json:"state"`
}

// Promise holds a rate to a promise.
func (r Rate) Promise(what string, most float64) PromisedRate {
	p := PromisedRate{What: what, Rate: r, Most: most, State: PromiseOpen}
	switch {
	case r.Of == 0:
	case r.High <= most:
		p.State = PromiseKept
	case r.Low > most:
		p.State = PromiseBroken
	}
	return p
}

// String says what was counted and promised, e.g. "a slowdown of 3 % was missed in 24 of 50 (…), promised: at most 5 %".
func (p PromisedRate) String() string {
	return fmt.Sprintf("%s in %v, promised: at most %.3g %%", p.What, p.Rate, p.Most*100)
}
