package scenario

import (
	"fmt"
	"strings"

	"dyno/internal/words"
)

// tracing gives every request a traceparent of its own (W3C Trace Context), so that the server's traces can be found.
type tracing struct {
	prefix string // of the trace's id, in hexadecimal digits
	flags  string
}

const (
	traceDigits     = 32
	tracePrefixMost = 8
	tracePrefix     = "a9" // unless the script names another
)

// tracing reads config.http.distributedTracing: true, or an object.
func (r *reader) tracing(p *Program, _ *Script) error {
	v := plain(p.config.HTTP.DistributedTracing)
	return r.under(func() error {
		on, isBool := v.(bool)
		object, isObject := v.(map[string]any)
		if v == nil || isBool && !on {
			return nil
		}
		if !isBool && !isObject {
			return r.fault(fmt.Errorf("\"distributedTracing\" is %s; write true, or an object with enabled, sampled and traceIdPrefix", shown(v)))
		}
		t := &tracing{prefix: tracePrefix, flags: "01"}
		for key, value := range object {
			switch key {
			case "enabled":
				if !truthy(value) {
					return nil
				}
			case "sampled":
				if !truthy(value) {
					t.flags = "00"
				}
			case "traceIdPrefix":
				t.prefix = tracePrefixOf(text(value))
			default:
				return r.fault(fmt.Errorf("\"distributedTracing\": %s", words.Unknown("key", key, []string{"enabled", "sampled", "traceIdPrefix"})))
			}
		}
		p.tracing = t
		return nil
	}, "config", "http", "distributedTracing")
}

// tracePrefixOf keeps the digits of a prefix, as Artillery does.
func tracePrefixOf(s string) string {
	digits := strings.Map(func(c rune) rune {
		if strings.ContainsRune("0123456789abcdef", c) {
			return c
		}
		return -1
	}, strings.ToLower(s))
	if digits == "" {
		return tracePrefix
	}
	return digits[:min(len(digits), tracePrefixMost)]
}

// traceparent makes the header of a request.
func (r *runner) traceparent(t *tracing) string {
	random := fmt.Sprintf("%016x%016x", r.rand.Uint64(), r.rand.Uint64())
	return fmt.Sprintf("00-%s-%016x-%s", (t.prefix + random)[:traceDigits], r.rand.Uint64(), t.flags)
}
