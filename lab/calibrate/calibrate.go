// Package calibrate makes the experiments that show how far verdicts can be trusted: clones of one server
// between which nothing may be found, a slowdown of known size that must be found, a neighbour that must be
// noticed, and slices against continuous windows. It turns suites and subjects into such experiments and
// counts what came of their stored trials.
//
// It measures nothing itself, which is the lab's, and judges nothing, which is stat's.
package calibrate

import (
	"fmt"
	"maps"
	"math"
	"strconv"

	"dyno"
)

// BusyStepsEnv names the variable that tells a Go server of subjects/ how many steps of arithmetic it must
// spend on each request (subjects/shared/delay).
const BusyStepsEnv = "DYNO_BUSY_STEPS"

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

// Busy returns the server with so many steps of arithmetic more for each request.
func Busy(s dyno.Subject, steps int) dyno.Subject {
	env := map[string]string{BusyStepsEnv: strconv.Itoa(steps)}
	maps.Copy(env, s.Env)
	s.Env = env
	return s
}

// Slowed returns n clones of a server of which a reply takes 1 + slowdown times as long as it should.
func Slowed(s dyno.Subject, n int, slowdown float64) []dyno.Subject {
	slow := Clones(s, n)
	for i := range slow {
		slow[i].Name = fmt.Sprintf("%s#slow%d", s.Name, i+1)
		slow[i].Title = fmt.Sprintf("%s, %.3g %% slower #%d", s.Title, slowdown*100, i+1)
		slow[i].Slowdown = slowdown
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
// claims, baselines and searches for capacities that are about others.
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
