package scenario

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"dyno/load/crowd"
)

// user is a virtual user: where it is in its flow, and its variables. It holds a connection but no buffer.
type user struct {
	runner  *runner
	flow    *flow
	at      int // next step
	loops   []looping
	vars    map[string]any
	timer   *crowd.Timer
	link    *link
	jar     *cookiejar.Jar
	flight  *flight      // the request in work
	context *goja.Object // what the processor's functions see; made when the first is called
	beganNs int64
	turns   int32
	waiting waiting
}

type waiting uint8

const (
	running  waiting = iota
	thinking         // until the timer
	asking           // for a reply
	hooked           // for a function of the processor
	over
)

// looping is a loop that a user is in.
type looping struct {
	loop *loop
	i    int
	to   int // of a count
	list []any
}

// lookup finds a variable: the user's own, or what all have.
func (u *user) lookup(name string) (any, bool) {
	if v, ok := u.vars[name]; ok {
		return v, true
	}
	if name == "$uuid" {
		v := u.runner.uuid()
		u.set(name, v)
		return v, true
	}
	v, ok := u.runner.program.shared[name]
	if !ok {
		v, ok = u.runner.before[name]
	}
	return v, ok
}

func (u *user) set(name string, v any) {
	if u.vars == nil {
		u.vars = map[string]any{}
	}
	u.vars[name] = v
}

// setPath sets what a path such as a.b leads to.
func (u *user) setPath(path []string, v any) {
	if len(path) == 1 {
		u.set(path[0], v)
		return
	}
	first, _ := u.lookup(path[0])
	object, ok := first.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	object = maps.Clone(object) // it may be one that all users see
	u.set(path[0], object)
	for _, key := range path[1 : len(path)-1] {
		inner, ok := object[key].(map[string]any)
		if !ok {
			inner = map[string]any{}
		}
		inner = maps.Clone(inner)
		object[key] = inner
		object = inner
	}
	object[path[len(path)-1]] = v
}

const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// call runs a function of templates.
func (u *user) call(c *call) any {
	number := func(i int, otherwise float64) float64 {
		if i < len(c.args) {
			return numeric(c.args[i])
		}
		return otherwise
	}
	switch c.name {
	case "$randomNumber":
		low, high := number(0, 0), number(1, 1)
		if len(c.args) == 1 {
			low, high = 0, low
		}
		return u.runner.randomNumber(low, high)
	case "$randomString":
		return u.runner.randomString(int(number(0, 10)))
	}
	v, _ := u.lookup("$uuid")
	return v
}

func (r *runner) randomNumber(low, high float64) any {
	low, high = min(low, high), max(low, high)
	if low != float64(int64(low)) || high != float64(int64(high)) {
		return low + r.rand.Float64()*(high-low)
	}
	return low + float64(r.rand.Int64N(int64(high-low)+1))
}

func (r *runner) randomString(length int) string {
	var b strings.Builder
	for range length {
		b.WriteByte(alphabet[r.rand.IntN(len(alphabet))])
	}
	return b.String()
}

// uuid returns a random UUID of version 4.
func (r *runner) uuid() string {
	high, low := r.rand.Uint64(), r.rand.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", high>>32, high>>16&0xffff, high&0xfff, low>>62<<14&0xbfff|0x8000|low>>48&0x3fff, low&(1<<48-1))
}

// run goes on with the flow until the user has to wait, or is through.
func (u *user) run() {
	u.waiting = running
	for u.at < len(u.flow.steps) {
		s := &u.flow.steps[u.at]
		u.at++
		if wait, err := u.do(s); err != nil {
			u.fail(err)
			return
		} else if wait {
			return
		}
	}
	u.end(true)
}

// do does one step. With wait, run is called again later.
func (u *user) do(s *step) (wait bool, err error) {
	switch s.kind {
	case stepRequest:
		return u.ask(s.request)
	case stepThink:
		return u.think(s)
	case stepLog:
		u.runner.log(s.value.text(u))
		return false, nil
	case stepFunction:
		_, wait, err := u.invoke(s.function, hookStep, nil, func(_ any, err error) { u.resume(err) })
		return wait, err
	case stepLoop:
		return false, u.enter(s.loop)
	}
	return u.again(s.loop)
}

// resume goes on after a function, or fails with its error.
func (u *user) resume(err error) {
	switch {
	case u.waiting == over:
	case err != nil:
		u.fail(err)
	default:
		u.run()
	}
}

func (u *user) think(s *step) (bool, error) {
	ns, err := thinkNs(s.value.render(u))
	if err != nil {
		return false, errorCode("Invalid think time: " + text(s.value.render(u)))
	}
	by := s.jitter
	if by == nil {
		by = u.runner.program.thinkBy
	}
	if by != nil {
		ns = jitter(ns, by, u.runner.rand)
	}
	u.waiting = thinking
	u.setTimer(u.runner.loop.NowNs() + max(ns, 0))
	return true, nil
}

// jitter spreads a time evenly around itself, by "N%" of it or by N ms.
func jitter(ns int64, by any, r *rand.Rand) int64 {
	number := strings.TrimSpace(text(plain(by)))
	share, isShare := strings.CutSuffix(number, "%")
	width, ok := parseNumber(strings.TrimSpace(strings.TrimSuffix(share, "ms")))
	if !ok {
		return ns
	}
	width *= 1e6
	if isShare {
		width = width / 1e6 / 100 * float64(ns)
	}
	return max(0, ns+int64((2*r.Float64()-1)*width))
}

func (u *user) setTimer(dueNs int64) {
	if u.timer == nil {
		u.timer = u.runner.loop.NewTimer(u.ring)
	}
	u.timer.Set(dueNs)
}

// ring is what the timer calls.
func (u *user) ring() {
	switch u.waiting {
	case thinking:
		u.run()
	case asking:
		u.lose("ETIMEDOUT")
	}
}

// enter begins a loop, or jumps over it.
func (u *user) enter(l *loop) error {
	f := looping{loop: l, to: -1}
	if l.counted {
		f.i, f.to = loopCount(l.count.render(u))
	}
	if l.isOver {
		list, ok := l.over.render(u).([]any)
		if !ok && l.overName != nil {
			list, ok = get(u, l.overName).([]any)
		}
		if !ok {
			u.at = l.to + 1
			return nil
		}
		f.list = list
	}
	u.set(l.valueName, float64(f.i))
	u.set(l.elementVar, f.element())
	if !f.goesOn() && l.whileTrue == "" {
		u.at = l.to + 1
		return nil
	}
	u.loops = append(u.loops, f)
	return nil
}

// element is the value of $loopElement.
func (f *looping) element() any {
	switch {
	case f.list == nil:
		return float64(f.i)
	case f.i < len(f.list):
		return f.list[f.i]
	}
	return undefined
}

func (f *looping) goesOn() bool {
	if f.loop.isOver {
		return f.i < len(f.list)
	}
	return f.i < f.to || f.to < 0
}

// again ends one turn of a loop.
func (u *user) again(l *loop) (wait bool, err error) {
	f := &u.loops[len(u.loops)-1]
	f.i++
	u.set(l.valueName, float64(f.i))
	if l.isOver {
		u.set(l.elementVar, f.element())
	}
	if l.whileTrue == "" {
		u.jump(f.goesOn())
		return u.breathe(), nil
	}
	result, wait, err := u.invoke(l.whileTrue, hookWhile, nil, func(result any, err error) {
		if err == nil && u.waiting != over {
			u.jump(truthy(result))
		}
		u.resume(err)
	})
	if wait || err != nil {
		return wait, err
	}
	u.jump(truthy(result))
	return u.breathe(), nil
}

// turnsMax is how often a user goes round loops before others have their turn: a loop without a request
// must not stop the clock.
const turnsMax = 1000

func (u *user) breathe() (wait bool) {
	if u.turns++; u.turns%turnsMax != 0 {
		return false
	}
	u.waiting = thinking
	u.setTimer(u.runner.loop.NowNs())
	return true
}

// jump goes to the first step of the loop, or behind it.
func (u *user) jump(on bool) {
	f := &u.loops[len(u.loops)-1]
	if on {
		u.at = f.loop.from + 1
		return
	}
	u.at = f.loop.to + 1
	u.loops = u.loops[:len(u.loops)-1]
}

// loopCount reads a count: a number, or a range such as 1-15, whose end is not reached.
func loopCount(v any) (from, to int) {
	if s, ok := v.(string); ok {
		if low, high, isRange := strings.Cut(s, "-"); isRange && low != "" {
			from, _ = strconv.Atoi(strings.TrimSpace(low))
			to, _ = strconv.Atoi(strings.TrimSpace(high))
			return from, to
		}
	}
	if f := numeric(v); f == f { // not NaN
		return 0, int(f)
	}
	return 0, 0
}

// fail ends the user for an error.
func (u *user) fail(err error) {
	if u.waiting == asking && u.unanswered(err) {
		return // the functions of onError come first
	}
	u.runner.count("errors."+err.Error(), 1)
	u.runner.failure(err)
	u.end(false)
}

// unanswered counts a request that got no reply, and calls the scenario's onError functions if it has any. They call
// fail again.
func (u *user) unanswered(err error) (later bool) {
	f := u.flight
	if f.endpoint != "" {
		u.runner.count(u.runner.program.endpoints.prefix+"."+f.endpoint+".errors."+err.Error(), 1)
	}
	if len(u.flow.onError) == 0 {
		return false
	}
	u.timer.Stop()
	u.waiting = hooked
	told := map[string]any{"name": "RequestError", "code": err.Error(), "message": err.Error()}
	u.hooks(u.flow.onError, hookError, []any{told, map[string]any(f.params)}, func() error { return err })
	return true
}

// end lets go of everything.
func (u *user) end(completed bool) {
	if u.waiting == over {
		return
	}
	u.waiting = over
	if u.timer != nil {
		u.timer.Stop()
	}
	u.runner.leave(u)
	u.runner.finished(u, completed)
}

// cookies returns the user's jar, making it when create says so.
func (u *user) cookies(create bool) http.CookieJar {
	if u.jar == nil {
		if !create {
			return nil
		}
		u.jar, _ = cookiejar.New(nil) // it never fails
	}
	return u.jar
}
