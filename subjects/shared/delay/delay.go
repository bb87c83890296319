// Package delay makes a server slower by a known amount, for experiments on dyno itself: `dyno lab power`
// must find what it put in. Without its variable in the environment it does nothing.
package delay

import (
	"os"
	"strconv"
	"sync/atomic"
)

// steps is how much work each request costs: DYNO_BUSY_STEPS, 0 when it is not set.
var steps, _ = strconv.Atoi(os.Getenv("DYNO_BUSY_STEPS"))

// sink keeps the compiler from leaving the work out.
var sink atomic.Uint64

// Asked reports whether requests are to be delayed.
func Asked() bool { return steps > 0 }

// Spend spends one request's delay.
func Spend() { sink.Store(work(steps)) }

// work is what host.StepNs times, instruction by instruction: five chains of arithmetic at once, which beside a neighbour
// on the core take longer as the server does, so that the delay stays the same share of a reply.
//
//go:noinline
func work(steps int) uint64 {
	a, b, c, d, e := uint64(1), uint64(2), uint64(3), uint64(4), uint64(5)
	for i := range steps {
		a = a*3 + 7
		b = b*5 + uint64(i)
		c ^= a >> 3
		d += b
		e ^= d << 1
	}
	return a + b + c + d + e
}
