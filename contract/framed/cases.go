package framed

import "dyno/contract/internal/gate"

// gateCases is the gate. The order is chosen so that the first case to fail names the cause: whole
// frames on one connection first, then their split delivery, then several connections, then volume,
// then the end of connections, and last what may kill the server.
var gateCases = []gate.Case{
	promise("random-payload", "Frames of random length and content come back byte for byte.", randomPayload),
	promise("look-alikes", "Frames that differ in a single byte are told apart.", lookAlikes),
	promise("sizes", "Frames of 1 B to 1 MiB come back whole.", sizes),
	promise("longest-frame", "A frame of 2,097,151 B, the longest legal one, comes back whole.", longestFrame),
	promise("coalesced", "Many frames in one segment are all answered, in order.", coalesced),
	promise("pipelined", "64 frames in flight are answered in order.", pipelined),
	promise("padded-length", "A length padded to two or three bytes is accepted and comes back minimal.", paddedLength),
	promise("split-frame", "A frame cut in two at any point is put together again.", splitFrame),
	promise("split-prefix", "A cut inside the length prefix does no harm.", splitPrefix),
	promise("byte-by-byte", "Frames that arrive byte by byte are put together again.", byteByByte),
	promise("interleaved", "Two connections with half frames in turn never see each other's bytes.", interleaved),
	promise("many-connections", "64 connections at once are all served.", manyConnections),
	promise("many-frames", "The 20,000th frame of a connection is answered as well as the first.", manyFrames),
	promise("slow-reader", "A client that reads slowly gets all of 8 MiB.", slowReader),
	promise("half-close", "After the client's end of stream all owed replies come, then the server closes.", halfClose),
	promise("truncated-frame", "A frame that the stream's end cuts off is not answered, and others are still served.", truncatedFrame),
	promise("zero-length", "A length of zero closes its connection and no other.", zeroLength),
	promise("negative-length", "A negative length closes its connection and no other.", negativeLength),
	promise("over-long-length", "A length of more than three bytes closes its connection and no other.", overLongLength),
	promise("too-large-length", "A length above 2,097,151 closes its connection and no other.", tooLargeLength),
	promise("reset", "A client's reset, in a frame or with replies owed, leaves the server alive for others.", reset),
}
