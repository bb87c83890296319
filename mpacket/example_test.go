package mpacket_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"

	"dyno/mpacket"
)

// Append and Consume functions are the lowest layer: slices in, slices out.
func Example_appendAndConsume() {
	b := mpacket.AppendVarInt(nil, 25565)
	b = mpacket.AppendString(b, "localhost")
	fmt.Printf("%x\n", b)

	port, n := mpacket.ConsumeVarInt(b)
	if n <= 0 {
		fmt.Println(mpacket.ParseError(n))
		return
	}
	host, m := mpacket.ConsumeString(b[n:], 255)
	if m <= 0 {
		fmt.Println(mpacket.ParseError(m))
		return
	}
	fmt.Println(port, host)

	_, n = mpacket.ConsumeVarInt([]byte{0xff, 0xff})
	fmt.Println(mpacket.ParseError(n))
	// Output:
	// ddc701096c6f63616c686f7374
	// 25565 localhost
	// mpacket: short: the input ends inside it; wait for more bytes or reject the packet
}

// A Writer and a Reader carry the first error along, so that it is checked once.
func Example() {
	var w mpacket.Writer
	w.WriteVarInt(0x1f)
	w.WriteString("Hello!")
	w.WriteInt32(-5)
	w.WritePosition(mpacket.Position{X: 18357644, Y: 831, Z: -20882616})
	mpacket.WriteArray(&w, []string{"red", "blue"}, (*mpacket.Writer).WriteString)
	if err := w.Err(); err != nil {
		fmt.Println(err)
		return
	}

	r := mpacket.NewReader(w.Bytes())
	fmt.Printf("%#x %q %d\n", r.ReadVarInt(), r.ReadString(), r.ReadInt32())
	fmt.Println(r.ReadPosition(), mpacket.ReadArray(r, nil, 16, (*mpacket.Reader).ReadString))
	fmt.Println(r.Finish())
	// Output:
	// 0x1f "Hello!" -5
	// {18357644 831 -20882616} [red blue]
	// <nil>
}

// Errors have a kind to compare with, and say what was wrong where.
func ExampleReader_Err() {
	r := mpacket.NewReader([]byte{1, 0xff, 0xff, 0xff, 0xff, 0x0f})
	r.ReadBool()
	r.ReadString() // its length is -1
	r.ReadInt64()  // does nothing any more
	fmt.Println(r.Err())
	fmt.Println(errors.Is(r.Err(), mpacket.ErrNegative))
	// Output:
	// mpacket: string at byte 1: it is below zero; reject the input
	// true
}

// A FrameDecoder takes chunks as they come from a socket.
func ExampleFrameDecoder() {
	stream := mpacket.AppendFrame(nil, []byte("first"))
	stream = mpacket.AppendFrame(stream, []byte("second"))

	var d mpacket.FrameDecoder
	for _, in := range [][]byte{stream[:3], stream[3:8], stream[8:]} {
		for len(in) > 0 {
			frame, taken, err := d.Next(in)
			if err != nil {
				fmt.Println(err) // close the connection
				return
			}
			if frame != nil {
				fmt.Printf("%s\n", frame)
			}
			in = in[taken:]
		}
	}
	// Output:
	// first
	// second
}

// An Encoder and a Decoder are the two ends of one direction of a connection.
func ExampleEncoder() {
	secret := []byte("sixteen byte key")
	var encoder mpacket.Encoder
	var decoder mpacket.Decoder
	encoder.SetCompression(64)
	decoder.SetCompression(64)
	if err := errors.Join(encoder.SetKey(secret), decoder.SetKey(secret)); err != nil {
		fmt.Println(err)
		return
	}

	packet := make([]byte, 1000)
	stream, err := encoder.AppendPacket(nil, packet)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("shorter:", len(stream) < len(packet))

	received, _, err := decoder.Next(stream)
	fmt.Println(len(received), err)
	// Output:
	// shorter: true
	// 1000 <nil>
}

// Writers can be pooled: Reset keeps the memory.
func ExampleWriter_Reset() {
	pool := sync.Pool{New: func() any { return mpacket.NewWriter(make([]byte, 0, 1024)) }}

	w := pool.Get().(*mpacket.Writer)
	w.Reset()
	mark := w.BeginFrame()
	w.WriteVarInt(1)
	w.WriteInt64(42)
	w.EndFrame(mark)
	fmt.Printf("%x\n", w.Bytes())
	pool.Put(w)
	// Output: 0901000000000000002a
}

// NBT keeps the order of its fields and the types of its numbers.
func ExampleConsumeNBT() {
	written, err := mpacket.AppendNBT(nil, mpacket.NBTNetwork, mpacket.NBT{Value: mpacket.NBTCompound{
		{Name: "text", Value: "Hello"},
		{Name: "bold", Value: int8(1)},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	v, n := mpacket.ConsumeNBT(written, mpacket.NBTNetwork)
	compound := v.Value.(mpacket.NBTCompound)
	fmt.Println(n == len(written), compound.Get("text"), compound.Get("bold"))
	// Output: true Hello 1
}

// A Responder answers the server list, and a Pinger asks it. Both speak to real clients and servers too.
func ExamplePinger() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	responder := mpacket.Responder{Status: func() mpacket.Status {
		return mpacket.Status{
			Version:     mpacket.StatusVersion{Name: "1.21.4", Protocol: 769},
			Players:     &mpacket.StatusPlayers{Max: 20, Online: 3},
			Description: mpacket.TextComponent("An example"),
		}
	}}
	served := make(chan error)
	go func() { served <- responder.Serve(ctx, listener) }()

	var pinger mpacket.Pinger
	result, err := pinger.Ping(ctx, listener.Addr().String())
	fmt.Println(result.Status.PlainText(), result.Status.Players.Online, result.LatencyNs > 0, err)
	stop()
	fmt.Println(<-served)
	// Output:
	// An example 3 true <nil>
	// <nil>
}
