// Package queueing is what queueing theory says exactly of a server with one worker and a fixed service time
// under Poisson arrivals (M/D/1): the known truth that searches for capacities are held against. It measures nothing.
package queueing

import "math"

// WaitAtMost is the probability that a request of an M/D/1 queue begins to be served within t seconds of its
// arrival. serviceS is the service time in seconds, ratePerS the arrival rate; their product must lie below 1. The
// terms of the sum alternate and grow with e^(ratePerS·t), so t should be at most some 25 service times.
//
// Source: Crommelin, "Delay probability formulae when the holding times are constant", 1932; Erlang, 1909.
func WaitAtMost(t, ratePerS, serviceS float64) float64 {
	sum := 0.0
	for k := 0; float64(k)*serviceS <= t; k++ {
		x := ratePerS * (float64(k)*serviceS - t) // at most 0
		lnFactorial, _ := math.Lgamma(float64(k) + 1)
		term := math.Exp(-x)
		if k > 0 {
			term = math.Exp(float64(k)*math.Log(math.Abs(x)) - lnFactorial - x)
		}
		if k%2 == 1 {
			term = -term
		}
		sum += term
	}
	return (1 - ratePerS*serviceS) * sum
}

// Capacity is the highest rate per second at which the share q of an M/D/1 queue's requests are answered within
// limitS seconds; 0 when not even an idle server is so quick.
func Capacity(serviceS, limitS, q float64) float64 {
	if limitS <= serviceS {
		return 0
	}
	low, high := 0.0, 1/serviceS
	for range 60 {
		middle := (low + high) / 2
		if WaitAtMost(limitS-serviceS, middle, serviceS) > q {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}
