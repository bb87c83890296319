package scenario

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// endpoints is the plugin metrics-by-endpoint: codes and times for each URL of the script, or for each request's name.
type endpoints struct {
	spec   MetricsByEndpoint
	prefix string
	target *url.URL
}

// apdexDefaultMs is how long a user is satisfied to wait, unless the script says otherwise. Four times as long is
// tolerated.
const apdexDefaultMs = 500

// plugins prepares those that measure.
func (r *reader) plugins(p *Program, _ *Script) error {
	if spec := p.config.Plugins.MetricsByEndpoint; spec != nil {
		p.endpoints = &endpoints{spec: *spec, prefix: spec.MetricsNamespace, target: p.Target}
		if p.endpoints.prefix == "" {
			p.endpoints.prefix = "plugins.metrics-by-endpoint"
		}
	}
	for _, apdex := range []struct {
		spec *Apdex
		keys []string
	}{{p.config.Apdex, []string{"config", "apdex"}}, {p.config.Plugins.Apdex, []string{"config", "plugins", "apdex"}}} {
		if apdex.spec == nil || p.apdexNs > 0 {
			continue
		}
		thresholdMs := float64(apdexDefaultMs)
		if v := apdex.spec.Threshold; v != nil {
			var err error
			if thresholdMs, err = aNumber(v); err != nil || thresholdMs <= 0 || thresholdMs > timeoutMaxS*1e3 {
				return r.under(func() error {
					return r.fault(fmt.Errorf("\"threshold\" is %s; give a number of milliseconds above 0", shown(v)))
				}, append(apdex.keys, "threshold")...)
			}
		}
		// The settings may stand apart from the name of the plugin that they are for.
		if p.config.Plugins.Apdex != nil {
			p.apdexNs = int64(thresholdMs * 1e6)
		}
	}
	return nil
}

// grouped reports whether requests go by their URL as the script has it, templates and all.
func (e *endpoints) grouped() bool {
	return e.spec.GroupDynamicURLs == nil || *e.spec.GroupDynamicURLs
}

// name is what the metrics of a request are called by: its path, with what differs from the target before it and its
// name after it. It is empty for a request that is not counted.
func (e *endpoints) name(address, requestName string) string {
	if requestName == "" {
		if e.spec.IgnoreUnnamedRequests {
			return ""
		}
		return e.path(address)
	}
	if e.spec.UseOnlyRequestNames {
		return requestName
	}
	return fmt.Sprintf("%s (%s)", e.path(address), requestName)
}

// path works on text, because an address with templates in it is no URL yet.
func (e *endpoints) path(address string) string {
	host, path := "", address
	if _, rest, absolute := strings.Cut(address, "://"); absolute {
		slash := strings.IndexAny(rest+"/", "/?#")
		host, path = rest[:slash], rest[slash:]
		if !strings.HasPrefix(path, "/") {
			path = "/" + path
		}
	} else if strings.HasPrefix(address, "/") {
		path = e.target.Path + address
	}
	path, _, _ = strings.Cut(path, "#")
	if e.spec.StripQueryString {
		path, _, _ = strings.Cut(path, "?")
	}
	if decoded, err := url.PathUnescape(path); err == nil {
		path = decoded
	}
	return e.elsewhere(host) + path
}

// elsewhere is by what a host differs from the target's.
func (e *endpoints) elsewhere(host string) (prefix string) {
	if host == "" {
		return ""
	}
	hostname, port := host, ""
	if colon := strings.LastIndexByte(host, ':'); colon > strings.LastIndexByte(host, ']') {
		hostname, port = host[:colon], host[colon+1:]
	}
	if hostname != strings.TrimSuffix(e.target.Host, ":"+e.target.Port()) {
		prefix = hostname
	}
	if port != "" && port != e.target.Port() {
		prefix += ":" + port
	}
	return prefix
}

// label prepares what the metrics of a request are called by: known beforehand where they go by the URL as the script has
// it, else by the rendered one.
func (e *endpoints) label(q *request) {
	name, _ := q.params["name"].(string)
	if e.grouped() {
		q.endpoint = e.name(q.address, name)
		return
	}
	var err error
	if q.name, err = compileText(name); err != nil {
		q.name = template{constant: name}
	}
}

// endpointOf is what the metrics of a flight are called by, "" where there are none.
func (u *user) endpointOf(f *flight) string {
	if e := u.runner.program.endpoints; e != nil && !e.grouped() {
		return e.name(f.hop.address, f.request.name.text(u))
	}
	return f.request.endpoint
}

// replied counts the last reply to a request for the plugins.
func (r *runner) replied(f *flight, firstUs float64, totalNs int64) {
	if f.endpoint != "" {
		prefix := r.program.endpoints.prefix
		r.count(prefix+"."+f.endpoint+".codes."+strconv.Itoa(f.status), 1)
		r.time(prefix+".response_time."+f.endpoint, firstUs)
	}
	satisfiedNs := r.program.apdexNs
	if satisfiedNs == 0 {
		return
	}
	class := 2
	switch {
	case totalNs <= satisfiedNs:
		class = 0
	case totalNs <= 4*satisfiedNs:
		class = 1
	}
	for i, name := range apdexNames { // all three, so that they are there
		n := int64(0)
		if i == class {
			n = 1
		}
		r.count(name, n)
	}
}

// apdexNames are the counters of the plugin apdex.
var apdexNames = [3]string{"apdex.satisfied", "apdex.tolerated", "apdex.frustrated"}

// apdexRanks are the plugin's words for scores from a limit on.
var apdexRanks = []struct {
	from float64
	name string
}{{0.94, "excellent"}, {0.85, "good"}, {0.7, "fair"}, {0.49, "poor"}, {0, "unacceptable"}}

// Apdex is the score of the run, 0 to 1, with the plugin's word for it; ok is false where nobody asked for one.
func (p *Period) Apdex() (score float64, rank string, ok bool) {
	satisfied, tolerated := float64(p.Counters[apdexNames[0]]), float64(p.Counters[apdexNames[1]])
	all := satisfied + tolerated + float64(p.Counters[apdexNames[2]])
	if all == 0 {
		return 0, "", false
	}
	score = (satisfied + tolerated/2) / all
	for _, r := range apdexRanks {
		if score >= r.from {
			return score, r.name, true
		}
	}
	return score, "", true
}
