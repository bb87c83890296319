// Command codec-go does the work of package mpacket by the clock: a request names an operation, a seed and a
// time budget, the reply says how much was done in how long (contract codec). HOST and PORT say where it
// listens; SIGTERM stops it.
package main

import (
	"dyno/mpacket"
	"dyno/subjects/shared/goecho"
)

func main() {
	var b bench
	goecho.Main("codec-go", func() goecho.Answer { return newAnswer(&b) })
}

// newAnswer returns what answers one connection. The replies before nonsense are still owed.
func newAnswer(b *bench) goecho.Answer {
	var decoder mpacket.FrameDecoder
	return func(chunk, out []byte) ([]byte, error) {
		for len(chunk) > 0 {
			frame, taken, err := decoder.Next(chunk)
			if err != nil {
				return out, err
			}
			chunk = chunk[taken:]
			if frame == nil {
				continue
			}
			j, err := parseJob(frame)
			if err != nil {
				return out, err
			}
			out = mpacket.AppendFrame(out, b.do(j))
		}
		return out, nil
	}
}

const (
	budgetMaxUs   = 1_000_000
	statusDone    = 0
	statusRefused = 1
)

// job is what a request asks for.
type job struct {
	operation string
	seed      uint32 // of the inputs
	budgetUs  int32  // how long to work
}

func parseJob(payload []byte) (job, error) {
	r := mpacket.NewReader(payload)
	j := job{operation: r.ReadString(), seed: r.ReadUint32(), budgetUs: r.ReadInt32()}
	return j, r.Finish()
}

// refusal returns the payload of a reply that says why a job is not done.
func refusal(reason string) []byte {
	return mpacket.AppendString([]byte{statusRefused}, reason)
}
