package mpacket

import "math"

// Angle is a direction in steps of 1/256 of a full turn.
type Angle uint8

// AngleOf returns the step nearest to an angle in degrees, of any number of turns.
func AngleOf(degrees float64) Angle {
	steps := math.Round(math.Mod(degrees, 360) * 256 / 360)
	return Angle(uint8(int(steps)))
}

// Degrees returns the angle from 0 up to but not including 360.
func (a Angle) Degrees() float64 { return float64(a) * 360 / 256 }

// AppendAngle appends one byte.
func AppendAngle(b []byte, v Angle) []byte { return append(b, byte(v)) }

// ConsumeAngle reads one byte. n is 0 when b is empty.
func ConsumeAngle(b []byte) (v Angle, n int) {
	u, n := ConsumeUint8(b)
	return Angle(u), n
}
