package mpacket

import (
	"io"
	"net"
)

// packetConn sends and receives packets, uncompressed and in the clear, over one connection.
type packetConn struct {
	conn    net.Conn
	encoder Encoder
	decoder Decoder
	buf     [4096]byte
	unread  []byte // the part of buf that the decoder has not taken
}

// send writes packets in one go.
func (p *packetConn) send(packets ...[]byte) (err error) {
	var out []byte
	for _, packet := range packets {
		if out, err = p.encoder.AppendPacket(out, packet); err != nil {
			return err
		}
	}
	_, err = p.conn.Write(out)
	return err
}

// receive returns the next packet, valid until the next call. A connection that ends between two packets
// gives io.EOF, one that ends inside a packet io.ErrUnexpectedEOF.
func (p *packetConn) receive() (packet []byte, err error) {
	for {
		packet, taken, err := p.decoder.Next(p.unread)
		p.unread = p.unread[taken:]
		if packet != nil || err != nil {
			return packet, err
		}
		n, err := p.conn.Read(p.buf[:])
		p.unread = p.buf[:n]
		if n == 0 && err != nil {
			if err == io.EOF && p.decoder.Frames.Buffered() > 0 {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
}
