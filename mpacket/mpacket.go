// Package mpacket reads and writes packets: fixed-width fields, the types of the Minecraft Java
// protocol, and its frames, compression, encryption, opening packets and server list ping. It depends
// on the standard library only. A TypeScript twin and the test vectors that bind both are beside it.
//
// There are three layers, each usable without the ones above it:
//
//   - Append and Consume functions, one pair a type. AppendX(b, v) returns the longer slice.
//     ConsumeX(b) reads from the start of b and returns the value and n, the bytes read.
//   - [Writer] and [Reader] hold the place in the packet and the first error, so that a packet is
//     written or read field by field and checked once.
//   - [FrameDecoder] and [AppendFrame] cut a stream into frames and make them; [Decoder] and [Encoder]
//     add compression and encryption; [Pinger] and [Responder] speak to servers and clients.
//
// # Errors
//
// Every Consume function returns n > 0 when it has read a value, n = 0 when b ends inside it, and
// n = -int(kind) when no further bytes could make it good. [ParseError] turns n into an error. All
// other functions return an [*Error]: a [Kind], the value that is wrong and its offset. Compare with
// errors.Is(err, mpacket.ErrOverLimit).
//
// # Trust
//
// Everything that is read may be hostile. Lengths and counts are checked against their limits and
// against the bytes that came before anything is allocated; decoders hold bounded memory. By default
// the package accepts what real peers send although it is not the shortest form, such as padded
// VarInts; strict modes reject it. Append functions trust their caller; a Writer does not.
//
// # Memory
//
// Writing into a buffer that is large enough and reading allocate nothing, except for what returns a
// new string, copy or decoded NBT. What is called a view is a part of the input.
//
// The package never logs, keeps no global state, uses reflection for the JSON of a [Status] only, and
// reaches the network only in [Pinger] and [Responder].
package mpacket
