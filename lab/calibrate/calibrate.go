// Package calibrate makes the experiments that show how far verdicts can be trusted: clones of one server
// between which nothing may be found, a slowdown of known size that must be found, a neighbour that must be
// noticed, and slices against continuous windows. It turns suites and subjects into such experiments and
// counts what came of their stored trials.
//
// It measures nothing itself, which is the lab's, and judges nothing, which is stat's.
package calibrate

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/stat/distuv"

	"dyno"
	"dyno/stat"
)

// BusyStepsEnv names the variable that tells a Go server of subjects/ how many steps of arithmetic it must
// spend on each request (subjects/shared/delay).
const BusyStepsEnv = "DYNO_BUSY_STEPS"

// Rate counts how often something happened that could have.
type Rate struct {
	Hits int `json:"hits"`
	Of   int `json:"of"`
}

// Share is the rate from 0 to 1, 0 when nothing could have happened.
func (r Rate) Share() float64 {
	if r.Of == 0 {
		return 0
	}
	return float64(r.Hits) / float64(r.Of)
}

// Interval returns the ends of the exact 95 % interval of the rate. Source: Clopper and Pearson, "The use
// of confidence or fiducial limits illustrated in the case of the binomial", 1934.
func (r Rate) Interval() (low, high float64) {
	hits, misses := float64(r.Hits), float64(r.Of-r.Hits)
	high = 1
	if hits > 0 {
		low = distuv.Beta{Alpha: hits, Beta: misses + 1}.Quantile(stat.Alpha / 2)
	}
	if misses > 0 {
		high = distuv.Beta{Alpha: hits + 1, Beta: misses}.Quantile(1 - stat.Alpha/2)
	}
	return low, high
}

// Plus adds up two counts.
func (r Rate) Plus(o Rate) Rate { return Rate{r.Hits + o.Hits, r.Of + o.Of} }

// String writes the rate with its interval, e.g. "3 of 120 (2.5 %, 95 % interval 0.5 to 7.1 %)".
func (r Rate) String() string {
	if r.Of == 0 {
		return "0 of 0"
	}
	low, high := r.Interval()
	return fmt.Sprintf("%d of %d (%.1f %%, 95 %% interval %.1f to %.1f %%)", r.Hits, r.Of, r.Share()*100, low*100, high*100)
}

// Clones returns n subjects that are all the same server under different names.
func Clones(s dyno.Subject, n int) []dyno.Subject {
	clones := make([]dyno.Subject, n)
	for i := range clones {
		clones[i] = s
		clones[i].Name = fmt.Sprintf("%s#%d", s.Name, i+1)
		clones[i].Title = fmt.Sprintf("%s #%d", s.Title, i+1)
		clones[i].CloneOf = s.Name
	}
	return clones
}

// Slowed returns the server with so many steps of arithmetic more for each request, which makes a reply
// take 1 + slowdown times as long.
func Slowed(s dyno.Subject, slowdown float64, steps int) dyno.Subject {
	slow := s
	slow.Name, slow.Title = s.Name+"#slow", fmt.Sprintf("%s, %.3g %% slower", s.Title, slowdown*100)
	slow.CloneOf, slow.Slowdown = s.Name, slowdown
	slow.Env = map[string]string{BusyStepsEnv: strconv.Itoa(steps)}
	for k, v := range s.Env {
		slow.Env[k] = v
	}
	return slow
}

// BusySteps returns how many steps make a reply of a server that gave ratePerS of them take 1 + slowdown
// times as long. stepNs is what a step takes on the server's CPU. In a closed loop a reply takes 1 ÷ rate
// where the server is the limit, and where a single connection waits for each reply.
func BusySteps(ratePerS, slowdown, stepNs float64) int {
	return int(math.Round(slowdown * 1e9 / ratePerS / stepNs))
}

// Of returns the suite as an experiment on these subjects: named after its kind, without the winner tables,
// claims and baselines that are about others.
func Of(suite dyno.Suite, kind, title string, subjects []dyno.Subject) dyno.Suite {
	suite.Name += "-" + kind
	suite.Title += ": " + title
	suite.Baselines, suite.Claims, suite.Capacity, suite.Versus = false, nil, nil, [2]string{}
	suite.Subjects = nil
	for _, s := range subjects {
		suite.Subjects = append(suite.Subjects, s.Name)
	}
	if len(suite.Subjects) > 1 {
		suite.Versus = [2]string(suite.Subjects[:2])
	}
	return suite
}
