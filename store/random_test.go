package store

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"time"

	"dyno"
	"dyno/hist"
)

// fill sets every field that v reaches to something that is not its zero value, so that a field
// which the store forgets shows up in a round trip.
func fill(r *rand.Rand, v reflect.Value) {
	switch x := v.Addr().Interface().(type) {
	case *time.Time:
		*x = time.Unix(r.Int64N(4e9), r.Int64N(1e9)).UTC()
		return
	case *dyno.RunState:
		*x = []dyno.RunState{dyno.RunStarted, dyno.RunPartial, dyno.RunComplete}[r.IntN(3)]
		return
	case **hist.Histogram:
		*x = hist.New()
		for range 1 + r.IntN(50) {
			(*x).Record(r.Int64N(hist.HighestNs))
		}
		return
	case *hist.Bands:
		h := hist.New()
		for range 1 + r.IntN(50) {
			h.Record(r.Int64N(hist.HighestNs))
		}
		*x = h.Bands()
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(r, v.Field(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(r, v.Elem())
		if c, ok := v.Interface().(*dyno.Capacity); ok {
			c.Instrument.Lag = nil // JSON has its figures only where a command prints them
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1+r.IntN(4), 4))
		for i := range v.Len() {
			fill(r, v.Index(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(r, v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 1 + r.IntN(3) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(r, key)
			fill(r, value)
			v.SetMapIndex(key, value)
		}
	case reflect.String:
		v.SetString(text(r))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1 + r.Int64N(1<<62))
	case reflect.Float64:
		v.SetFloat(r.NormFloat64())
	case reflect.Uint64:
		v.SetUint(r.Uint64() | 1<<63) // beyond SQLite's integers
	default:
		panic(fmt.Sprintf("fill: no rule for %s: add one", v.Type()))
	}
}

// text returns what subjects write when nobody looks.
func text(r *rand.Rand) string {
	runes := []rune("aZ09 _-'\"`|;%?\\\n\t\x00\x1b[31m\u202eé漢🟡")
	out := make([]rune, 1+r.IntN(20))
	for i := range out {
		out[i] = runes[r.IntN(len(runes))]
	}
	return string(out)
}

func randomRun(r *rand.Rand) dyno.Run {
	var run dyno.Run
	fill(r, reflect.ValueOf(&run).Elem())
	return run
}

func randomTrial(r *rand.Rand) dyno.Trial {
	var t dyno.Trial
	fill(r, reflect.ValueOf(&t).Elem())
	for i := range t.Slices {
		t.Slices[i].Round = i
	}
	return t
}
