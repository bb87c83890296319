package dyno

import (
	"slices"
	"testing"
)

func TestVisitsPlusCountsTheTrialsThatKeptAPromise(t *testing.T) {
	fast, loose := Promise{Said: "p95 < 250"}, Promise{Said: "p95 < 250", Optional: true}
	kept := func(p Promise, kept, broken int64) Promise { p.Kept, p.Broken = kept, broken; return p }
	a := Visits{Requests: 2, Promises: []Promise{kept(fast, 1, 0), kept(loose, 0, 1)}}
	b := Visits{Requests: 3, Promises: []Promise{kept(fast, 0, 1)}}
	sum := a.Plus(b).Plus(Visits{})
	if want := []Promise{kept(fast, 1, 1), kept(loose, 0, 1)}; !slices.Equal(sum.Promises, want) || sum.Requests != 5 {
		t.Errorf("%+v, want %+v", sum, want)
	}
	if a.Promises[0].Broken != 0 {
		t.Error("adding changed what was added to")
	}
}
