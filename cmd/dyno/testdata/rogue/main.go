// Command rogue is a framed echo that misbehaves in the way that its flags choose. It keeps the
// contract until it has seen -after frames of -trap-bytes in a row on one connection, which the load
// of a suite sends and the gate never does; so it passes the gate and fails under load.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"

	"dyno/mpacket"
)

var (
	after      = flag.Int("after", 50, "frames of -trap-bytes in a row before it misbehaves")
	trapBytes  = flag.Int("trap-bytes", 37, "the payload size that springs the trap")
	then       = flag.String("then", "", "what it does then: wrong, crash, hang, flood or ignore-term")
	ignoreTerm = flag.Bool("ignore-term", false, "does not end on SIGTERM, from the start")
	grandchild = flag.Bool("grandchild", false, "leaves a process behind in a session of its own")
	mute       = flag.Bool("mute", false, "never listens")
	rawEcho    = flag.Bool("raw-echo", false, "sends every byte back as it came, padded lengths too")
	startsFile = flag.String("starts-file", "", "a file that grows by a byte with each start")
	startsMost = flag.Int64("starts-most", 0, "with -starts-file: how many starts succeed")
)

// deafened makes it ignore SIGTERM from now on.
var deafened atomic.Bool

// sleeper is the only argument of the process that is left behind.
const sleeper = "sleep-for-ever"

func main() {
	if len(os.Args) == 2 && os.Args[1] == sleeper {
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP)
		select {}
	}
	flag.Parse()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "rogue:", err)
		os.Exit(3)
	}
}

func run() error {
	if err := countStart(); err != nil {
		return err
	}
	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM)
	go func() {
		for range term {
			if !*ignoreTerm && !deafened.Load() {
				os.Exit(0)
			}
		}
	}()
	if *grandchild {
		if err := leaveBehind(); err != nil {
			return err
		}
	}
	if *mute {
		select {}
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT")))
	if err != nil {
		return err
	}
	for {
		conn, err := listener.Accept()
		if err != nil {
			return err
		}
		go serve(conn)
	}
}

// countStart fails when there were starts enough.
func countStart() error {
	if *startsFile == "" {
		return nil
	}
	f, err := os.OpenFile(*startsFile, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteString("."); err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > *startsMost {
		err = errors.New("fatal: no more starts today")
	}
	return err
}

// leaveBehind starts a process that no longer belongs to this one's group or session.
func leaveBehind() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	child := exec.Command(self, sleeper)
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return child.Start()
}

func serve(conn net.Conn) {
	defer conn.Close()
	if *rawEcho {
		_, _ = io.Copy(conn, conn) // a client may end as it likes
		return
	}
	var decoder mpacket.FrameDecoder
	inRow := 0
	in := make([]byte, 64<<10)
	for {
		n, readErr := conn.Read(in)
		var out []byte
		var hostile error
		for chunk := in[:n]; len(chunk) > 0 && hostile == nil; {
			frame, taken, err := decoder.Next(chunk)
			chunk, hostile = chunk[taken:], err
			if frame == nil {
				continue
			}
			if inRow++; len(frame) != *trapBytes {
				inRow = 0
			}
			if inRow == *after {
				frame = spring(frame)
			}
			out = mpacket.AppendFrame(out, frame)
		}
		if _, err := conn.Write(out); err != nil || readErr != nil || hostile != nil {
			return
		}
	}
}

// spring misbehaves, once, and returns the payload of the reply.
func spring(frame []byte) []byte {
	switch *then {
	case "wrong":
		frame = append([]byte(nil), frame...)
		frame[len(frame)/2] ^= 1
	case "crash":
		fmt.Fprintln(os.Stderr, "rogue: about to crash")
		fmt.Fprintln(os.Stderr, "rogue: fatal: out of cheese")
		os.Exit(9)
	case "hang":
		fmt.Fprintln(os.Stderr, "rogue: thinking")
		select {}
	case "ignore-term":
		deafened.Store(true)
	case "flood":
		line := strings.Repeat("la ", 21) + "\n"
		megabyte := strings.Repeat(line, 1<<20/len(line))
		for range 20 {
			fmt.Fprint(os.Stderr, megabyte)
		}
	}
	return frame
}
