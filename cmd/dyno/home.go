package main

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

// home is the folder that holds suites/ and subjects/.
type home struct{ dir string }

func (h home) suites() string   { return filepath.Join(h.dir, "suites") }
func (h home) subjects() string { return filepath.Join(h.dir, "subjects") }

// findHome looks where --home or DYNO_HOME points, else upwards from the current folder, else
// upwards from the program itself.
func findHome(cmd *cobra.Command) (home, error) {
	named, err := cmd.Flags().GetString("home")
	if err != nil {
		return home{}, err
	}
	if named == "" {
		named = os.Getenv("DYNO_HOME")
	}
	if named != "" {
		dir, err := filepath.Abs(named)
		if err != nil {
			return home{}, err
		}
		if !isHome(dir) {
			return home{}, usagef("%s holds no suites/ and subjects/runtimes.yaml; point --home at a checkout of dyno", named)
		}
		return home{dir}, nil
	}
	var starts []string
	if dir, err := os.Getwd(); err == nil {
		starts = append(starts, dir)
	}
	if program, err := os.Executable(); err == nil {
		starts = append(starts, filepath.Dir(program))
	}
	for _, dir := range starts {
		for ; ; dir = filepath.Dir(dir) {
			if isHome(dir) {
				return home{dir}, nil
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return home{}, usagef("no suites/ and subjects/ here or above; run dyno inside its checkout, or use --home DIR")
}

func isHome(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "subjects", "runtimes.yaml"))
	suites, suitesErr := os.Stat(filepath.Join(dir, "suites"))
	return err == nil && suitesErr == nil && suites.IsDir()
}
