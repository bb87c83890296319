package scenario

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
)

func TestTracing(t *testing.T) {
	for spec, want := range map[string]string{
		"true":  `^00-a9[0-9a-f]{30}-[0-9a-f]{16}-01$`,
		"false": `^$`,
		"{traceIdPrefix: 'XY-1CE', sampled: false}":   `^00-1ce[0-9a-f]{29}-[0-9a-f]{16}-00$`,
		"{traceIdPrefix: 123456789a}":                 `^00-12345678[0-9a-f]{24}-[0-9a-f]{16}-01$`,
		"{traceIdPrefix: zzz, enabled: true}":         `^00-a9[0-9a-f]{30}-[0-9a-f]{16}-01$`,
		"{enabled: false, traceIdPrefix: '00000000'}": `^$`,
	} {
		var mu sync.Mutex
		seen := map[string]bool{}
		s := &shop{Server: httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			seen[r.Header.Get("Traceparent")] = true
		}))}
		s.play(t, soon(3)+"  http: {distributedTracing: "+spec+"}\nscenarios: [{flow: [{get: {url: /}}, {get: {url: /}}]}]\n", nil, 1)
		s.Close()
		for header := range seen {
			if !regexp.MustCompile(want).MatchString(header) {
				t.Errorf("%s: %q, want %s", spec, header, want)
			}
		}
		if want != "^$" && len(seen) != 6 {
			t.Errorf("%s: %d ids of 6 requests", spec, len(seen))
		}
	}
	for spec, want := range map[string]string{"yes please": "is \"yes please\"; write true", "{sampld: true}": `did you mean "sampled"?`} {
		_, err := Read(write(t, frame+"  http: {distributedTracing: "+spec+"}\nscenarios: [{flow: [{think: 1}]}]\n", nil), Options{})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "script.yml:3:") {
			t.Errorf("%s: %v, want %q", spec, err, want)
		}
	}
}
