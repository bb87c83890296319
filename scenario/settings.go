package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"dyno/internal/words"
)

func (r *reader) target(p *Program, _ *Script) error {
	return r.under(func() error {
		if p.config.Target == "" {
			return r.fault(errors.New("no target; give one as config.target, in an environment (-e), or with --target"))
		}
		target, err := url.Parse(p.config.Target)
		switch {
		case err != nil || target.Hostname() == "" || target.User != nil:
			return r.fault(fmt.Errorf("the target %s is no URL; write it like http://127.0.0.1:8080", words.Quote(p.config.Target)))
		case !spoken(target):
			return r.fault(fmt.Errorf("the target %s: dyno scenario speaks http:// and https://; write one of them, or run this script with Artillery", words.Quote(p.config.Target)))
		}
		p.Target = target
		if verify := p.config.TLS.RejectUnauthorized; verify != nil && !*verify {
			p.insecure = true
		}
		p.config.Target = strings.TrimSuffix(p.config.Target, "/")
		p.shared["target"] = p.config.Target
		return nil
	}, "config", "target")
}

const (
	timeoutDefaultS = 10
	timeoutMaxS     = 24 * 3600
	poolMax         = 1_000_000
)

// settings reads what holds for all requests.
func (r *reader) settings(p *Program, _ *Script) error {
	c := &p.config
	p.timeoutNs = timeoutDefaultS * 1e9
	for _, timeout := range []struct {
		v    any
		keys []string
	}{{c.HTTP.Timeout, []string{"config", "http", "timeout"}}, {c.Timeout, []string{"config", "timeout"}}} {
		if timeout.v == nil {
			continue
		}
		f, err := seconds(timeout.v)
		if err == nil && (f <= 0 || f > timeoutMaxS) {
			err = fmt.Errorf("is %s s; it must lie between 0 and %d", number(f), timeoutMaxS)
		}
		if err != nil {
			return r.under(func() error { return r.fault(fmt.Errorf("\"timeout\" %w", err)) }, timeout.keys...)
		}
		p.timeoutNs = int64(f * 1e9)
	}
	if c.HTTP.Pool != nil {
		f, err := aNumber(c.HTTP.Pool)
		if err != nil || f < 1 || f > poolMax {
			return r.under(func() error {
				return r.fault(fmt.Errorf("\"pool\" is %s; give a number of connections from 1 to %d", shown(c.HTTP.Pool), poolMax))
			}, "config", "http", "pool")
		}
		p.pool = int(f)
	}
	d := c.Defaults
	merge(reflect.ValueOf(&d).Elem(), reflect.ValueOf(c.HTTP.Defaults))
	p.thinkBy = d.Think.Jitter
	return r.under(func() error { return r.requestDefaults(p, d) }, "config", "http", "defaults")
}

// phases makes the schedule. Without any, one user arrives at once, as with Artillery.
func (r *reader) phases(p *Program, _ *Script) error {
	specs := p.config.Phases
	if len(specs) == 0 {
		specs = []Phase{{Duration: 1, ArrivalCount: 1}}
	}
	var phases []phase
	startNs := int64(0)
	for i, spec := range specs {
		ph, err := newPhase(spec, startNs)
		if mode := cmp.Or(spec.Mode, p.config.Mode, "uniform"); err == nil && mode != "uniform" {
			err = fmt.Errorf("the mode %s is one that Artillery has and dyno has not; dyno lets users in uniformly, so run this script with Artillery", words.Quote(mode))
		}
		if err != nil {
			return r.under(func() error { return r.fault(err) }, "config", "phases", strconv.Itoa(i))
		}
		phases = append(phases, ph)
		startNs += ph.lengthNs
	}
	p.arrivals = newArrivals(phases)
	return nil
}

// processorBytesMax is far above what anybody writes by hand.
const processorBytesMax = 4 << 20

func (r *reader) processorFile(p *Program, _ *Script) error {
	name := p.config.Processor
	if name == "" {
		return nil
	}
	return r.under(func() error {
		path := r.beside(name)
		if filepath.Ext(path) == "" {
			path += ".js"
		}
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return r.fault(fmt.Errorf("the processor %s cannot be read: %w; correct its path", words.Quote(name), errors.Unwrap(err)))
		case info.Size() > processorBytesMax:
			return r.fault(fmt.Errorf("the processor %s has more than %d bytes; is it the right file?", words.Quote(name), processorBytesMax))
		}
		p.processor, err = compileProcessor(path)
		if err != nil {
			return r.fault(err)
		}
		return nil
	}, "config", "processor")
}
