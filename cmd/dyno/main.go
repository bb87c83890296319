// Command dyno puts network servers on the bench. This package holds flags and wiring only; what
// it wires together is described in docs/ARCHITECTURE.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"dyno/lab/calibrate"
	"dyno/subject"
)

// Exit statuses. 0 means that the work was done and verified.
const (
	exitFailed      = 1   // a gate or threshold failed, or the work could not be done
	exitUsage       = 2   // the command line, or a file that the user wrote, is wrong
	exitInterrupted = 130 // as shells report SIGINT
)

// helpColumns is how wide help may be.
const helpColumns = 100

// version is the version of dyno; it is recorded with every run.
const version = "0.1.0"

func main() {
	// The warden must not carry the machinery of the command line: it is one of many and idle.
	if len(os.Args) > 1 && os.Args[1] == subject.WardenCommand {
		os.Exit(subject.WardenMain(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == calibrate.NeighbourCommand {
		calibrate.NeighbourMain(os.Stdin)
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	// The first signal asks for an end in good order; the next one ends dyno at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run executes one command line and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	var status *statusError
	if !errors.As(err, &status) {
		status = &statusError{exitFailed, err}
		if errors.Is(err, context.Canceled) {
			status = &statusError{exitInterrupted, errors.New("interrupted; nothing was lost, start it again")}
		}
	}
	// One line, whatever a file or another program said in it.
	fmt.Fprintf(stderr, "dyno: %s\n", strings.ReplaceAll(status.Error(), "\n", "; "))
	return status.code
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "dyno",
		Short: "A dynamometer for network servers",
		Long: `dyno puts JavaScript runtimes and TCP servers on one bench and says which is faster, by how
much, how sure it is, and at what cost in CPU and memory.`,
		Example: `  dyno run quick                 measure a bit of everything, in under four minutes
  dyno run minecraft             the full matrix of the Minecraft suite
  dyno http localhost:8080       load any HTTP server of yours, without a suite
  dyno capacity localhost:8080   the highest rate that keeps a promise about latency
  dyno verify minecraft          check that the servers do what they must
  dyno doctor                    what is missing or unsuitable on this machine`,
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	root.PersistentFlags().String("home", "", "folder with suites/ and subjects/ (default: found from the current folder, or beside the program)")
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages ", fmt.Sprintf(".FlagUsagesWrapped %d ", helpColumns)))
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		newRun(),
		newVerify(),
		newLab(),
		newReport(),
		newCompare(),
		newExport(),
		newImport(),
		newList(),
		newHTTP(),
		newTCP(),
		newScenario(),
		newCapacity(),
		newNull(),
		newDoctor(),
		newVersion(),
	)
	checkBuiltIn(root)
	return root
}
