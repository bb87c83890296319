package subject

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"dyno"
)

// playDyno starts a server that forks into other sessions, prints the numbers of all processes, and
// waits to be killed.
func playDyno() {
	s := dyno.Subject{Name: "forks", Dir: "/", Env: map[string]string{"SUBJECT_TEST_ROLE": "forks"}}
	s.Command = []string{"/proc/self/exe"} // a warden's own program, which is this one
	p, err := Start(context.Background(), s, options())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		exit(1)
	}
	for len(p.PIDs()) < 6 {
		time.Sleep(time.Millisecond)
	}
	all := make([][2]uint64, 0, 8)
	for _, one := range family(p) {
		all = append(all, [2]uint64{uint64(one.pid), one.startTicks})
	}
	if err := json.NewEncoder(os.Stdout).Encode(all); err != nil {
		exit(1)
	}
	select {}
}

func TestKilledDynoLeavesNobody(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "SUBJECT_TEST_ROLE=dyno")
	cmd.Stderr = os.Stderr
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pairs [][2]uint64
	err = json.NewDecoder(bufio.NewReader(output)).Decode(&pairs)
	if killErr := cmd.Process.Kill(); killErr != nil {
		t.Error(killErr)
	}
	_ = cmd.Wait() // killed, as it must be
	if err != nil || len(pairs) < 7 {
		t.Fatalf("it had only the processes %v, %v", pairs, err)
	}
	var all []identity
	for _, pair := range pairs {
		all = append(all, identity{int(pair[0]), pair[1]})
	}
	waitForDeath(t, all)
}

func TestWardenByHand(t *testing.T) {
	for _, args := range [][]string{{WardenCommand}, {WardenCommand, "--help"}} {
		cmd := exec.Command(os.Args[0], args...)
		cmd.Stdin = strings.NewReader("hello\n")
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != 2 || strings.Count(string(out), "\n") != 1 {
			t.Errorf("%v: %v, %q", args, err, out)
		}
	}
}
