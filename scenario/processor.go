package scenario

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dop251/goja"

	"dyno/internal/words"
)

// source is a processor: JavaScript with functions that flows call, read once and run anew for each
// event loop, which shares no state with the others.
type source struct {
	path      string
	program   *goja.Program
	functions []string
}

// hookWithin bounds one synchronous call of a function; beyond it the user fails.
const hookWithin = 5 * time.Second

// compileProcessor reads a CommonJS module and finds out what it exports, by running it.
func compileProcessor(path string) (*source, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(path)
	program, err := goja.Compile(name, "(function (module, exports, require, __dirname, __filename) {"+string(text)+"\n})", false)
	if err != nil {
		return nil, fmt.Errorf("the processor cannot be read: %s; it must be CommonJS (module.exports = …) without import and TypeScript", words.Clip(oneLine(err.Error()), 200))
	}
	s := &source{path: path, program: program}
	js, err := s.start(nil)
	if err != nil {
		return nil, err
	}
	s.functions = slices.Sorted(maps.Keys(js.functions))
	return s, nil
}

// oneLine keeps what others wrote from breaking an error line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// javascript is a processor at work on one event loop.
type javascript struct {
	vm        *goja.Runtime
	runner    *runner
	functions map[string]function
	events    *goja.Object
}

// function is one of the processor's. An async one is called without a callback, as Artillery does it.
type function struct {
	call  goja.Callable
	async bool
}

// start runs the module. Without a runner, only to see what it exports, nothing that it starts goes on.
func (s *source) start(r *runner) (*javascript, error) {
	js := &javascript{vm: goja.New(), runner: r, functions: map[string]function{}}
	js.vm.SetFieldNameMapper(goja.UncapFieldNameMapper())
	js.globals()
	module, exports := js.vm.NewObject(), js.vm.NewObject()
	_ = module.Set("exports", exports) // a plain object takes anything
	wrapped, err := js.vm.RunProgram(s.program)
	if err != nil {
		return nil, jsError(err)
	}
	body, _ := goja.AssertFunction(wrapped)
	defer js.limit()()
	if _, err := body(goja.Undefined(), module, exports, js.vm.ToValue(js.require), js.vm.ToValue(filepath.Dir(s.path)), js.vm.ToValue(s.path)); err != nil {
		return nil, fmt.Errorf("the processor fails: %w", jsError(err))
	}
	exported, ok := module.Get("exports").(*goja.Object)
	if !ok {
		return nil, errors.New("the processor exports nothing; write module.exports = { name: function }")
	}
	for _, key := range exported.Keys() {
		if call, ok := goja.AssertFunction(exported.Get(key)); ok {
			js.functions[key] = function{call, isAsync(exported.Get(key))}
		}
	}
	return js, nil
}

func isAsync(v goja.Value) bool {
	object, ok := v.(*goja.Object)
	return ok && object.ClassName() == "Function" && strings.HasPrefix(strings.TrimSpace(object.String()), "async")
}

// require has no modules to offer: neither Node's nor npm's.
func (js *javascript) require(name string) (any, error) {
	return nil, fmt.Errorf("require(%q): modules of Node are not there; the processor must stand alone, or run this script with Artillery", name)
}

// limit interrupts what runs for too long; the returned function ends the watch.
func (js *javascript) limit() (stop func()) {
	watch := time.AfterFunc(hookWithin, func() { js.vm.Interrupt(fmt.Sprintf("it ran for more than %v", hookWithin)) })
	return func() {
		watch.Stop()
		js.vm.ClearInterrupt()
	}
}

// jsError puts an exception into one line.
func jsError(err error) error {
	var thrown *goja.Exception
	if errors.As(err, &thrown) {
		return thrownError(thrown.Value())
	}
	return errors.New(words.Clip(oneLine(err.Error()), 200))
}

// thrownError is a value that was thrown, or given to a callback as its error: its code or its message.
func thrownError(v goja.Value) error {
	if object, ok := v.(*goja.Object); ok {
		for _, key := range []string{"code", "message"} {
			if property := object.Get(key); property != nil && goja.IsString(property) && property.String() != "" {
				return errors.New(words.Clip(oneLine(property.String()), 200))
			}
		}
	}
	return errors.New(words.Clip(oneLine(v.String()), 200))
}

// globals are what a processor finds beside the language: console, timers and events.
func (js *javascript) globals() {
	console := js.vm.NewObject()
	print := func(args ...any) {
		texts := make([]string, len(args))
		for i, arg := range args {
			texts[i] = text(plain(arg))
		}
		if js.runner != nil {
			js.runner.log(strings.Join(texts, " "))
		}
	}
	for _, name := range []string{"log", "info", "warn", "error", "debug"} {
		_ = console.Set(name, print)
	}
	_ = js.vm.Set("console", console)
	_ = js.vm.Set("setTimeout", func(call goja.FunctionCall) goja.Value {
		f, ok := goja.AssertFunction(call.Argument(0))
		if ok && js.runner != nil {
			timer := js.runner.loop.NewTimer(func() {
				if _, err := f(goja.Undefined()); err != nil {
					js.runner.log("the processor's timer fails: " + jsError(err).Error())
				}
			})
			timer.Set(js.runner.loop.NowNs() + call.Argument(1).ToInteger()*1e6)
		}
		return goja.Undefined()
	})
	js.events = js.vm.NewObject()
	_ = js.events.Set("emit", func(kind, name string, value float64) {
		if js.runner == nil {
			return
		}
		switch kind {
		case "counter":
			js.runner.count(name, int64(value))
		case "histogram", "summary":
			js.runner.time(name, value*1e3)
		case "rate":
			js.runner.event(name)
		}
	})
}

// variables lets JavaScript read and write a user's variables in place.
type variables struct {
	user *user
	js   *javascript
}

func (v variables) Get(key string) goja.Value {
	value, ok := v.user.lookup(key)
	if !ok || value == undefined {
		return goja.Undefined()
	}
	return v.js.vm.ToValue(value)
}

func (v variables) Set(key string, value goja.Value) bool {
	v.user.set(key, exported(value))
	return true
}

func (v variables) Has(key string) bool { _, ok := v.user.lookup(key); return ok }

func (v variables) Delete(key string) bool { delete(v.user.vars, key); return true }

func (v variables) Keys() []string {
	return slices.Sorted(maps.Keys(v.user.vars))
}

// exported is a value of JavaScript as variables hold it.
func exported(v goja.Value) any {
	switch {
	case v == nil || goja.IsUndefined(v):
		return undefined
	case goja.IsNull(v):
		return nil
	}
	return plain(v.Export())
}

// contextOf returns what functions get as their context.
func (js *javascript) contextOf(u *user) *goja.Object {
	if u.context == nil {
		u.context = js.vm.NewObject()
		funcs, scenario := js.vm.NewObject(), js.vm.NewObject()
		_ = funcs.Set("$randomNumber", func(low, high float64) any { return js.runner.randomNumber(low, high) })
		_ = funcs.Set("$randomString", func(length int) string { return js.runner.randomString(min(max(length, 0), randomStringMax)) })
		_ = scenario.Set("name", u.flow.name)
		_ = u.context.Set("vars", js.vm.NewDynamicObject(variables{u, js}))
		_ = u.context.Set("funcs", funcs)
		_ = u.context.Set("scenario", scenario)
	}
	return u.context
}

// hook is when a function is called, and so with which arguments.
type hook uint8

const (
	hookStep   hook = iota // (context, events, done)
	hookWhile              // (context, done): done gets whether to go on
	hookBefore             // (params, context, events, next)
	hookAfter              // (params, response, context, events, next)
	hookError              // (error, params, context, events, next)
	hookIf                 // (vars): the result counts
)

// invoke calls a function of the processor. When it ends at once its result is returned; with wait, then
// is called later. What comes after the first end of a function is ignored.
func (u *user) invoke(name string, h hook, extra []any, then func(result any, err error)) (result any, wait bool, err error) {
	js := u.runner.js
	if js == nil || js.functions[name].call == nil {
		return nil, false, errorCode(fmt.Sprintf("Undefined function %q", name))
	}
	f := js.functions[name]
	c := &hookCall{user: u, hook: h, then: then}
	returned, err := js.run(f, c, extra)
	switch {
	case err != nil:
		c.ended = true
		return nil, false, err
	case h == hookIf:
		return exported(returned), false, nil
	case c.ended:
		return c.result, false, c.err
	}
	if promise, ok := returned.Export().(*goja.Promise); ok {
		if result, done, err := c.settled(promise); done {
			return result, false, err
		}
		js.await(returned, c)
	}
	c.later = true
	u.waiting = hooked
	return nil, true, nil
}

// run calls f with the arguments that its hook has.
func (js *javascript) run(f function, c *hookCall, extra []any) (goja.Value, error) {
	var args []goja.Value
	for _, v := range extra {
		args = append(args, js.vm.ToValue(v))
	}
	context := js.contextOf(c.user)
	switch c.hook {
	case hookIf:
		args = append(args, context.Get("vars"))
	case hookWhile:
		args = append(args, context)
	default:
		args = append(args, context, js.events)
	}
	if !f.async && c.hook != hookIf {
		args = append(args, js.vm.ToValue(func(call goja.FunctionCall) goja.Value {
			c.end(call.Argument(0))
			return goja.Undefined()
		}))
	}
	defer js.limit()()
	returned, err := f.call(goja.Undefined(), args...)
	if err != nil {
		return nil, jsError(err)
	}
	return returned, nil
}

// hookCall is one call that may end later.
type hookCall struct {
	user   *user
	hook   hook
	then   func(result any, err error)
	ended  bool
	later  bool
	result any
	err    error
}

// end takes what the callback was given: an error, or with whileTrue whether to go on.
func (c *hookCall) end(v goja.Value) {
	if c.ended {
		return
	}
	c.ended = true
	if c.hook == hookWhile {
		c.result = exported(v)
	} else if v != nil && truthy(exported(v)) {
		c.err = thrownError(v)
	}
	if c.later {
		c.then(c.result, c.err)
	}
}

// settled takes the result of a promise that has one.
func (c *hookCall) settled(p *goja.Promise) (result any, done bool, err error) {
	switch p.State() {
	case goja.PromiseStateFulfilled:
		c.ended = true
		return exported(p.Result()), true, nil
	case goja.PromiseStateRejected:
		c.ended = true
		return nil, true, thrownError(p.Result())
	}
	return nil, false, nil
}

// await lets a promise end the call.
func (js *javascript) await(promise goja.Value, c *hookCall) {
	object := promise.ToObject(js.vm)
	then, _ := goja.AssertFunction(object.Get("then"))
	fulfilled := func(call goja.FunctionCall) goja.Value {
		if c.hook == hookWhile {
			c.end(call.Argument(0))
		} else {
			c.end(goja.Undefined())
		}
		return goja.Undefined()
	}
	rejected := func(call goja.FunctionCall) goja.Value {
		if !c.ended {
			c.ended = true
			c.then(nil, thrownError(call.Argument(0)))
		}
		return goja.Undefined()
	}
	if _, err := then(object, js.vm.ToValue(fulfilled), js.vm.ToValue(rejected)); err != nil && !c.ended {
		c.ended = true
		c.then(nil, jsError(err))
	}
}
