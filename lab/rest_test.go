package lab

import (
	"testing"
	"time"
)

// TestRestAllowance: few subjects may burn a twentieth of a slice, many half a percent of it each.
func TestRestAllowance(t *testing.T) {
	for resting, want := range map[int]time.Duration{
		0: 50 * time.Millisecond, 1: 50 * time.Millisecond, 10: 50 * time.Millisecond,
		11: 55 * time.Millisecond, 41: 205 * time.Millisecond,
	} {
		if got := time.Duration(restAllowance(resting, time.Second)); got != want {
			t.Errorf("%d resting subjects may burn %v of a second, want %v", resting, got, want)
		}
	}
}
