// Package delay makes a server slower by a known amount, for experiments on dyno itself: `dyno lab power`
// must find what it put in. Without its variable in the environment it does nothing.
package delay

import (
	"os"
	"strconv"
	"sync/atomic"
)

// steps is how much arithmetic each request costs: DYNO_BUSY_STEPS, 0 when it is not set.
var steps, _ = strconv.Atoi(os.Getenv("DYNO_BUSY_STEPS"))

// sink keeps the compiler from leaving the arithmetic out.
var sink atomic.Uint64

// Asked reports whether requests are to be delayed.
func Asked() bool { return steps > 0 }

// Spend spends one request's delay.
func Spend() {
	x := uint64(steps)
	for range steps {
		x = x*6364136223846793005 + 1442695040888963407
	}
	sink.Store(x)
}
