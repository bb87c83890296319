package mpacket_test

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"dyno/mpacket"
	"dyno/mpacket/samples"
)

// parallelSum takes the sums of all goroutines.
var parallelSum atomic.Int64

// inParallel runs work on every core, each with a cycler of its own and another place to start.
func inParallel(b *testing.B, work func(c *cycler, i int) int64) {
	b.ReportAllocs()
	var starts atomic.Int64
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		c := newCycler()
		i, sum := int(starts.Add(1))*12_345, int64(0)
		for pb.Next() {
			sum += work(c, i%packetCount)
			i++
		}
		parallelSum.Add(sum)
	})
}

func BenchmarkParallelWrite(b *testing.B) {
	packets := mediumPackets()
	inParallel(b, func(c *cycler, i int) int64 {
		c.w.Reset()
		samples.WriteMedium(c.w, &packets[i])
		return int64(c.w.Len())
	})
}

func BenchmarkParallelRead(b *testing.B) {
	payloads := samples.Payloads(mediumPackets(), samples.WriteMedium)
	inParallel(b, func(c *cycler, i int) int64 {
		c.r.Reset(payloads[i])
		return readMedium(&c.r)
	})
}

func BenchmarkParallelSmallPacket(b *testing.B) {
	packets := smallPackets()
	inParallel(b, func(c *cycler, i int) int64 { return c.small(&packets[i]) })
}

func BenchmarkParallelMediumPacket(b *testing.B) {
	packets := mediumPackets()
	inParallel(b, func(c *cycler, i int) int64 { return c.medium(&packets[i]) })
}

func BenchmarkParallelLargePacket(b *testing.B) {
	packets := largePackets()
	inParallel(b, func(c *cycler, i int) int64 { return c.large(&packets[i%len(packets)]) })
}

// players is how many connections the seed's maximum load has.
const players = 1000

// BenchmarkThroughputMaxLoad serves 1,000 players in turns, one packet an operation, each with a buffer and
// a decoder of its own: what the codec costs when the memory of a connection is seldom in the cache. No
// byte leaves the process; BenchmarkThroughputMaxLoadReal uses sockets.
func BenchmarkThroughputMaxLoad(b *testing.B) {
	var decoders [players]mpacket.FrameDecoder
	buffers := make([][]byte, players)
	for i := range buffers {
		buffers[i] = make([]byte, 0, 1024)
	}
	player := 0
	besideCopy(b, mixedPayloads(), func(part [][]byte) {
		for _, payload := range part {
			buffers[player] = mpacket.AppendFrame(buffers[player][:0], payload)
			sink += decodeFrames(b, &decoders[player], buffers[player])
			player = (player + 1) % players
		}
	})
}

// BenchmarkThroughputMaxLoadReal sends packets over 1,000 TCP connections on loopback, one packet an
// operation and eight in a write, and waits until all were taken apart on the other side. This is what
// the seed's "1,000 players" would have to be; the operating system does most of the work.
func BenchmarkThroughputMaxLoadReal(b *testing.B) {
	const packetsPerWrite = 8
	clients, servers := connectPlayers(b)
	payloads := mixedPayloads()
	reportAfter := b.N
	b.ReportAllocs()
	var decoded atomic.Int64
	var readers sync.WaitGroup
	b.ResetTimer()
	for _, server := range servers {
		readers.Go(func() { decoded.Add(countFrames(server)) })
	}
	buf := make([]byte, 0, 64<<10)
	bytesSent := 0
	for at, player := 0, 0; at < reportAfter; player = (player + 1) % players {
		buf = buf[:0]
		for range min(packetsPerWrite, reportAfter-at) {
			buf = mpacket.AppendFrame(buf, payloads[at%len(payloads)])
			at++
		}
		if _, err := clients[player].Write(buf); err != nil {
			b.Fatal(err)
		}
		bytesSent += len(buf)
	}
	for _, client := range clients {
		client.Close()
	}
	readers.Wait()
	b.StopTimer()
	if decoded.Load() != int64(reportAfter) {
		b.Fatalf("%d packets sent, %d received", reportAfter, decoded.Load())
	}
	b.SetBytes(int64(bytesSent / reportAfter))
	b.ReportMetric(8*float64(bytesSent)/float64(b.Elapsed().Nanoseconds()), "Gbit/s")
}

// countFrames takes apart what comes over conn until it ends.
func countFrames(conn net.Conn) (count int64) {
	var d mpacket.FrameDecoder
	buf := make([]byte, 16<<10)
	for {
		n, err := conn.Read(buf)
		for in := buf[:n]; len(in) > 0; {
			frame, taken, frameErr := d.Next(in)
			if frameErr != nil {
				return -1
			}
			if frame != nil {
				count++
			}
			in = in[taken:]
		}
		if err == io.EOF {
			return count
		}
		if err != nil {
			return -1
		}
	}
}

// connectPlayers opens 1,000 connections on loopback. Where the limit of open files does not allow that,
// the benchmark is skipped.
func connectPlayers(b *testing.B) (clients, servers []net.Conn) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer listener.Close()
	for range players {
		client, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			b.Skipf("connection %d: %v; raise the limit of open files (ulimit -n 4096)", len(clients), err)
		}
		server, err := listener.Accept()
		if err != nil {
			b.Skipf("connection %d: %v; raise the limit of open files (ulimit -n 4096)", len(clients), err)
		}
		b.Cleanup(func() {
			client.Close()
			server.Close()
		})
		clients, servers = append(clients, client), append(servers, server)
	}
	return clients, servers
}
