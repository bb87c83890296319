package framed

import "dyno"

// gateCases is the gate. The order is chosen so that the first case to fail names the cause: whole
// frames on one connection first, then their split delivery, then several connections, then volume,
// then the end of connections, and last what may kill the server.
var gateCases = []gateCase{
	{dyno.Case{Name: "random-payload", Promise: "Frames of random length and content come back byte for byte."}, randomPayload},
	{dyno.Case{Name: "look-alikes", Promise: "Frames that differ in a single byte are told apart."}, lookAlikes},
	{dyno.Case{Name: "sizes", Promise: "Frames of 1 B to 1 MiB come back whole."}, sizes},
	{dyno.Case{Name: "longest-frame", Promise: "A frame of 2,097,151 B, the longest legal one, comes back whole."}, longestFrame},
	{dyno.Case{Name: "coalesced", Promise: "Many frames in one segment are all answered, in order."}, coalesced},
	{dyno.Case{Name: "pipelined", Promise: "64 frames in flight are answered in order."}, pipelined},
	{dyno.Case{Name: "padded-length", Promise: "A length padded to two or three bytes is accepted and comes back minimal."}, paddedLength},
	{dyno.Case{Name: "split-frame", Promise: "A frame cut in two at any point is put together again."}, splitFrame},
	{dyno.Case{Name: "split-prefix", Promise: "A cut inside the length prefix does no harm."}, splitPrefix},
	{dyno.Case{Name: "byte-by-byte", Promise: "Frames that arrive byte by byte are put together again."}, byteByByte},
	{dyno.Case{Name: "interleaved", Promise: "Two connections with half frames in turn never see each other's bytes."}, interleaved},
	{dyno.Case{Name: "many-connections", Promise: "64 connections at once are all served."}, manyConnections},
	{dyno.Case{Name: "many-frames", Promise: "The 20,000th frame of a connection is answered as well as the first."}, manyFrames},
	{dyno.Case{Name: "slow-reader", Promise: "A client that reads slowly gets all of 8 MiB."}, slowReader},
	{dyno.Case{Name: "half-close", Promise: "After the client's end of stream all owed replies come, then the server closes."}, halfClose},
	{dyno.Case{Name: "truncated-frame", Promise: "A frame that the stream's end cuts off is not answered, and others are still served."}, truncatedFrame},
	{dyno.Case{Name: "zero-length", Promise: "A length of zero closes its connection and no other."}, zeroLength},
	{dyno.Case{Name: "negative-length", Promise: "A negative length closes its connection and no other."}, negativeLength},
	{dyno.Case{Name: "over-long-length", Promise: "A length of more than three bytes closes its connection and no other."}, overLongLength},
	{dyno.Case{Name: "too-large-length", Promise: "A length above 2,097,151 closes its connection and no other."}, tooLargeLength},
	{dyno.Case{Name: "reset", Promise: "A client's reset, in a frame or with replies owed, leaves the server alive for others."}, reset},
}
