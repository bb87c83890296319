package codec

import (
	"fmt"

	"dyno/mpacket"
)

// budgetMaxUs is the longest time, in µs, that a request may ask a subject to work.
const budgetMaxUs = 1_000_000

// reasonUnitsMax is how long the reason of a refusal may be, in UTF-16 units.
const reasonUnitsMax = 200

// replyBytesMax bounds the payload of a reply.
const replyBytesMax = 1 + mpacket.MaxVarIntLen + 3*reasonUnitsMax

// The first byte of a reply.
const (
	statusDone    = 0
	statusRefused = 1
)

// job is what a request asks for.
type job struct {
	operation string
	seed      uint32 // of the inputs
	budgetUs  int32  // how long to work, by the subject's own clock
}

// append appends the request as a frame.
func (j job) append(dst []byte) []byte {
	dst, mark := mpacket.BeginFrame(dst)
	dst = mpacket.AppendString(dst, j.operation)
	dst = mpacket.AppendInt32(dst, int32(j.seed))
	dst = mpacket.AppendInt32(dst, j.budgetUs)
	dst, err := mpacket.EndFrame(dst, mark)
	if err != nil {
		panic(err) // no name of an operation is that long
	}
	return dst
}

// report is what a subject says of a job that it did.
type report struct {
	lanes          int32 // threads that worked at the same time, each doing all rounds
	rounds         int64 // that each lane did
	durationNs     int64 // of them, by the subject's own clock
	allocatedBytes int64 // -1 where the runtime does not tell
	allocations    int64 // -1 where the runtime does not tell
	digest         uint32
	sink           uint32
}

// refusal is the subject's reason not to do a job.
type refusal struct{ reason string }

func (r *refusal) Error() string { return fmt.Sprintf("the subject refused: %q", r.reason) }

// parseReply reads the payload of a reply. A *refusal says that the subject did not do the job; any other
// error that the reply makes no sense.
func parseReply(payload []byte) (report, error) {
	r := mpacket.NewReader(payload)
	switch status := r.ReadUint8(); status {
	case statusDone:
		done := report{
			lanes: r.ReadInt32(), rounds: r.ReadInt64(), durationNs: r.ReadInt64(),
			allocatedBytes: r.ReadInt64(), allocations: r.ReadInt64(),
			digest: r.ReadUint32(), sink: r.ReadUint32(),
		}
		return done, r.Finish()
	case statusRefused:
		reason := r.ReadStringMax(reasonUnitsMax)
		if err := r.Finish(); err != nil {
			return report{}, err
		}
		return report{}, &refusal{reason}
	default:
		return report{}, fmt.Errorf("status %d, want %d or %d", status, statusDone, statusRefused)
	}
}
