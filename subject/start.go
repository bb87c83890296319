package subject

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"dyno"
	"dyno/host"
)

// StartOptions say how a subject is started and stopped.
type StartOptions struct {
	// CPUs that the server and all it starts may use; none means all that dyno was given.
	CPUs []int
	// ReadyWithin bounds the time until the server has answered a ping; 0 means 10 s.
	ReadyWithin time.Duration
	// StopWithin is how long Stop lets a server work on after SIGTERM; 0 means 2 s.
	StopWithin time.Duration
	// Ping makes one verified round trip with the server at addr ("127.0.0.1:port"); nil means that
	// an accepted connection is proof enough.
	Ping func(ctx context.Context, addr string) error
}

const (
	defaultReadyWithin = 10 * time.Second
	defaultStopWithin  = 2 * time.Second
	pollEvery          = time.Millisecond
	portTries          = 3
	// crashShowsWithin is how long a failed ping waits for the news of a crash, which explains it better.
	crashShowsWithin = time.Second
)

// StartError says why a subject did not start. Its text is one line.
type StartError struct {
	Subject string
	Cause   string   // with the way out
	Stderr  []string // the last lines that the subject wrote to its stderr
	// PortTaken means that somebody else has the port; another port may do.
	PortTaken bool
	Err       error // what the caller's context or Ping said, nil when neither was the cause
}

func (e *StartError) Error() string { return e.Subject + " " + e.Cause }

// Unwrap returns the error of the caller's context or Ping.
func (e *StartError) Unwrap() error { return e.Err }

// Start starts a resolved subject on a free port of the loopback address and returns when it is ready:
// it accepts connections, the listener belongs to the process that was started, and it has answered
// the ping. When another process snatches the port, the start is tried again on another one, three
// times in all. Errors are *StartError, or about dyno itself; no process is left then.
func Start(ctx context.Context, s dyno.Subject, o StartOptions) (*Process, error) {
	return start(ctx, s, o, freePort)
}

func start(ctx context.Context, s dyno.Subject, o StartOptions, pickPort func() (int, error)) (*Process, error) {
	switch {
	case s.Unavailable != "":
		return nil, &StartError{Subject: s.Name, Cause: "cannot start: " + s.Unavailable}
	case len(s.Command) == 0:
		return nil, &StartError{Subject: s.Name, Cause: "cannot start: it has no command; resolve it first"}
	}
	if o.ReadyWithin <= 0 {
		o.ReadyWithin = defaultReadyWithin
	}
	if o.StopWithin <= 0 {
		o.StopWithin = defaultStopWithin
	}
	if len(o.CPUs) == 0 {
		o.CPUs = host.AllowedCPUs()
	}
	for try := 1; ; try++ {
		port, err := pickPort()
		if err != nil {
			return nil, err
		}
		p, err := startOn(ctx, port, s, o)
		var fault *StartError
		if err == nil || try == portTries || !errors.As(err, &fault) || !fault.PortTaken || ctx.Err() != nil {
			return p, err
		}
	}
}

// freePort lets the kernel choose a port. It can be taken by another before the server has it.
func freePort() (int, error) {
	listener, err := net.Listen("tcp4", net.JoinHostPort(loopback, "0"))
	if err != nil {
		return 0, fmt.Errorf("no free port on %s: %w; end programs that hold many", loopback, err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

// startOn starts the subject on one port. What it started is gone when it returns an error.
func startOn(ctx context.Context, port int, s dyno.Subject, o StartOptions) (*Process, error) {
	ctx, cancel := context.WithTimeout(ctx, o.ReadyWithin)
	defer cancel()
	p, err := launch(order{Command: s.Command, Dir: s.Dir, Env: environment(s, port)}, s.Name, port, o)
	if err != nil {
		return nil, err
	}
	fault := p.becomeReady(ctx, o)
	if fault == nil {
		return p, nil
	}
	if err := p.destroy(); err != nil {
		return nil, err
	}
	fault.Subject, fault.Stderr = s.Name, p.Stderr()
	return nil, fault
}

// becomeReady waits until the server runs, listens and answers.
func (p *Process) becomeReady(ctx context.Context, o StartOptions) *StartError {
	execAtNs, fault := p.awaitExec(ctx, o)
	if fault != nil {
		return fault
	}
	for ticker := time.NewTicker(pollEvery); ; {
		if p.accepts(ctx) {
			startUpNs := monotonicNs() - execAtNs
			listens, fault := p.ownsListener()
			if fault != nil {
				return fault
			}
			if listens {
				p.startUp = time.Duration(startUpNs)
				ticker.Stop()
				break
			}
		}
		select {
		case <-ticker.C:
		case <-p.exited:
			return p.earlyEnd()
		case <-ctx.Done():
			return p.late(ctx, o, fmt.Sprintf("did not listen on %s; it must listen on HOST and PORT of its environment", p.addr))
		}
	}
	return p.answers(ctx, o)
}

// awaitExec waits for the warden's word that the server's program runs.
func (p *Process) awaitExec(ctx context.Context, o StartOptions) (execAtNs int64, fault *StartError) {
	select {
	case r := <-p.started:
		if r.Fault != "" {
			return 0, &StartError{Cause: "cannot start: " + r.Fault}
		}
		p.pid = r.PID
		return r.ExecAtNs, nil
	case <-p.gone:
		return 0, &StartError{Cause: "cannot start: its warden ended without a word; see dyno doctor"}
	case <-ctx.Done():
		return 0, p.late(ctx, o, "has not been started by its warden; the machine is overloaded")
	}
}

// accepts reports whether somebody accepts connections on the port.
func (p *Process) accepts(ctx context.Context) bool {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp4", p.addr)
	if err != nil {
		return false
	}
	_ = conn.Close() // nothing was sent that could be lost
	return true
}

// ownsListener proves that who accepted is a process that was started here, and takes that process for
// the server: the one that was started, if it listens, else a child of it. With neither a listener of
// ours nor a foreign one it has closed again, and the wait goes on.
func (p *Process) ownsListener() (bool, *StartError) {
	for look := 1; ; look++ {
		owners, foreign, err := host.ListenerOwners(p.port, p.PIDs())
		switch {
		case err != nil:
			return false, &StartError{Cause: "cannot be proved to be the one that listens: " + err.Error(), Err: err}
		case foreign == 0 && len(owners) == 0:
			return false, nil
		case foreign == 0:
			return true, p.adopt(owners[0])
		case look == 3: // a process that just forked can be missed, but not three times
			return false, &StartError{
				Cause:     fmt.Sprintf("cannot have port %d: another process listens on it; end that process, or try again", p.port),
				PortTaken: true,
			}
		}
		time.Sleep(pollEvery)
	}
}

func (p *Process) answers(ctx context.Context, o StartOptions) *StartError {
	if o.Ping == nil {
		return nil
	}
	err := o.Ping(ctx, p.addr)
	if err == nil {
		return nil
	}
	select {
	case <-p.exited:
		return p.earlyEnd()
	case <-time.After(crashShowsWithin):
	}
	if ctx.Err() != nil {
		return p.late(ctx, o, "listens, but has not answered; check it with dyno verify")
	}
	return &StartError{Cause: fmt.Sprintf("listens but does not answer as it must: %s; check it with dyno verify", firstLine(err)), Err: err}
}

// late is the fault of a server that was not ready in time, or of a caller who gave up.
func (p *Process) late(ctx context.Context, o StartOptions, cause string) *StartError {
	if errors.Is(ctx.Err(), context.Canceled) {
		return &StartError{Cause: "was not started: interrupted; start it again", Err: context.Canceled}
	}
	return &StartError{Cause: fmt.Sprintf("was not ready within %s: it %s", o.ReadyWithin, cause), Err: ctx.Err()}
}

// earlyEnd is the fault of a server that ended before it was ready.
func (p *Process) earlyEnd() *StartError {
	words := p.Stderr()
	for _, line := range words {
		low := strings.ToLower(line)
		if strings.Contains(low, "eaddrinuse") || strings.Contains(low, "addrinuse") || strings.Contains(low, "address already in use") {
			return &StartError{
				Cause:     fmt.Sprintf("cannot have port %d: it is taken by another process; end that process, or try again", p.port),
				PortTaken: true,
			}
		}
	}
	said := "it wrote nothing to stderr"
	if line := telling(words); line != "" {
		said = "it wrote: " + line
	}
	return &StartError{Cause: fmt.Sprintf("ended before it was ready (%s; %s); run it by hand with HOST and PORT set: %s",
		p.ExitReason(), said, strings.Join(p.command, " "))}
}

// firstLine keeps a caller's error from breaking the line.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
