package store

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"dyno"
)

// writerDir makes the test binary a writer that adds groups to the folder until it is killed.
const writerDir = "DYNO_STORE_TEST_WRITER_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerDir); dir != "" {
		fmt.Fprintln(os.Stderr, writeForever(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// writeForever continues where the last writer was killed, and says what is stored.
func writeForever(dir string) error {
	ctx := context.Background()
	s, err := Open(dir)
	if err != nil {
		return err
	}
	run, ok, err := s.LatestResumable(ctx, "minecraft", false)
	if err != nil {
		return err
	}
	if !ok {
		run = simpleRun("r", noon, dyno.RunStarted)
		if err := s.CreateRun(ctx, run); err != nil {
			return err
		}
	}
	trials, err := s.Trials(ctx, run.ID)
	if err != nil {
		return err
	}
	for block := len(trials) / 3; ; block++ {
		if err := s.AddTrials(ctx, run.ID, group(block)); err != nil {
			return err
		}
		fmt.Println(block)
	}
}

// TestKilledWriterLosesNothing kills a writer at 20 random moments, some of them while it creates or
// opens the file, and looks at what it left.
func TestKilledWriterLosesNothing(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	promised := -1
	for kill := range 20 {
		after := time.Duration(rng.Int64N(int64(60 * time.Millisecond)))
		promised = max(promised, writeAndKill(t, dir, kill%2 == 1, after))
		checkRemains(t, dir, kill, promised)
	}
	if promised < 0 {
		t.Fatal("no writer said that it stored a group")
	}
}

// writeAndKill kills a writer some time after its start, or after it has stored its first group. It
// returns the last block that the writer said was stored, -1 for none.
func writeAndKill(t *testing.T, dir string, onceItStored bool, after time.Duration) int {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), writerDir+"="+dir)
	var complaints strings.Builder
	child.Stderr = &complaints
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	kill := func() { _ = child.Process.Signal(syscall.SIGKILL) }
	if !onceItStored {
		time.AfterFunc(after, kill)
	}
	promised := -1
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if onceItStored {
			onceItStored = false
			time.AfterFunc(after, kill)
		}
		// The last line may have been cut off by the kill: only a whole number counts.
		if block, err := strconv.Atoi(lines.Text()); err == nil && block > promised {
			promised = block
		}
	}
	_ = child.Wait() // it was killed
	if complaints.Len() > 0 {
		t.Fatalf("the writer failed: %s", complaints.String())
	}
	return promised
}

func checkRemains(t *testing.T, dir string, kill, promised int) {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatalf("kill %d: %v", kill, err)
	}
	defer s.Close()
	var verdict string
	if err := s.db.QueryRow("PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Fatalf("kill %d: integrity: %s, %v", kill, verdict, err)
	}
	trials, err := s.Trials(t.Context(), "r")
	if err != nil {
		t.Fatalf("kill %d: %v", kill, err)
	}
	if len(trials)%3 != 0 || len(trials)/3 < promised+1 {
		t.Fatalf("kill %d: %d trials, but %d groups of 3 were promised", kill, len(trials), promised+1)
	}
	for i, trial := range trials {
		if trial.Block != i/3 || len(trial.Slices) != 8 {
			t.Fatalf("kill %d: trial %d is of block %d with %d slices", kill, i, trial.Block, len(trial.Slices))
		}
	}
}
