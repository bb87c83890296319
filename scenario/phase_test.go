package scenario

import (
	"strings"
	"testing"
)

func TestPhaseCountsAreThoseOfArtillery(t *testing.T) {
	for _, c := range []struct {
		name    string
		phase   Phase
		users   int64
		lengthS float64
	}{
		{"constant", Phase{Duration: 10, ArrivalRate: 3}, 30, 10},
		{"less than one a second", Phase{Duration: 10, ArrivalRate: .35}, 3, 10},
		{"text with units", Phase{Duration: "2m", ArrivalRate: "5"}, 600, 120},
		{"rate 0 is a pause", Phase{Duration: 5, ArrivalRate: 0}, 0, 5},
		{"count", Phase{Duration: 60, ArrivalCount: 3000}, 3000, 60},
		{"pause", Phase{Pause: "1.5s"}, 0, 1.5},
		{"ramp 5 to 20 in 2 s", Phase{Duration: 2, ArrivalRate: 5, RampTo: 20}, 25, 2},
		{"ramp in 1 s is the mean, rounded", Phase{Duration: 1, ArrivalRate: 5, RampTo: 10}, 8, 1},
		{"ramp without a rate begins at 0", Phase{Duration: 3, RampTo: 10}, 15, 3},
		{"ramp down", Phase{Duration: 3, ArrivalRate: 10, RampTo: 0}, 15, 3},
	} {
		p, err := newPhase(c.phase, 0)
		if err != nil || p.users != c.users || p.lengthNs != int64(c.lengthS*1e9) {
			t.Errorf("%s: %d users in %d ns, %v; want %d in %v s", c.name, p.users, p.lengthNs, err, c.users, c.lengthS)
		}
	}
}

func TestPhasesAreNamedAsPeopleCount(t *testing.T) {
	for want, spec := range map[string]Phase{
		"1 user in 1 s": {Duration: 1, ArrivalCount: 1}, "20 users in 0.2 s": {Duration: 0.2, ArrivalCount: 20}, "0 users in 1 s": {Duration: 1, ArrivalCount: 0},
		"1 user/s": {Duration: 5, ArrivalRate: 1}, "2.5 users/s": {Duration: 5, ArrivalRate: 2.5}, "1 to 3 users/s": {Duration: 5, ArrivalRate: 1, RampTo: 3},
	} {
		if p, err := newPhase(spec, 0); err != nil || p.arrivesAt != want {
			t.Errorf("%+v: %q, %v; want %q", spec, p.arrivesAt, err, want)
		}
	}
}

// Whatever the phases: due times never fall, stay within their phase, and every user has one.
func TestArrivalsNeverFall(t *testing.T) {
	var phases []phase
	startNs := int64(0)
	for _, spec := range []Phase{
		{Duration: 3, ArrivalRate: 7}, {Pause: 2}, {Duration: 4, ArrivalRate: 1, RampTo: 2500}, {Duration: 2.5, ArrivalRate: 40, RampTo: 3},
		{Duration: 1, ArrivalCount: 999}, {Duration: 2, ArrivalRate: 0},
	} {
		p, err := newPhase(spec, startNs)
		if err != nil {
			t.Fatal(err)
		}
		phases = append(phases, p)
		startNs += p.lengthNs
	}
	a := newArrivals(phases)
	before, near := int64(0), 0
	for i := range a.users {
		due, at := a.at(i, near)
		p := phases[at]
		// The last second of a ramp may be a part of one, which Artillery takes for a whole one.
		if due < before || due < p.startNs || due > p.startNs+p.lengthNs+1e9 {
			t.Fatalf("user %d is due at %d ns in phase %d, after %d", i, due, at, before)
		}
		if again, _ := a.at(i, 0); again != due {
			t.Fatalf("user %d is due at %d or at %d", i, due, again)
		}
		before, near = due, at
	}
}

func TestPhasesThatMakeNoSense(t *testing.T) {
	for _, c := range []struct {
		phase Phase
		want  string
	}{
		{Phase{}, `needs a "duration"`},
		{Phase{Duration: 5}, `needs an "arrivalRate"`},
		{Phase{Duration: -5, ArrivalRate: 1}, "between 0 and"},
		{Phase{Duration: "soon", ArrivalRate: 1}, "no time"},
		{Phase{Duration: 5, ArrivalRate: "many"}, "no number"},
		{Phase{Duration: 5, ArrivalRate: 1e12}, "between 0 and"},
		{Phase{Pause: 5, ArrivalRate: 1}, "make two phases"},
	} {
		if _, err := newPhase(c.phase, 0); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v; want an error with %q", c.phase, err, c.want)
		}
	}
}
