package dyno_test

import (
	"strings"
	"testing"

	"dyno"
)

// TestPromises: what is shown is told from what remains possible.
func TestPromises(t *testing.T) {
	for _, c := range []struct {
		rate  dyno.Rate
		state dyno.PromiseState
		says  string
	}{
		{dyno.Rate{}, dyno.PromiseOpen, "nothing was counted"},
		{dyno.Rate{Hits: 0, Of: 1000, High: 0.0037}, dyno.PromiseKept, "kept, and shown to be"},
		{dyno.Rate{Hits: 0, Of: 100, High: 0.036}, dyno.PromiseOpen, "kept so far, though up to 3.6 % remains possible"},
		{dyno.Rate{Hits: 2, Of: 100, Low: 0.002, High: 0.07}, dyno.PromiseOpen, "exceeded, though as little as 0.2 % remains possible"},
		{dyno.Rate{Hits: 1, Of: 100, Low: 0.01, High: 0.02}, dyno.PromiseOpen, "kept so far, though up to 2.0 % remains possible"},
		{dyno.Rate{Hits: 50, Of: 100, Low: 0.4, High: 0.6}, dyno.PromiseBroken, "broken, and shown to be"},
	} {
		p := c.rate.Promise("it was wrong", 0.01)
		if said := c.rate.Against(0.01); p.State != c.state || said != "promised: at most 1 %; "+c.says {
			t.Errorf("%+v: %s, %q", c.rate, p.State, said)
		}
	}
}

func TestPromisesAboutClones(t *testing.T) {
	check := dyno.CloneCheck{
		Equal:  dyno.Rate{Hits: 0, Of: 400, High: 0.0092},
		Missed: dyno.Rate{Hits: 24, Of: 50, Low: 0.337, High: 0.626}, Slowdown: 0.03,
	}
	var said []string
	for _, p := range check.Promises() {
		said = append(said, string(p.State)+": "+p.String())
	}
	want := "kept: faster or slower was claimed between equal clones in 0 of 400 (0.0 %, 95 % interval 0.0 to 0.9 %), promised: at most 1 %\n" +
		"broken: a slowdown of 3 % was missed in 24 of 50 (48.0 %, 95 % interval 33.7 to 62.6 %), promised: at most 5 %"
	if got := strings.Join(said, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if p := (dyno.CloneCheck{}).Promises(); len(p) > 0 {
		t.Errorf("nothing was counted: %v", p)
	}
}
