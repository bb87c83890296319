package scenario

import (
	"testing"
	"time"

	"dyno/load"
)

// Stretches of the users together are all of them, and each begins at once.
func TestStretches(t *testing.T) {
	s := newShop(t)
	p, err := Read(write(t, "config:\n  target: "+s.URL+`
  phases: [{pause: 0.1}, {duration: 0.2, arrivalCount: 20}, {duration: 60, arrivalCount: 3}]
scenarios: [{flow: [{get: {url: /}}]}]
`, nil), Options{})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := load.New(load.Options{Loops: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	began, together := time.Now(), NewTimes()
	for _, stretch := range [][2]int64{{0, 7}, {7, 15}, {15, 20}} {
		times := NewTimes()
		r, err := p.Run(t.Context(), engine, RunOptions{Resolve: loopback, From: stretch[0], To: stretch[1], Times: times})
		if err != nil {
			t.Fatal(err)
		}
		if v := r.Visits(); v.Created != stretch[1]-stretch[0] || v.Completed != v.Created || v.Codes[200] != v.Requests || r.Errors() != nil {
			t.Errorf("%v: %+v, %v", stretch, v, r.Errors())
		}
		together.Merge(times)
	}
	if together.Response.Count() != 20 || together.FirstByte.Count() != 20 || together.Session.Count() != 20 || together.Session.MinNs() < together.Response.MinNs() {
		t.Errorf("%d response times", together.Response.Count())
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("took %v: it waited for the last phase", took)
	}
}

// What browsers and Node encode in a URL is encoded; what is encoded already stays as it is.
func TestURLsAreEncoded(t *testing.T) {
	s := newShop(t)
	r, _, _ := s.play(t, soon(1)+`
  variables: {words: "a b; \"ü\" <c>"}
scenarios: [{flow: [{get: {url: "/x y?q={{ words }}&done=%20+z"}}]}]
`, nil, 1)
	wantCounters(t, r, map[string]int64{"vusers.completed": 1})
	if got, want := s.asked()[0], "GET /x%20y?q=a%20b;%20%22%C3%BC%22%20%3Cc%3E&done=%20+z"; got != want {
		t.Errorf("asked %s; want %s", got, want)
	}
}

// A request that finds nobody counts as one, as with Artillery.
func TestRefusedRequestsCount(t *testing.T) {
	s := newShop(t)
	s.Close()
	r, _, _ := s.play(t, soon(3)+"scenarios: [{flow: [{get: {url: /}}, {get: {url: /}}]}]\n", nil, 1)
	wantCounters(t, r, map[string]int64{"http.requests": 3, "errors.ECONNREFUSED": 3, "vusers.failed": 3})
}
