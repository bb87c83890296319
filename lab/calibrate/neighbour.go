package calibrate

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"

	"dyno/host"
)

// NeighbourCommand is the hidden command under which dyno is a neighbour.
const NeighbourCommand = "lab-neighbour"

// Neighbour is a process that keeps a CPU busy, as another program would that knows nothing of dyno.
type Neighbour struct {
	cmd  *exec.Cmd
	hold io.Closer // the neighbour's standard input: it ends when this closes, however dyno ends
}

// StartNeighbour starts a neighbour on the CPUs.
func StartNeighbour(cpus []int) (*Neighbour, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find dyno's own program for the neighbour: %w", err)
	}
	n := &Neighbour{cmd: exec.Command(program, NeighbourCommand)}
	if n.hold, err = n.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // for good: the thread ends with the goroutine, and its pinning with it
		err := host.PinThread(cpus)
		if err == nil {
			err = n.cmd.Start() // which inherits the CPUs
		}
		started <- err
	}()
	if err := <-started; err != nil {
		_ = n.hold.Close()
		return nil, fmt.Errorf("no neighbour on the servers' CPUs %v: %w; lab noise works only where dyno may start a process there", cpus, err)
	}
	return n, nil
}

// Leave ends the neighbour.
func (n *Neighbour) Leave() {
	_ = n.hold.Close()
	_ = n.cmd.Process.Kill() // it may be too busy to notice at once
	_ = n.cmd.Wait()         // it was killed
}

// NeighbourMain is what the neighbour does: it burns CPU until its standard input ends.
func NeighbourMain(stdin io.Reader) {
	go func() {
		for x := uint64(1); ; {
			x = x*6364136223846793005 + 1442695040888963407
			if x == 0 { // which never happens, and keeps the compiler from leaving the loop out
				return
			}
		}
	}()
	_, _ = io.Copy(io.Discard, stdin)
}
