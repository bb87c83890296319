package codec

import (
	"bytes"
	"strings"

	"dyno/mpacket"
	"dyno/mpacket/samples"
)

// writing follows an operation that writes a value.
func writing[T any](draw func(*samples.Source) T, appendTo func([]byte, T) []byte) func(*samples.Source, *expectation) {
	return func(values *samples.Source, e *expectation) {
		var output []byte
		for range valueCount / valuesPerRound {
			output = output[:0]
			for range valuesPerRound {
				output = appendTo(output, draw(values))
			}
			e.round(tail(output), output, 0)
		}
	}
}

// reading follows an operation that reads a value and adds it up.
func reading[T any](draw func(*samples.Source) T, value func(T) uint32) func(*samples.Source, *expectation) {
	return func(values *samples.Source, e *expectation) {
		for range valueCount / valuesPerRound {
			sum := uint32(0)
			for range valuesPerRound {
				sum += value(draw(values))
			}
			e.round(sum, nil, 0)
		}
	}
}

// readingInt64s takes the exclusive or, which needs no carry between the halves.
func readingInt64s(values *samples.Source, e *expectation) {
	for range valueCount / valuesPerRound {
		x := int64(0)
		for range valuesPerRound {
			x ^= values.Int64()
		}
		e.round(halves(x), nil, 0)
	}
}

// readingStrings adds up the last letters; the strings themselves go into the digest.
func readingStrings(values *samples.Source, e *expectation) {
	var all strings.Builder
	for range valueCount / valuesPerRound {
		all.Reset()
		sum := uint32(0)
		for range valuesPerRound {
			text := values.Text()
			sum += uint32(text[len(text)-1])
			all.WriteString(text)
		}
		e.round(sum, []byte(all.String()), 0)
	}
}

// payloadsOf draws payloads of one length.
func payloadsOf(values *samples.Source, size int) [][]byte {
	return samples.Many(payloadBytes/size, func() []byte { return values.Bytes(size / 4) })
}

// moving follows an operation that puts payloads one behind the other. counted says that they count as moved.
func moving(size int, appendTo func(dst, payload []byte) []byte, counted bool) func(*samples.Source, *expectation) {
	return func(values *samples.Source, e *expectation) {
		payloads, group := payloadsOf(values, size), groupOf(size)
		for ; len(payloads) >= group; payloads = payloads[group:] {
			var output []byte
			for _, payload := range payloads[:group] {
				output = appendTo(output, payload)
			}
			moved := 0
			if counted {
				moved = group * size
			}
			e.round(tail(output), output, moved)
		}
	}
}

// framing follows an operation that frames payloads and, where apart is true, takes the frames apart again.
// Payloads are moved once: a frame that is whole in its chunk is shown where it lies.
func framing(size int, apart bool) func(*samples.Source, *expectation) {
	return func(values *samples.Source, e *expectation) {
		payloads, group := payloadsOf(values, size), groupOf(size)
		for ; len(payloads) >= group; payloads = payloads[group:] {
			output, sum := framed(payloads[:group])
			if !apart {
				sum = 0
			}
			e.round(tail(output)+sum, output, group*size)
		}
	}
}

// uncounted follows the same operation without counting what it moves.
func uncounted(follow func(*samples.Source, *expectation)) func(*samples.Source, *expectation) {
	return func(values *samples.Source, e *expectation) {
		follow(values, e)
		clear(e.moved)
	}
}

// framed returns frames one behind the other, and the sum of taking them apart.
func framed(payloads [][]byte) (output []byte, sum uint32) {
	for _, payload := range payloads {
		output = mpacket.AppendFrame(output, payload)
		sum += sumFrame(payload)
	}
	return output, sum
}

// The three ways to treat a mix of packets.
func mixFramed(payloads [][]byte) (sink uint32, output []byte) {
	output, sum := framed(payloads)
	return tail(output) + sum, output
}

// mixPlayed has a buffer for each player, so that there is no one end of the output.
func mixPlayed(payloads [][]byte) (sink uint32, output []byte) {
	output, sum := framed(payloads)
	return sum, output
}

func mixCopied(payloads [][]byte) (sink uint32, output []byte) {
	output = bytes.Join(payloads, nil)
	return tail(output), output
}

// mixed follows an operation on packets as a game server sends them.
func mixed(count, perRound int, treat func(payloads [][]byte) (sink uint32, output []byte)) func(*samples.Source, *expectation) {
	return func(values *samples.Source, e *expectation) {
		payloads := mixedPayloads(values, count)
		for ; len(payloads) >= perRound; payloads = payloads[perRound:] {
			moved := 0
			for _, payload := range payloads[:perRound] {
				moved += len(payload)
			}
			sink, output := treat(payloads[:perRound])
			e.round(sink, output, moved)
		}
	}
}

// cycle follows an operation that writes a packet and reads it again, or does one of both.
func cycle[P any](count, perRound int, draw func(*samples.Source) P, appendTo func([]byte, P) []byte, sum func(P) uint32) func(*samples.Source, *expectation) {
	return func(values *samples.Source, e *expectation) {
		for range count / perRound {
			var output []byte
			sink := uint32(0)
			for range perRound {
				p := draw(values)
				output = appendTo(output, p)
				sink += sum(p)
			}
			if len(output) > 0 {
				sink += tail(output)
			}
			e.round(sink, output, 0)
		}
	}
}

// stress follows an operation that takes one packet of each kind through writing, framing, taking apart
// and reading.
func stress(values *samples.Source, e *expectation) {
	for range largeCount / largePerRound {
		var output []byte
		sum := uint32(0)
		for range largePerRound {
			s, m, l := values.Small(), values.Medium(), values.Large()
			for _, payload := range [][]byte{appendSmall(nil, s), appendMedium(nil, m), appendLarge(nil, l)} {
				output = mpacket.AppendFrame(output, payload)
			}
			sum += sumSmall(s) + sumMedium(m) + sumLarge(l)
		}
		e.round(tail(output)+sum, output, 0)
	}
}

func highVolumeWrites(values *samples.Source, e *expectation) {
	var output []byte
	for range valueCount / numbersPerOperation {
		output = output[:0]
		for range numbersPerOperation {
			output = mpacket.AppendInt64(output, values.Int64())
		}
		e.round(tail(output), output, 0)
	}
}

func highVolumeReads(values *samples.Source, e *expectation) {
	for range valueCount / numbersPerOperation {
		x := int64(0)
		for range numbersPerOperation {
			x ^= values.Int64()
		}
		e.round(halves(x), nil, 0)
	}
}
