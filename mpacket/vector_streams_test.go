package mpacket

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
)

type frameCase struct {
	Name      string `json:"name"`
	Stream    blob   `json:"stream"`
	Frames    []run  `json:"frames"`
	MaxLen    int    `json:"max_len"`
	Strict    bool   `json:"strict"`
	SkipEmpty bool   `json:"skip_empty"`
	Buffered  int    `json:"buffered"`
	Error     string `json:"error"`
	Offset    int64  `json:"offset"`
	Canonical *blob  `json:"canonical"`
}

func TestFrameVectors(t *testing.T) {
	for _, c := range readVectors[frameCase](t, "frames") {
		t.Run(c.Name, func(t *testing.T) {
			frames := joinRuns(t, c.Frames)
			eachSplit(len(c.Stream), func(name string, next func() int) {
				d := FrameDecoder{MaxLen: c.MaxLen, Strict: c.Strict, SkipEmpty: c.SkipEmpty}
				got := decodeSplit(&d, c.Stream, next)
				checkStream(t, name, got.frames, frames, d.err, c.Error, c.Offset)
				if got.buffered != c.Buffered {
					t.Errorf("%s: %d bytes buffered, want %d", name, got.buffered, c.Buffered)
				}
			})
			if c.Error != "" || c.Buffered != 0 {
				return
			}
			var written []byte
			for _, frame := range frames {
				written = AppendFrame(written, frame)
			}
			want := c.Stream
			if c.Canonical != nil {
				want = *c.Canonical
			}
			if !bytes.Equal(written, want) {
				t.Errorf("framing gives %.100x, want %.100x", written, want)
			}
		})
	}
}

// eachSplit calls f with ways to cut a stream of n bytes: whole, in chunks of each small length, and
// at random.
func eachSplit(n int, f func(name string, next func() int)) {
	f("whole", func() int { return n })
	rng := rand.New(rand.NewPCG(7, uint64(n)))
	f("random", func() int { return 1 + rng.IntN(1+n/3) })
	for step := 1; step < min(n, 20); step++ {
		if n < 1<<16 || step > 10 {
			f(fmt.Sprintf("chunks of %d", step), func() int { return step })
		}
	}
}

// checkStream compares what came out of a stream with what should have.
func checkStream(t *testing.T, name string, got []string, want [][]byte, err error, wantKind string, wantOffset int64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d packets, want %d (error %v)", name, len(got), len(want), err)
	}
	for i := range got {
		if got[i] != string(want[i]) {
			t.Fatalf("%s: packet %d is %.100x, want %.100x", name, i, got[i], want[i])
		}
	}
	if kindName(err) != wantKind {
		t.Fatalf("%s: error %v, want %q", name, err, wantKind)
	}
	var e *Error
	if errors.As(err, &e) && e.Offset != wantOffset {
		t.Errorf("%s: error at %d, want %d", name, e.Offset, wantOffset)
	}
}

func joinRuns(t *testing.T, runs []run) (joined [][]byte) {
	t.Helper()
	for _, r := range runs {
		joined = append(joined, bytes.Repeat(fromHex(t, r.Hex), r.Times))
	}
	return joined
}

func fromHex(t *testing.T, text string) []byte {
	t.Helper()
	var b blob
	if err := b.UnmarshalJSON([]byte(`"` + text + `"`)); err != nil {
		t.Fatal(err)
	}
	return b
}

type compressionCase struct {
	Name      string `json:"name"`
	Payloads  []blob `json:"payloads"`
	Packets   []run  `json:"packets"`
	Threshold int    `json:"threshold"`
	MaxLen    int    `json:"max_len"`
	Ratio     int    `json:"ratio"`
	Burst     int    `json:"burst"`
	Error     string `json:"error"`
	Strict    string `json:"strict"`
	Writes    bool   `json:"writes"`
}

func TestCompressionVectors(t *testing.T) {
	for _, c := range readVectors[compressionCase](t, "compression") {
		t.Run(c.Name, func(t *testing.T) {
			packets := joinRuns(t, c.Packets)
			z := Inflater{MaxLen: c.MaxLen, Ratio: c.Ratio, Burst: c.Burst, Threshold: c.Threshold}
			got, err := inflateAll(&z, c.Payloads)
			checkInflated(t, got, packets, err, c.Error)
			if c.Strict != "" {
				_, err := inflateAll(&Inflater{Strict: true, Threshold: c.Threshold}, c.Payloads)
				checkInflated(t, nil, nil, err, c.Strict)
			}
			if c.Error != "" {
				return
			}
			deflater := Deflater{Threshold: c.Threshold}
			for i, packet := range packets {
				payload, err := deflater.AppendPayload([]byte{9}, packet)
				if err != nil {
					t.Fatal(err)
				}
				if c.Writes && !bytes.Equal(payload[1:], c.Payloads[i]) {
					t.Errorf("payload %d is %x, want %x", i, payload[1:], c.Payloads[i])
				}
				again, err := new(Inflater).Inflate(payload[1:])
				if err != nil || !bytes.Equal(again, packet) {
					t.Errorf("packet %d does not survive: %v", i, err)
				}
			}
		})
	}
}

func inflateAll(z *Inflater, payloads []blob) (packets []string, err error) {
	for _, payload := range payloads {
		packet, err := z.Inflate(payload)
		if err != nil {
			return packets, err
		}
		packets = append(packets, string(packet))
	}
	return packets, nil
}

func checkInflated(t *testing.T, got []string, want [][]byte, err error, wantKind string) {
	t.Helper()
	var e *Error
	if errors.As(err, &e) {
		checkStream(t, "inflate", got, want, err, wantKind, e.Offset)
		return
	}
	checkStream(t, "inflate", got, want, err, wantKind, 0)
}

type cipherCase struct {
	Name      string `json:"name"`
	Secret    blob   `json:"secret"`
	Key       blob   `json:"key"`
	IV        blob   `json:"iv"`
	Plain     blob   `json:"plain"`
	Encrypted blob   `json:"encrypted"`
}

func TestCipherVectors(t *testing.T) {
	for _, c := range readVectors[cipherCase](t, "cipher") {
		t.Run(c.Name, func(t *testing.T) {
			if c.Secret != nil {
				c.Key, c.IV = c.Secret, c.Secret
			}
			eachSplit(len(c.Plain), func(name string, next func() int) {
				encrypter := must(NewCFB8Encrypter(c.Key, c.IV))
				decrypter := must(NewCFB8Decrypter(c.Key, c.IV))
				apart, inPlace := make([]byte, len(c.Plain)), bytes.Clone(c.Encrypted)
				for at := 0; at < len(c.Plain); {
					end := min(len(c.Plain), at+max(1, next()))
					encrypter.XORKeyStream(apart[at:end], c.Plain[at:end])
					decrypter.XORKeyStream(inPlace[at:end], inPlace[at:end])
					at = end
				}
				if !bytes.Equal(apart, c.Encrypted) {
					t.Errorf("%s: encrypts to %x, want %x", name, apart, c.Encrypted)
				}
				if !bytes.Equal(inPlace, c.Plain) {
					t.Errorf("%s: decrypts to %x, want %x", name, inPlace, c.Plain)
				}
			})
		})
	}
}

type streamCase struct {
	Name      string `json:"name"`
	Secret    blob   `json:"secret"`
	Threshold *int   `json:"threshold"`
	Stream    blob   `json:"stream"`
	Packets   []run  `json:"packets"`
	Error     string `json:"error"`
	Offset    int64  `json:"offset"`
	Writes    bool   `json:"writes"`
}

func TestStreamVectors(t *testing.T) {
	for _, c := range readVectors[streamCase](t, "stream") {
		t.Run(c.Name, func(t *testing.T) {
			packets := joinRuns(t, c.Packets)
			eachSplit(len(c.Stream), func(name string, next func() int) {
				d := new(Decoder)
				c.setUp(t, d.SetCompression, d.SetKey)
				got, err := decodePackets(d, c.Stream, next)
				checkStream(t, name, got, packets, err, c.Error, c.Offset)
			})
			var e Encoder
			c.setUp(t, e.SetCompression, e.SetKey)
			var stream []byte
			for _, packet := range packets {
				stream = must(e.AppendPacket(stream, packet))
			}
			if c.Writes && !bytes.Equal(stream, c.Stream) {
				t.Errorf("encoding gives %x, want %x", stream, c.Stream)
			}
			d := new(Decoder)
			c.setUp(t, d.SetCompression, d.SetKey)
			got, err := decodePackets(d, stream, func() int { return 5 })
			checkStream(t, "encoded by Encoder", got, packets, err, "", 0)
		})
	}
}

func (c *streamCase) setUp(t *testing.T, setCompression func(int), setKey func([]byte) error) {
	t.Helper()
	if c.Threshold != nil {
		setCompression(*c.Threshold)
	}
	if c.Secret != nil {
		if err := setKey(c.Secret); err != nil {
			t.Fatal(err)
		}
	}
}

// decodePackets feeds stream to d in chunks of the lengths that next returns, as a socket would: the rest
// of a chunk is passed again with new bytes behind it.
func decodePackets(d *Decoder, stream []byte, next func() int) (packets []string, err error) {
	stream = bytes.Clone(stream)
	var in []byte
	for len(stream) > 0 {
		step := min(len(stream), max(1, next()))
		in = append(bytes.Clone(in), stream[:step]...)
		stream = stream[step:]
		// One packet is taken a chunk, so that something is left over as often as possible.
		packet, taken, err := d.Next(in)
		if err != nil {
			return packets, err
		}
		if packet != nil {
			packets = append(packets, string(packet))
		}
		in = in[taken:]
	}
	for len(in) > 0 {
		packet, taken, err := d.Next(in)
		if err != nil {
			return packets, err
		}
		if packet != nil {
			packets = append(packets, string(packet))
		}
		in = in[taken:]
	}
	return packets, nil
}
