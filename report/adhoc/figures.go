package adhoc

import (
	"fmt"
	"math"
	"time"

	"dyno"
	"dyno/report/internal/typeset"
)

const (
	nsPerUs = 1e3
	nsPerMs = 1e6
	nsPerS  = 1e9

	absent = "–" // there is no figure
)

// timeText writes a time with three digits and the unit that suits it, e.g. "101 µs".
func timeText(ns float64) string {
	switch {
	case ns < 999.5*nsPerUs:
		return typeset.Figure(ns/nsPerUs) + " µs"
	case ns < 999.5*nsPerMs:
		return typeset.Figure(ns/nsPerMs) + " ms"
	}
	return typeset.Figure(ns/nsPerS) + " s"
}

// bytesText writes a number of bytes in decimal units, as autocannon's users know them.
func bytesText(n float64) string {
	for _, unit := range []string{"B", "kB", "MB"} {
		if n < 999.5 {
			if unit == "B" {
				return fmt.Sprintf("%.0f B", n)
			}
			return typeset.Figure(n) + " " + unit
		}
		n /= 1000
	}
	return typeset.Figure(n) + " GB"
}

// rateText writes a number of things per second: whole from 100 on.
func rateText(x float64) string { return typeset.Figure(x) }

// percentText writes a share of 0 to 1, e.g. "63 %" or "0.02 %".
func percentText(share float64) string {
	p := share * 100
	if p == 0 || p >= 10 {
		return fmt.Sprintf("%.0f %%", p)
	}
	return fmt.Sprintf("%.2g %%", p)
}

// seconds rounds a duration for programs: to 1 µs, in seconds.
func seconds(ns int64) float64 { return rounded(float64(ns)/nsPerS, 6) }

func rounded(x float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(x*scale) / scale
}

// lastingText writes how long something was, e.g. "10 s" or "1m30s".
func lastingText(d time.Duration) string {
	if d < time.Minute {
		return typeset.Lasting(d.Round(time.Millisecond))
	}
	return typeset.Clock(d)
}

// terms are what the users of a protocol call things.
type terms struct{ request, reply, perS, label string }

func termsOf(r *dyno.LoadReport) terms {
	if r.Protocol == "framed" {
		return terms{"packet", "packet", "packets/s", "Packets/s"}
	}
	return terms{"request", "reply", "replies/s", "Req/Sec"}
}
