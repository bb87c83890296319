package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/Tnze/go-mc/bot"

	"dyno/mpacket"
)

// These tests let mpacket talk to parts that nobody here wrote, on loopback. Where a peer is not installed
// its test is skipped, and says what installs it.

// patience bounds every dialogue; nothing in them is expected to take long.
const patience = 30 * time.Second

const (
	serverText   = "a server in a test, ünïcödé too"
	loginMessage = "This server is full of tests."
)

var ourStatus = mpacket.Status{
	Version:     mpacket.StatusVersion{Name: "1.16.5", Protocol: 754},
	Players:     &mpacket.StatusPlayers{Max: 20, Online: 1, Sample: []mpacket.StatusPlayer{{Name: "Notch", ID: "069a79f4-44e9-4726-a5be-fca90e38aaf5"}}},
	Description: mpacket.TextComponent(serverText),
}

// respond starts a Responder until the test ends and returns its port.
func respond(t *testing.T) (port string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := mpacket.Responder{Status: func() mpacket.Status { return ourStatus }, LoginMessage: loginMessage}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- r.Serve(ctx, listener) }()
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
}

// node returns the command that runs a script with minecraft-protocol.
func node(t *testing.T, script string) []string {
	t.Helper()
	if _, err := os.Stat(peersMark); err != nil {
		t.Skip("npm minecraft-protocol is not installed: run npm ci in bench/codec")
	}
	argv, err := runtimeArgv("node", script)
	if err != nil {
		t.Skip(err)
	}
	return argv
}

// command is a child that dies with the test, and all that it started with it.
func command(t *testing.T, argv ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	return cmd
}

// ask runs a script to its end and decodes the JSON that it prints.
func ask[T any](t *testing.T, argv ...string) (answer T) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := command(t, argv...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %v\n%s", argv, err, &stderr)
	}
	if err := json.Unmarshal(stdout.Bytes(), &answer); err != nil {
		t.Fatalf("%v printed %q: %v", argv, &stdout, err)
	}
	return answer
}

func TestMinecraftProtocolPingsUs(t *testing.T) {
	got := ask[struct {
		mpacket.Status
		Latency *int
	}](t, append(node(t, "interop/ping.js"), respond(t))...)
	if got.Version != ourStatus.Version || got.PlainText() != serverText || got.Players.Sample[0] != ourStatus.Players.Sample[0] || got.Latency == nil {
		t.Errorf("it understood %+v", got)
	}
}

func TestMinecraftProtocolIsTurnedAway(t *testing.T) {
	got := ask[struct{ Reason string }](t, append(node(t, "interop/join.js"), respond(t))...)
	if text := (mpacket.Status{Description: json.RawMessage(got.Reason)}).PlainText(); text != loginMessage {
		t.Errorf("it was told %q", got.Reason)
	}
}

func TestMcstatusAsksUs(t *testing.T) {
	const python = ".venv/bin/python"
	if _, err := os.Stat(python); err != nil {
		t.Skip("PyPI mcstatus is not installed: run make codec-peers in the root of the checkout")
	}
	type legacy struct {
		Version, Description  string
		Protocol, Online, Max int
	}
	got := ask[struct {
		legacy
		Players []string
		PingMs  float64 `json:"ping_ms"`
		Legacy  legacy
	}](t, python, "interop/status.py", respond(t))
	if want := (legacy{"1.16.5", serverText, 754, 1, 20}); got.legacy != want || len(got.Players) != 1 || got.PingMs <= 0 {
		t.Errorf("it understood %+v", got)
	}
	// Old clients are told a version that none of them has, as servers of today do.
	if want := (legacy{"1.16.5", serverText, 127, 1, 20}); got.Legacy != want {
		t.Errorf("the old way it understood %+v", got.Legacy)
	}
}

// go-mc never closes the connection of a ping: the Responder must not wait for that, and ends with its
// context all the same.
func TestGoMCPingsUs(t *testing.T) {
	port := respond(t)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, address := range []string{"127.0.0.1:" + port, "localhost:" + port} {
		text, latency, err := bot.PingAndListContext(ctx, address)
		if err != nil {
			t.Fatalf("%s: %v", address, err)
		}
		if got, err := mpacket.ParseStatus(string(text)); err != nil || got.PlainText() != serverText || latency <= 0 {
			t.Errorf("%s: it understood %s (%v)", address, text, err)
		}
	}
}

// serveMinecraftProtocol starts its server and returns the address.
func serveMinecraftProtocol(t *testing.T) string {
	t.Helper()
	cmd := command(t, node(t, "interop/serve.js")...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("its server: %v\n%s", err, &stderr)
		}
	})
	var ready struct{ Port int }
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &ready)
	}
	if err != nil {
		t.Fatalf("its server printed %q: %v\n%s", line, err, &stderr)
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(ready.Port))
}

func TestWePingMinecraftProtocol(t *testing.T) {
	address := serveMinecraftProtocol(t)
	got, err := (&mpacket.Pinger{Timeout: patience}).Ping(context.Background(), address)
	if err != nil {
		t.Fatal(err)
	}
	if got.Status.Version.Protocol != 754 || got.Status.Players.Max != 7 || got.Status.PlainText() != "a server that nobody here wrote" || got.LatencyNs <= 0 {
		t.Errorf("we understood %s (%d ns)", got.JSON, got.LatencyNs)
	}
}

// TestWeJoinMinecraftProtocol logs in, follows the server into compression, and chats: short packets go as
// they are, long ones compressed, in both directions.
func TestWeJoinMinecraftProtocol(t *testing.T) {
	const (
		protocol       = 754 // 1.16.5
		loginSuccessID = 2
		chatToServer   = 0x03
		chatToClient   = 0x0e
		threshold      = 256
	)
	c := dial(t, serveMinecraftProtocol(t))
	handshake, err := mpacket.Handshake{Protocol: protocol, Host: "127.0.0.1", Port: 1, Next: mpacket.NextLogin}.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	start, err := mpacket.LoginStart{Name: "Dyno"}.Append(nil, protocol)
	if err != nil {
		t.Fatal(err)
	}
	c.send(handshake, start)
	got, err := mpacket.ParseSetCompression(c.receive())
	if err != nil || got != threshold {
		t.Fatalf("compression from %d, %v", got, err)
	}
	c.encoder.SetCompression(threshold)
	c.decoder.SetCompression(threshold)
	c.decoder.Inflater.Strict = true
	r := mpacket.NewReader(c.receive())
	if id, _, name := r.ReadVarInt(), r.ReadUUID(), r.ReadString(); id != loginSuccessID || name != "Dyno" || r.Finish() != nil {
		t.Fatalf("packet %d welcomes %q, %v", id, name, r.Err())
	}
	for _, line := range []string{"short", strings.Repeat("ä long line ", 20)} {
		var w mpacket.Writer
		w.WriteVarInt(chatToServer)
		w.WriteString(line)
		c.send(w.Bytes())
		text := c.receiveChat(chatToClient)
		if want := line + line; text != want {
			t.Errorf("it said %q, want %q", text, want)
		}
	}
}

// client is our side of a connection to a peer.
type client struct {
	t       *testing.T
	conn    net.Conn
	encoder mpacket.Encoder
	decoder mpacket.Decoder
	buf     [4096]byte
	unread  []byte
}

func dial(t *testing.T, address string) *client {
	t.Helper()
	conn, err := net.DialTimeout("tcp", address, patience)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return &client{t: t, conn: conn}
}

func (c *client) send(packets ...[]byte) {
	c.t.Helper()
	for _, packet := range packets {
		out, err := c.encoder.AppendPacket(nil, packet)
		if err == nil {
			_, err = c.conn.Write(out)
		}
		if err != nil {
			c.t.Fatal(err)
		}
	}
}

func (c *client) receive() []byte {
	c.t.Helper()
	for {
		packet, taken, err := c.decoder.Next(c.unread)
		c.unread = c.unread[taken:]
		if err != nil {
			c.t.Fatal(err)
		}
		if packet != nil {
			return packet
		}
		n, err := c.conn.Read(c.buf[:])
		if err != nil {
			c.t.Fatal(err)
		}
		c.unread = c.buf[:n]
	}
}

// receiveChat passes over other packets and returns the text of the next line of chat.
func (c *client) receiveChat(id int32) string {
	c.t.Helper()
	for {
		r := mpacket.NewReader(c.receive())
		if r.ReadVarInt() != id {
			continue
		}
		component := r.ReadString()
		r.ReadInt8()
		r.ReadUUID()
		if err := r.Finish(); err != nil {
			c.t.Fatal(err)
		}
		return (mpacket.Status{Description: json.RawMessage(component)}).PlainText()
	}
}
