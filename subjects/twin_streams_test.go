package subjects_test

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"strings"

	"dyno/mpacket"
)

// The questions of the differential test about streams, packets and NBT.

func hexAll(pieces [][]byte) []string {
	all := []string{}
	for _, piece := range pieces {
		all = append(all, hex.EncodeToString(piece))
	}
	return all
}

// pieces cuts a stream at random.
func pieces(rng *rand.Rand, stream []byte) (all [][]byte) {
	for len(stream) > 0 {
		n := min(len(stream), 1+rng.IntN([]int{1, 3, 40, 1000}[rng.IntN(4)]))
		all = append(all, stream[:n])
		stream = stream[n:]
	}
	return all
}

// nexter is a FrameDecoder or a Decoder.
type nexter interface {
	Next(in []byte) (packet []byte, taken int, err error)
}

// takeApart is the answer of a decoder to a stream in pieces.
func takeApart(d nexter, in [][]byte, buffered func() int) (want twinAnswer) {
	for _, piece := range in {
		piece = bytes.Clone(piece)
		for len(piece) > 0 {
			packet, taken, err := d.Next(piece)
			if err != nil {
				fault := faultOf(err)
				fault.Pieces = want.Pieces
				return fault
			}
			if packet != nil {
				want.Pieces = append(want.Pieces, hex.EncodeToString(packet))
			}
			piece = piece[taken:]
		}
	}
	want.Offset = buffered()
	return want
}

// frameCase asks to cut a stream of frames, good or damaged.
func frameCase(rng *rand.Rand) twinCase {
	var stream []byte
	for range rng.IntN(8) {
		stream = mpacket.AppendFrame(stream, blobs(rng)) // some are empty
	}
	return cutCase(rng, pieces(rng, hostile(rng, stream)))
}

func cutCase(rng *rand.Rand, in [][]byte) twinCase {
	request := twinRequest{Op: "frames", Pieces: hexAll(in), Strict: rng.IntN(3) == 0, SkipEmpty: rng.IntN(2) == 0, MaxLen: rng.IntN(2) * (1 + rng.IntN(80))}
	d := mpacket.FrameDecoder{MaxLen: request.MaxLen, Strict: request.Strict, SkipEmpty: request.SkipEmpty}
	return twinCase{request: request, want: takeApart(&d, in, d.Buffered)}
}

// splitCases asks about one stream, cut in two at every byte.
func splitCases(rng *rand.Rand) (cases []twinCase) {
	stream := mpacket.AppendFrame(nil, blobs(rng))
	stream = append(stream, 0x83, 0x80, 0, 1, 2, 3)
	stream = mpacket.AppendFrame(stream, make([]byte, 200))
	stream = append(stream, 0xff, 0xff, 0xff)
	for cut := 1; cut < len(stream); cut++ {
		cases = append(cases, cutCase(rng, [][]byte{stream[:cut], stream[cut:]}))
	}
	return cases
}

// randomPackets returns packets of which some compress well.
func randomPackets(rng *rand.Rand) (packets [][]byte) {
	for range 1 + rng.IntN(4) {
		packets = append(packets, bytes.Repeat(append(blobs(rng), 'x'), 1+rng.IntN(2)*rng.IntN(30)))
	}
	return packets
}

// inflateCase asks to inflate payloads, good or damaged.
func inflateCase(rng *rand.Rand) twinCase {
	request := twinRequest{Op: "inflate", Threshold: rng.IntN(200), Strict: rng.IntN(3) == 0, MaxLen: rng.IntN(3) / 2 * 500, Ratio: rng.IntN(3), Burst: rng.IntN(3) * 600}
	deflater := mpacket.Deflater{Threshold: rng.IntN(200), Level: 1 + rng.IntN(9)}
	inflater := mpacket.Inflater{MaxLen: request.MaxLen, Ratio: request.Ratio, Burst: request.Burst, Threshold: request.Threshold, Strict: request.Strict}
	var want twinAnswer
	for _, packet := range randomPackets(rng) {
		payload, err := deflater.AppendPayload(nil, packet)
		if err != nil {
			panic(err)
		}
		if rng.IntN(3) == 0 {
			payload = hostile(rng, payload)
		}
		request.Pieces = append(request.Pieces, hex.EncodeToString(payload))
		if want.Kind != "" {
			continue
		}
		got, err := inflater.Inflate(payload)
		if err != nil {
			fault := faultOf(err)
			fault.Pieces = want.Pieces
			want = fault
			continue
		}
		want.Pieces = append(want.Pieces, hex.EncodeToString(got))
	}
	return oneZlibFault(twinCase{request: request, want: want})
}

// oneZlibFault makes one kind of the two that data can get which is damaged and of the wrong size too:
// which fault a library meets first depends on how much it inflates at a time. The vectors have data with
// one of both faults.
func oneZlibFault(c twinCase) twinCase {
	merge := func(a twinAnswer) twinAnswer {
		if a.Kind == mpacket.ErrSizeMismatch.String() {
			a.Kind = mpacket.ErrBadZlib.String()
		}
		return a
	}
	c.want, c.read = merge(c.want), merge
	return c
}

// coder returns a request with random compression and encryption.
func coder(rng *rand.Rand, op string) (request twinRequest, secret []byte) {
	request = twinRequest{Op: op, Threshold: rng.IntN(2) * (1 + rng.IntN(200))}
	if rng.IntN(2) == 0 {
		id := uuids(rng)
		secret = id[:]
		request.Secret = hex.EncodeToString(secret)
	}
	return request, secret
}

func setUp(request twinRequest, secret []byte, setCompression func(int), setKey func([]byte) error) {
	if request.Threshold > 0 {
		setCompression(request.Threshold)
	}
	if secret != nil {
		if err := setKey(secret); err != nil {
			panic(err)
		}
	}
}

// encodeCase asks to encode packets; what comes out must decode to them, as zlib data may differ.
func encodeCase(rng *rand.Rand) twinCase {
	request, secret := coder(rng, "encode")
	request.Pieces = hexAll(randomPackets(rng))
	return twinCase{request: request, want: twinAnswer{Pieces: request.Pieces}, read: func(got twinAnswer) twinAnswer {
		stream, err := hex.DecodeString(got.Hex)
		if err != nil {
			return got
		}
		var d mpacket.Decoder
		setUp(request, secret, d.SetCompression, d.SetKey)
		return takeApart(&d, [][]byte{stream}, d.Frames.Buffered)
	}}
}

// decodeCase asks to decode a stream, good or damaged, in pieces.
func decodeCase(rng *rand.Rand) twinCase {
	request, secret := coder(rng, "decode")
	var e mpacket.Encoder
	setUp(request, secret, e.SetCompression, e.SetKey)
	var stream []byte
	for _, packet := range randomPackets(rng) {
		var err error
		if stream, err = e.AppendPacket(stream, packet); err != nil {
			panic(err)
		}
	}
	if rng.IntN(2) == 0 {
		stream = hostile(rng, stream)
	}
	in := pieces(rng, stream)
	request.Pieces = hexAll(in)
	var d mpacket.Decoder
	setUp(request, secret, d.SetCompression, d.SetKey)
	return oneZlibFault(twinCase{request: request, want: takeApart(&d, in, d.Frames.Buffered)})
}

// packetCase asks to parse one of the packets that open a connection, good or damaged.
func packetCase(rng *rand.Rand) twinCase {
	protocols := []int32{47, 759, 760, 761, 764, 800}
	request := twinRequest{Op: "packet", Protocol: protocols[rng.IntN(len(protocols))]}
	name := soundTexts(rng)
	name = string([]rune(name)[:min(len([]rune(name)), 8)])
	var packet []byte
	var err error
	parse := func([]byte) (any, error) { return nil, nil }
	switch rng.IntN(4) {
	case 0:
		request.Type = "handshake"
		packet, err = mpacket.Handshake{Protocol: number[int32](rng), Host: name, Port: number[uint16](rng), Next: mpacket.NextState(rng.IntN(5))}.AppendBinary(nil)
		parse = func(b []byte) (any, error) {
			h, err := mpacket.ParseHandshake(b)
			return map[string]any{"protocol": h.Protocol, "host": h.Host, "port": h.Port, "next": h.Next}, err
		}
	case 1:
		request.Type = "login-start"
		packet, err = mpacket.LoginStart{Name: name, ID: uuids(rng)}.Append(nil, request.Protocol)
		parse = func(b []byte) (any, error) {
			l, err := mpacket.ParseLoginStart(b, request.Protocol)
			return map[string]any{"name": l.Name, "id": l.ID.String()}, err
		}
	case 2:
		request.Type = "ping"
		packet = mpacket.AppendPing(nil, number[int64](rng))
		parse = func(b []byte) (any, error) {
			payload, err := mpacket.ParsePing(b)
			return map[string]any{"payload": decimal(payload)}, err
		}
	case 3:
		request.Type = "status-response"
		packet, err = mpacket.AppendStatusResponse(nil, name)
		parse = func(b []byte) (any, error) {
			text, err := mpacket.ParseStatusResponse(b)
			return map[string]any{"json": text}, err
		}
	}
	if err != nil {
		panic(err)
	}
	if rng.IntN(2) == 0 {
		packet = hostile(rng, packet)
	}
	request.Hex = hex.EncodeToString(packet)
	shown, err := parse(packet)
	if err != nil {
		return twinCase{request: request, want: faultOf(err)}
	}
	return twinCase{request: request, want: twinAnswer{Shown: shown}}
}

// randomNBT returns a value that can be written in that form.
func randomNBT(rng *rand.Rand, form mpacket.NBTForm) mpacket.NBT {
	if form == mpacket.NBTFile {
		return mpacket.NBT{Name: soundTexts(rng), Value: nbtCompound(rng, 0)}
	}
	return mpacket.NBT{Value: nbtValue(rng, mpacket.NBTTag(1+rng.IntN(12)), 0)}
}

// soundTexts is texts without the halves of surrogate pairs.
func soundTexts(rng *rand.Rand) string { return strings.ToValidUTF8(texts(rng), "") }

func nbtCompound(rng *rand.Rand, depth int) mpacket.NBTCompound {
	compound := mpacket.NBTCompound{}
	for range rng.IntN(5) {
		compound = append(compound, mpacket.NBTField{Name: soundTexts(rng), Value: nbtValue(rng, mpacket.NBTTag(1+rng.IntN(12)), depth+1)})
	}
	return compound
}

func nbtValue(rng *rand.Rand, tag mpacket.NBTTag, depth int) any {
	if depth > 4 && (tag == mpacket.TagList || tag == mpacket.TagCompound) {
		tag = mpacket.TagString
	}
	switch tag {
	case mpacket.TagByte:
		return number[int8](rng)
	case mpacket.TagShort:
		return number[int16](rng)
	case mpacket.TagInt:
		return number[int32](rng)
	case mpacket.TagLong:
		return number[int64](rng)
	case mpacket.TagFloat:
		return float32s(rng)
	case mpacket.TagDouble:
		return float64s(rng)
	case mpacket.TagByteArray:
		return blobs(rng)
	case mpacket.TagString:
		return soundTexts(rng)
	case mpacket.TagList:
		of := mpacket.NBTTag(1 + rng.IntN(8))
		values := list(rng, func(rng *rand.Rand) any { return nbtValue(rng, of, depth+1) })
		return mpacket.NBTList{Tag: of, Values: values}
	case mpacket.TagCompound:
		return nbtCompound(rng, depth)
	case mpacket.TagIntArray:
		return int32s(rng)
	}
	return list(rng, number[int64])
}

// nbtOneNaN replaces every NaN by that of JavaScript.
func nbtOneNaN(v mpacket.NBT) mpacket.NBT {
	v.Value = valueOneNaN(v.Value)
	return v
}

func valueOneNaN(value any) any {
	switch v := value.(type) {
	case float32:
		return asOneNaN(v)
	case float64:
		return asOneNaN(v)
	case mpacket.NBTList:
		v.Values = slices.Clone(v.Values)
		for i := range v.Values {
			v.Values[i] = valueOneNaN(v.Values[i])
		}
		return v
	case mpacket.NBTCompound:
		v = slices.Clone(v)
		for i := range v {
			v[i].Value = valueOneNaN(v[i].Value)
		}
		return v
	}
	return value
}
