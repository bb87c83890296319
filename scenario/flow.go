package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"dyno/internal/words"
)

// flow is a scenario as a list of steps; loops are jumps in it.
type flow struct {
	name          string
	weight        float64
	steps         []step
	beforeRequest []string
	afterResponse []string
	onError       []string
}

type stepKind uint8

const (
	stepRequest stepKind = iota
	stepThink
	stepLog
	stepFunction
	stepLoop    // begins a loop, or skips it
	stepLoopEnd // goes on with it, or leaves it
)

// step is one thing to do.
type step struct {
	kind     stepKind
	request  *request
	value    template // think, log
	jitter   any
	function string
	loop     *loop
}

// loop is what both ends of a loop know.
type loop struct {
	from, to   int // steps of the two ends
	count      template
	counted    bool
	over       template
	overName   []string // of the variable with the list
	isOver     bool
	whileTrue  string
	valueName  string
	elementVar string
}

const weightMax = 1e6

// flows prepares all scenarios.
func (r *reader) flows(p *Program, s *Script) error {
	if len(s.Scenarios) == 0 {
		r.keys = []string{"scenarios"}
		return r.fault(errors.New("no scenarios; list what a virtual user does under \"scenarios\""))
	}
	for i := range s.Scenarios {
		spec := &s.Scenarios[i]
		err := r.under(func() error {
			f, err := r.flow(p, spec, strconv.Itoa(i))
			p.flows = append(p.flows, f)
			return err
		}, "scenarios", strconv.Itoa(i))
		if err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(p.flows, func(f *flow) bool { return f.weight > 0 }) {
		r.keys = []string{"scenarios"}
		return r.fault(errors.New("every scenario has the weight 0; give one a weight"))
	}
	for _, hook := range []struct {
		name string
		spec *Scenario
		to   **flow
	}{{"before", s.Before, &p.before}, {"after", s.After, &p.after}} {
		if hook.spec == nil {
			continue
		}
		err := r.under(func() (err error) {
			*hook.to, err = r.flow(p, hook.spec, hook.name)
			return err
		}, hook.name)
		if err != nil {
			return err
		}
	}
	return nil
}

// choose leaves no other scenario than that of a name.
func (r *reader) choose(p *Program, name string) error {
	if name == "" {
		return nil
	}
	var names []string
	chosen := slices.DeleteFunc(slices.Clone(p.flows), func(f *flow) bool {
		names = append(names, f.name)
		return f.name != name
	})
	r.keys = []string{"scenarios"}
	switch {
	case len(chosen) == 0:
		return r.fault(errors.New(words.Unknown("scenario", name, names)))
	case len(chosen) > 1:
		return r.fault(fmt.Errorf("%d scenarios have the name %s; give each one of its own", len(chosen), words.Quote(name)))
	}
	r.keys = nil
	p.flows = chosen
	chosen[0].weight = 1 // it may have been 0
	return nil
}

func (r *reader) flow(p *Program, spec *Scenario, name string) (*flow, error) {
	f := &flow{name: spec.Name, weight: 1, beforeRequest: spec.BeforeRequest, afterResponse: spec.AfterResponse, onError: spec.OnError}
	if f.name == "" {
		f.name = name
	}
	if spec.Weight != nil {
		var err error
		if f.weight, err = aNumber(spec.Weight); err != nil || f.weight < 0 || f.weight > weightMax {
			return f, r.under(func() error {
				return r.fault(fmt.Errorf("\"weight\" is %s; give a number from 0 to %s", shown(spec.Weight), number(weightMax)))
			}, "weight")
		}
	}
	if len(spec.Flow) == 0 {
		return f, r.fault(errors.New("the scenario has no \"flow\"; list its steps there"))
	}
	hooks := func(names []string, key string) error {
		for _, name := range names {
			if err := r.under(func() error { return r.function(p, name) }, key); err != nil {
				return err
			}
			if key == "beforeScenario" || key == "afterScenario" {
				f.steps = append(f.steps, step{kind: stepFunction, function: name})
			}
		}
		return nil
	}
	if err := cmp.Or(hooks(spec.BeforeRequest, "beforeRequest"), hooks(spec.AfterResponse, "afterResponse"), hooks(spec.OnError, "onError")); err != nil {
		return f, err
	}
	if err := hooks(spec.BeforeScenario, "beforeScenario"); err != nil {
		return f, err
	}
	if err := r.under(func() error { return r.steps(p, f, spec.Flow) }, "flow"); err != nil {
		return f, err
	}
	return f, hooks(spec.AfterScenario, "afterScenario")
}

// function checks that the processor has a function. Artillery finds out when it is called.
func (r *reader) function(p *Program, name string) error {
	switch {
	case p.processor == nil:
		return r.fault(fmt.Errorf("the function %s: there is no processor; name a JavaScript file as config.processor", words.Quote(name)))
	case !slices.Contains(p.processor.functions, name):
		return r.fault(fmt.Errorf("the processor: %s", words.Unknown("function", name, p.processor.functions)))
	}
	return nil
}

func (r *reader) steps(p *Program, f *flow, specs []Step) error {
	for i := range specs {
		if err := r.under(func() error { return r.step(p, f, &specs[i]) }, strconv.Itoa(i)); err != nil {
			return err
		}
	}
	return nil
}

// step adds one step of the script, which must have exactly one action.
func (r *reader) step(p *Program, f *flow, s *Step) error {
	var actions []string
	var add func() error
	act := func(key string, is bool, do func() error) {
		if is {
			actions, add = append(actions, key), do
		}
	}
	for _, method := range []struct {
		key  string
		spec *Request
	}{{"get", s.Get}, {"post", s.Post}, {"put", s.Put}, {"patch", s.Patch}, {"delete", s.Delete}, {"head", s.Head}, {"options", s.Options}} {
		act(method.key, method.spec != nil, func() error {
			request, err := r.request(p, method.key, method.spec)
			f.steps = append(f.steps, step{kind: stepRequest, request: request})
			return err
		})
	}
	act("think", s.Think != nil, func() error { return r.think(f, s) })
	act("log", s.Log != nil, func() error { return r.value(f, stepLog, s.Log) })
	act("function", s.Function != "", func() error {
		f.steps = append(f.steps, step{kind: stepFunction, function: s.Function})
		return r.function(p, s.Function)
	})
	act("loop", s.Loop != nil, func() error { return r.loop(p, f, s) })
	switch {
	case len(actions) == 0:
		return r.fault(errors.New("a step does one thing: get, post, put, patch, delete, think, log, function or loop"))
	case len(actions) > 1:
		return r.fault(fmt.Errorf("a step does one thing, and this one has %q and %q; make two steps of it", actions[0], actions[1]))
	case actions[0] != "loop" && (s.Count != nil || s.Over != nil || s.WhileTrue != "" || s.LoopValue != "" || s.LoopElement != ""):
		return r.fault(errors.New("\"count\", \"over\" and \"whileTrue\" belong beside a \"loop\""))
	case actions[0] != "think" && s.Jitter != nil:
		return r.fault(errors.New("\"jitter\" belongs beside a \"think\""))
	}
	return r.under(add, actions[0])
}

func (r *reader) value(f *flow, kind stepKind, v any) error {
	t, err := compile(v)
	if err != nil {
		return r.fault(err)
	}
	f.steps = append(f.steps, step{kind: kind, value: t})
	return nil
}

func (r *reader) think(f *flow, s *Step) error {
	if err := r.value(f, stepThink, s.Think); err != nil {
		return err
	}
	last := &f.steps[len(f.steps)-1]
	last.jitter = s.Jitter
	if f, err := aNumber(s.Think); err == nil && f != math.Trunc(f) {
		r.remark(fmt.Sprintf("think %s is in seconds for dyno, like whole numbers; Artillery 2.0.34 thinks for 1 ms; write \"%sms\" to get the same from both",
			shown(s.Think), number(f*1e3)))
	}
	if last.value.isConstant() {
		if ns, err := thinkNs(last.value.constant); err != nil || ns < 0 {
			return r.fault(fmt.Errorf("\"think\" is %s; write seconds, or text such as \"500ms\"", shown(s.Think)))
		}
	}
	return nil
}

// thinkNs reads a thinking time.
func thinkNs(v any) (int64, error) {
	f, err := seconds(v)
	return int64(min(f, phaseSecondsMax) * 1e9), err
}

func (r *reader) loop(p *Program, f *flow, s *Step) error {
	l := &loop{from: len(f.steps), whileTrue: s.WhileTrue, valueName: s.LoopValue, elementVar: s.LoopElement}
	if l.valueName == "" {
		l.valueName = "$loopCount"
	}
	if l.elementVar == "" {
		l.elementVar = "$loopElement"
	}
	var err error
	if s.Count != nil {
		l.counted = true
		if l.count, err = compile(s.Count); err != nil {
			return r.fault(err)
		}
	}
	if s.Over != nil {
		l.isOver = true
		if name, ok := s.Over.(string); ok {
			l.overName = parsePath(name)
		}
		if l.over, err = compile(s.Over); err != nil {
			return r.fault(err)
		}
	}
	switch {
	case s.WhileTrue != "":
		if err := r.function(p, s.WhileTrue); err != nil {
			return err
		}
	case !l.counted && !l.isOver:
		return r.fault(errors.New("a loop needs a \"count\", an \"over\" or a \"whileTrue\", or it would never end"))
	case len(s.Loop) == 0:
		return r.fault(errors.New("the loop has no steps"))
	}
	f.steps = append(f.steps, step{kind: stepLoop, loop: l})
	if err := r.steps(p, f, s.Loop); err != nil {
		return err
	}
	l.to = len(f.steps)
	f.steps = append(f.steps, step{kind: stepLoopEnd, loop: l})
	return nil
}
