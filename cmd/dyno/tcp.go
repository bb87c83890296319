package main

import (
	"net"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"dyno"
	"dyno/contract/framed"
	"dyno/internal/words"
	"dyno/load"
	"dyno/mpacket"
	"dyno/report/adhoc"
)

// tcpFlags are what `dyno tcp` sends.
type tcpFlags struct {
	loadFlags
	tlsFlags
	tls   bool
	sizes string
}

func newTCP() *cobra.Command {
	var f tcpFlags
	cmd := &cobra.Command{
		Use:   "tcp HOST:PORT",
		Short: "Load a server that echoes VarInt-framed packets, and verify every byte",
		Long: `Loads a framed TCP server: packets with a VarInt length before them, which the server sends back.
Payloads are random, and every echo is compared with what was sent, byte by byte.

With several --size the connections take the sizes in turn, so that all are in flight together.
Without -R it is a closed loop and latency is service time; with -R packets are due by a clock, and
latency is response time, from the moment when each was due.

` + thresholdHelp + `

A server outside of loopback needs --allow-remote: load may bring it down, so it must be yours.
On this machine the client is pinned to a CPU of its own where there is one.
The JSON is described in report/adhoc/SCHEMA.md.`,
		Example: `  dyno tcp 127.0.0.1:25565
  dyno tcp -c 32 -p 16 --size 8,64,1024 localhost:25565
  dyno tcp -R 20000 -d 30 --fail-if 'p99>5ms' 127.0.0.1:25565
  dyno tcp --tls --sni game.example 127.0.0.1:25566`,
		Args: arguments(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := f.load(cmd, args)
			if err != nil {
				return err
			}
			return l.run(cmd)
		},
	}
	f.loadFlags.register(cmd, "packets")
	f.tlsFlags.register(cmd, "the address")
	cmd.Flags().BoolVar(&f.tls, "tls", false, "speak TLS below the packets")
	cmd.Flags().StringVar(&f.sizes, "size", "64", "bytes in the payload of a packet; several, separated by commas, are taken in turn by the connections")
	cmd.Flags().StringVar(&f.format, "format", "", "print the result as another tool would: "+strings.Join(adhoc.Formats("framed"), ", "))
	return cmd
}

func (f *tcpFlags) load(cmd *cobra.Command, args []string) (*adhocLoad, error) {
	if err := f.check(cmd, "framed"); err != nil {
		return nil, err
	}
	sizes, err := f.readSizes()
	if err != nil {
		return nil, err
	}
	l := &adhocLoad{loadFlags: &f.loadFlags, protocol: "framed", options: f.options()}
	l.options.PayloadBytes = sizes
	if l.newSession, err = f.traffic(sizes); err != nil {
		return nil, usage(err)
	}
	hostName, port := "", ""
	if l.target.shown = f.unixPath; f.unixPath == "" {
		if len(args) == 0 {
			return nil, usagef("dyno tcp needs an address, e.g. dyno tcp 127.0.0.1:25565; see dyno tcp --help")
		}
		if hostName, port, err = net.SplitHostPort(args[0]); err != nil || hostName == "" {
			return nil, usagef("address %s is not of the form HOST:PORT", words.Quote(args[0]))
		}
		l.target.shown = args[0]
	}
	switch {
	case f.tls:
		if l.target.tls, err = f.config(hostName); err != nil {
			return nil, err
		}
	case f.tlsFlags.given():
		return nil, usagef("--insecure, --cert, --key and --sni are for TLS; add --tls")
	}
	return l, f.find(cmd.Context(), &l.target, hostName, port)
}

// readSizes reads "8,64".
func (f *tcpFlags) readSizes() ([]int, error) {
	var sizes []int
	for _, text := range strings.Split(f.sizes, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 1 || n > mpacket.MaxFrameLen {
			return nil, usagef("--size %s; give sizes from 1 to %d bytes, separated by commas, e.g. 8,64", words.Quote(f.sizes), mpacket.MaxFrameLen)
		}
		sizes = append(sizes, n)
	}
	if len(sizes) > f.connections {
		return nil, usagef("--size has %d sizes for %s; each needs one, so raise -c", len(sizes), words.Count(f.connections, "connection"))
	}
	return sizes, nil
}

// traffic gives each connection packets of one of the sizes.
func (f *tcpFlags) traffic(sizes []int) (func(conn int) load.Session, error) {
	makers := make([]func(conn int) load.Session, len(sizes))
	for i, n := range sizes {
		maker, err := framed.Contract{}.Traffic(dyno.Workload{PayloadBytes: n}, f.depth, f.seed)
		if err != nil {
			return nil, err
		}
		makers[i] = maker
	}
	return func(conn int) load.Session { return makers[conn%len(makers)](conn) }, nil
}
