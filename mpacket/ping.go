package mpacket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// DefaultPingTimeout bounds a whole ping, from the first packet of the connection to the last.
const DefaultPingTimeout = 10 * time.Second

// Pinger asks servers what they are. The zero value is ready to use and safe for several goroutines.
type Pinger struct {
	Protocol int32         // version that it claims to speak; 0 means -1, "just asking"
	Timeout  time.Duration // of a whole ping; 0 means DefaultPingTimeout
	// Dial opens the connection; nil means a net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// PingResult is what a server answered.
type PingResult struct {
	Status Status
	JSON   string // the status as it came
	// LatencyNs is the time from sending the ping to its pong. It is -1 when the server closed the
	// connection instead of answering, as some do.
	LatencyNs int64
}

// Ping asks the server at address (HOST or HOST:PORT, port 25565 by default) for its status, then for a
// pong. SRV records are not looked up.
func (p *Pinger) Ping(ctx context.Context, address string) (PingResult, error) {
	var result PingResult
	err := p.talk(ctx, address, func(conn net.Conn, host string, port uint16) (err error) {
		result, err = p.ask(conn, host, port)
		return err
	})
	return result, err
}

// PingLegacy asks the server at address in the way of clients before 1.7.
func (p *Pinger) PingLegacy(ctx context.Context, address string) (LegacyStatus, error) {
	var status LegacyStatus
	err := p.talk(ctx, address, func(conn net.Conn, host string, port uint16) (err error) {
		status, err = askLegacy(conn, host, port)
		return err
	})
	return status, err
}

// talk opens a connection that ends with ctx or the timeout, and wraps what goes wrong.
func (p *Pinger) talk(ctx context.Context, address string, dialogue func(conn net.Conn, host string, port uint16) error) error {
	host, port, err := splitAddress(address)
	if err != nil {
		return err
	}
	timeout := p.Timeout
	if timeout <= 0 {
		timeout = DefaultPingTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	dial := p.Dial
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	conn, err := dial(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(int(port))))
	if err != nil {
		return fmt.Errorf("mpacket: ping %s: %w; is a server running there?", address, err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	if err = dialogue(conn, host, port); err == nil {
		return nil
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return fmt.Errorf("mpacket: ping %s: %w; is it a Minecraft server?", address, err)
}

// splitAddress takes HOST or HOST:PORT apart.
func splitAddress(address string) (host string, port uint16, err error) {
	host, portText, err := net.SplitHostPort(address)
	if err != nil {
		host, portText, err = net.SplitHostPort(net.JoinHostPort(address, strconv.Itoa(DefaultPort)))
	}
	number, portErr := strconv.ParseUint(portText, 10, 16)
	_, ipErr := netip.ParseAddr(host)
	if err != nil || portErr != nil || host == "" || number == 0 || ipErr != nil && strings.Contains(host, ":") {
		return "", 0, fmt.Errorf("mpacket: address %.80q: write HOST or HOST:PORT with a port from 1 to 65535", address)
	}
	return host, uint16(number), nil
}

func (p *Pinger) ask(conn net.Conn, host string, port uint16) (result PingResult, err error) {
	protocol := p.Protocol
	if protocol == 0 {
		protocol = -1
	}
	packets := packetConn{conn: conn}
	handshake, err := Handshake{Protocol: protocol, Host: host, Port: port, Next: NextStatus}.AppendBinary(nil)
	if err != nil {
		return result, err
	}
	if err = packets.send(handshake, AppendStatusRequest(nil)); err != nil {
		return result, err
	}
	response, err := packets.receive()
	if err != nil {
		return result, err
	}
	if result.JSON, err = ParseStatusResponse(response); err != nil {
		return result, err
	}
	if result.Status, err = ParseStatus(result.JSON); err != nil {
		return result, err
	}
	result.LatencyNs, err = packets.pong()
	return result, err
}

// pong sends a ping and waits for its pong.
func (p *packetConn) pong() (latencyNs int64, err error) {
	payload := rand.Int64()
	start := time.Now()
	if err = p.send(AppendPing(nil, payload)); err != nil {
		return 0, err
	}
	response, err := p.receive()
	if errors.Is(err, io.EOF) {
		return -1, nil
	}
	if err != nil {
		return 0, err
	}
	latency := time.Since(start)
	echoed, err := ParsePing(response)
	if err == nil && echoed != payload {
		err = homeless(ErrBadPacket, "pong")
	}
	return latency.Nanoseconds(), err
}

func askLegacy(conn net.Conn, host string, port uint16) (LegacyStatus, error) {
	if _, err := conn.Write(AppendLegacyPing(nil, host, port)); err != nil {
		return LegacyStatus{}, err
	}
	answer := make([]byte, 0, 3+2*maxLegacyUnits)
	for {
		got, readErr := conn.Read(answer[len(answer):cap(answer)])
		answer = answer[:len(answer)+got]
		status, n := ConsumeLegacyStatus(answer)
		switch {
		case n != 0:
			return status, ParseError(n)
		case readErr != nil:
			return LegacyStatus{}, readErr
		}
	}
}
