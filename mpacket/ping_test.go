package mpacket

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

var statusInTest = Status{
	Version:     StatusVersion{Name: "1.21.4", Protocol: 769},
	Players:     &StatusPlayers{Max: 20, Online: 1, Sample: []StatusPlayer{{Name: "Notch", ID: "069a79f4-44e9-4726-a5be-fca90e38aaf5"}}},
	Description: json.RawMessage(`{"text":"A ","extra":[{"text":"test ","bold":true},"server",["!"]]}`),
}

// startResponder serves r on loopback until the test ends and returns the address.
func startResponder(t *testing.T, r *Responder) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- r.Serve(ctx, listener) }()
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Errorf("Serve returned %v", err)
		}
	})
	return listener.Addr().String()
}

func TestPing(t *testing.T) {
	address := startResponder(t, &Responder{Status: func() Status { return statusInTest }})
	var p Pinger
	got, err := p.Ping(context.Background(), address)
	if err != nil {
		t.Fatal(err)
	}
	if got.Status.Version != statusInTest.Version || got.Status.Players.Online != 1 || got.Status.PlainText() != "A test server!" || got.LatencyNs <= 0 {
		t.Errorf("got %+v from %s", got, got.JSON)
	}
	legacy, err := p.PingLegacy(context.Background(), address)
	want := LegacyStatus{Protocol: 127, Version: "1.21.4", Description: "A test server!", Online: 1, Max: 20}
	if err != nil || legacy != want {
		t.Errorf("legacy: %+v, %v, want %+v", legacy, err, want)
	}
}

// talkRaw sends bytes to address, ends its sending side and returns what comes back.
func talkRaw(t *testing.T, address string, sent []byte) []byte {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := conn.Write(sent); err != nil {
		t.Fatal(err)
	}
	conn.(*net.TCPConn).CloseWrite()
	got, err := io.ReadAll(conn)
	if err != nil && !strings.Contains(err.Error(), "reset") {
		t.Fatal(err)
	}
	return got
}

func TestResponder(t *testing.T) {
	address := startResponder(t, &Responder{Status: func() Status { return Status{} }, LoginMessage: "Come back later."})
	frames := func(packets ...[]byte) (stream []byte) {
		for _, packet := range packets {
			stream = AppendFrame(stream, packet)
		}
		return stream
	}
	hello := func(next NextState, hostLen int) []byte {
		return must(Handshake{Protocol: 769, Host: strings.Repeat("h", hostLen), Port: 1, Next: next}.AppendBinary(nil))
	}
	login := must(LoginStart{Name: "Notch"}.Append(nil, 769))
	status := frames(must(AppendStatusResponse(nil, `{"version":{"name":"","protocol":0}}`)))
	pong := frames(AppendPing(nil, 7))
	refused := frames(must(AppendLoginDisconnect(nil, `{"text":"Come back later."}`)))
	beta := appendUTF16([]byte{0xff}, "§0§0")
	old := appendUTF16([]byte{0xff}, "§1\x00127\x00\x00\x000\x000")

	tests := []struct {
		name, sent, want string
	}{
		{"nothing", "", ""},
		{"status and ping", string(frames(hello(NextStatus, 4), AppendStatusRequest(nil), AppendPing(nil, 7))), string(status) + string(pong)},
		{"status only", string(frames(hello(NextStatus, 4), AppendStatusRequest(nil))), string(status)},
		{"ping only", string(frames(hello(NextStatus, 4), AppendPing(nil, 7))), string(pong)},
		{"padded frames", "\x8b\x80\x00" + string(hello(NextStatus, 4)) + "\x81\x00\x00", string(status)},
		{"status twice", string(frames(hello(NextStatus, 4), AppendStatusRequest(nil), AppendStatusRequest(nil))), string(status)},
		{"a handshake of 254 bytes starts like a legacy ping", string(frames(hello(NextStatus, 246), AppendPing(nil, 7))), string(pong)},
		{"login", string(frames(hello(NextLogin, 4), login)), string(refused)},
		{"transfer", string(frames(hello(NextTransfer, 4), login)), string(refused)},
		{"login without a name", string(frames(hello(NextLogin, 4), []byte{0})), ""},
		{"legacy of beta 1.8", "\xfe", string(beta)},
		{"legacy of 1.4", "\xfe\x01", string(old)},
		{"legacy of 1.6", string(AppendLegacyPing(nil, "localhost", 25565)), string(old)},
		{"HTTP", "GET / HTTP/1.1\r\n\r\n", ""},
		{"garbage", "\xff\xff\xff\xff\xff\xff", ""},
		{"an empty frame", "\x00", ""},
		{"a frame above the limit", string(frames(make([]byte, maxOpeningLen+1))), ""},
		{"another packet than a handshake", string(frames([]byte{5})), ""},
		{"half a handshake", string(frames(hello(NextStatus, 4))[:5]), ""},
		{"another packet than a request", string(frames(hello(NextStatus, 4), []byte{9})), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := talkRaw(t, address, []byte(tt.sent)); string(got) != tt.want {
				t.Errorf("got %.100q, want %.100q", got, tt.want)
			}
		})
	}
}

// TestResponderSaysWhatAClientDidWrong looks at ServeConn's errors.
func TestResponderSaysWhatAClientDidWrong(t *testing.T) {
	r := Responder{Status: func() Status { return Status{} }}
	for sent, want := range map[string]error{
		"":                 nil,
		"\x00":             ErrEmpty,
		"\x01\x05":         ErrBadPacket,
		"\xff\xff\xff\xff": ErrTooLong,
		"\x05\x00":         io.ErrUnexpectedEOF,
	} {
		client, server := net.Pipe()
		go func() {
			client.Write([]byte(sent))
			client.Close()
		}()
		if err := r.ServeConn(server); !errors.Is(err, want) {
			t.Errorf("%x: %v, want %v", sent, err, want)
		}
	}
}

// TestPingOfBadServers pings servers that answer with these bytes and close.
func TestPingOfBadServers(t *testing.T) {
	good := AppendFrame(nil, must(AppendStatusResponse(nil, `{"version":{"name":"x","protocol":1}}`)))
	tests := []struct {
		name, answer string
		want         error
	}{
		{"says nothing", "", io.EOF},
		{"ends inside a frame", "\x05\x00", io.ErrUnexpectedEOF},
		{"HTTP", "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n" + strings.Repeat("x", 100), ErrBadPacket},
		{"another packet", "\x01\x05", ErrBadPacket},
		{"no UTF-8", "\x03\x00\x01\xff", ErrBadUTF8},
		{"a frame of zero", "\x00", ErrEmpty},
		{"another pong", string(good) + "\x09\x01abcdefgh", ErrBadPacket},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			address := answerWith(t, tt.answer)
			_, err := new(Pinger).Ping(context.Background(), address)
			if !errors.Is(err, tt.want) || err == nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want %v", err, tt.want)
			}
		})
	}
	t.Run("no pong", func(t *testing.T) {
		got, err := new(Pinger).Ping(context.Background(), answerWith(t, string(good)))
		if err != nil || got.LatencyNs != -1 {
			t.Errorf("latency %d, %v, want -1", got.LatencyNs, err)
		}
	})
}

// answerWith listens for one client, reads its first bytes, answers and closes.
func answerWith(t *testing.T, answer string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		conn.Read(make([]byte, 4096))
		io.WriteString(conn, answer)
		conn.(*net.TCPConn).CloseWrite()
		io.Copy(io.Discard, conn)
	}()
	t.Cleanup(func() {
		listener.Close()
		<-done
	})
	return listener.Addr().String()
}

func TestPingEndsWithItsContext(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") // accepts and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := new(Pinger).Ping(ctx, listener.Addr().String()); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	p := Pinger{Timeout: time.Millisecond}
	if _, err := p.Ping(context.Background(), listener.Addr().String()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("timed out: %v", err)
	}
	listener.Close()
	if _, err := p.Ping(context.Background(), listener.Addr().String()); err == nil {
		t.Error("a ping of nobody succeeds")
	}
}

func TestPlainText(t *testing.T) {
	for component, want := range map[string]string{
		``: "", `null`: "", `5`: "", `{`: "", `"a"`: "a", `["a",{"text":"b"}]`: "ab", `{"extra":["x"]}`: "x", `{"text":5}`: "",
	} {
		if got := (Status{Description: json.RawMessage(component)}).PlainText(); got != want {
			t.Errorf("%s: %q, want %q", component, got, want)
		}
	}
	if got := string(TextComponent("a\"\xff")); got != `{"text":"a\"\ufffd"}` {
		t.Errorf("TextComponent gives %s", got)
	}
}

func TestLegacyStatusRejects(t *testing.T) {
	for name, s := range map[string]LegacyStatus{
		"NUL": {Description: "a\x00b"}, "no UTF-8": {Version: "\xff"}, "long": {Description: strings.Repeat("a", maxLegacyUnits)},
	} {
		if got, err := s.AppendBinary([]byte("x")); err == nil || string(got) != "x" {
			t.Errorf("%s: %q, %v, want an error", name, got, err)
		}
	}
}
