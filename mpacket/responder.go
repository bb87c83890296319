package mpacket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

const (
	// DefaultResponderConns is how many connections a Responder serves at a time.
	DefaultResponderConns = 256
	// maxOpeningLen is the longest packet that a client sends before it is in: a login start with keys.
	maxOpeningLen = 8192
)

// Responder answers the server list: it says what a server is, without being one. Clients that want to
// join are turned away with a message. It answers legacy pings too.
type Responder struct {
	// Status makes the answer for each client. It must be set, and is called from several goroutines.
	Status func() Status
	// LoginMessage is what clients read who try to join; "" means that this server answers pings only.
	LoginMessage string
	Timeout      time.Duration // of a whole connection; 0 means DefaultPingTimeout
	MaxConns     int           // served at a time, others wait; 0 means DefaultResponderConns
}

// Serve answers the clients of listener until ctx ends, then closes it and all connections and returns
// nil. Any other end of the listener is the error.
func (r *Responder) Serve(ctx context.Context, listener net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer context.AfterFunc(ctx, func() { listener.Close() })()
	var conns sync.WaitGroup
	defer conns.Wait()
	defer cancel()
	slots := make(chan struct{}, orDefault(r.MaxConns, DefaultResponderConns))
	for {
		conn, err := listener.Accept()
		if ctx.Err() != nil {
			if err == nil {
				conn.Close()
			}
			return nil
		}
		if err != nil {
			return fmt.Errorf("mpacket: responder on %s: %w", listener.Addr(), err)
		}
		slots <- struct{}{}
		conns.Go(func() {
			defer func() { <-slots }()
			defer context.AfterFunc(ctx, func() { conn.Close() })()
			// What one client does wrong concerns nobody else, and nobody could be told.
			_ = r.ServeConn(conn)
		})
	}
}

// ServeConn answers one client and closes the connection. The error says what the client did wrong;
// it is nil for one that was answered, or left without a word.
func (r *Responder) ServeConn(conn net.Conn) error {
	defer conn.Close()
	timeout := r.Timeout
	if timeout <= 0 {
		timeout = DefaultPingTimeout
	}
	if err := conn.SetDeadline(time.Now().Add(timeout)); err != nil {
		return err
	}
	packets := packetConn{conn: conn}
	packets.decoder.Frames.MaxLen = maxOpeningLen
	n, err := conn.Read(packets.buf[:])
	if n == 0 {
		return clientLeft(err)
	}
	packets.unread = packets.buf[:n]
	if isLegacyPing(packets.unread) {
		err = r.answerLegacy(conn, packets.unread)
	} else {
		err = clientLeft(r.answer(&packets))
	}
	if err == nil {
		linger(conn)
	}
	return err
}

// linger ends the sending side and waits for the client to end its own: closing while bytes of the
// client are unread would take the answer back from it.
func linger(conn net.Conn) {
	if half, ok := conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		// Whatever ends this, the connection is closed next.
		_, _ = io.CopyN(io.Discard, conn, maxOpeningLen)
	}
}

// clientLeft forgives a client that closes the connection.
func clientLeft(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func (r *Responder) answer(packets *packetConn) error {
	packet, err := packets.receive()
	if err != nil {
		return err
	}
	handshake, err := ParseHandshake(packet)
	if err != nil {
		return err
	}
	if handshake.Next != NextStatus {
		return r.turnAway(packets, handshake.Protocol)
	}
	return r.answerStatus(packets)
}

// answerStatus answers a status request and a ping. Clients may leave out either.
func (r *Responder) answerStatus(packets *packetConn) error {
	asked := false
	for {
		packet, err := packets.receive()
		if err != nil {
			return err
		}
		if payload, err := ParsePing(packet); err == nil {
			return packets.send(AppendPing(nil, payload))
		}
		if err := ParseStatusRequest(packet); err != nil {
			return err
		}
		if asked {
			return homeless(ErrBadPacket, "second status request")
		}
		asked = true
		text, err := json.Marshal(r.Status())
		if err != nil {
			return fmt.Errorf("mpacket: status of the responder: %w; its Description must be JSON", err)
		}
		response, err := AppendStatusResponse(nil, string(text))
		if err != nil {
			return err
		}
		if err := packets.send(response); err != nil {
			return err
		}
	}
}

// turnAway reads the login start, which makes sure that the client gets to see the message, and sends
// the message.
func (r *Responder) turnAway(packets *packetConn, protocol int32) error {
	packet, err := packets.receive()
	if err != nil {
		return err
	}
	if _, err := ParseLoginStart(packet, protocol); err != nil {
		return err
	}
	message := r.LoginMessage
	if message == "" {
		message = "This server answers pings only."
	}
	response, err := AppendLoginDisconnect(nil, string(TextComponent(message)))
	if err != nil {
		return err
	}
	return packets.send(response)
}

// isLegacyPing tells a legacy ping by its first bytes: fe, fe 01, or fe 01 fa. A frame of 254 bytes starts
// with fe 01 too, but a packet ID of 0 follows. The bytes of neither come split in practice.
func isLegacyPing(first []byte) bool {
	return first[0] == legacyPingID && (len(first) < 2 || first[1] == 1 && (len(first) < 3 || first[2] == legacyPluginID))
}

func (r *Responder) answerLegacy(conn net.Conn, request []byte) error {
	status := r.Status()
	legacy := LegacyStatus{Protocol: legacyProtocol, Version: status.Version.Name, Description: status.PlainText()}
	if status.Players != nil {
		legacy.Online, legacy.Max = status.Players.Online, status.Players.Max
	}
	var out []byte
	var err error
	if len(request) == 1 {
		out, err = legacy.appendBeta(nil)
	} else {
		out, err = legacy.AppendBinary(nil)
	}
	if err != nil {
		return err
	}
	_, err = conn.Write(out)
	return err
}
