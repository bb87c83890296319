package subjects_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// TestTypeScriptOnEveryRuntime runs the tests of mpacket/ts and of shared, unchanged, on each pinned
// runtime.
func TestTypeScriptOnEveryRuntime(t *testing.T) {
	passed := regexp.MustCompile(`[1-9]\d* pass|pass [1-9]`)
	specs := runtimes(t)
	for key, args := range map[string][]string{
		"bun":  {"test"},
		"deno": {"test", "--no-check", "--no-lock", "--no-prompt", "--cached-only"},
		"node": {"--test"},
	} {
		for _, dir := range []string{filepath.Join("..", "mpacket", "ts"), "shared"} {
			t.Run(key+"/"+filepath.Base(dir), func(t *testing.T) {
				cmd := exec.Command(specs[key].binary(t), args...)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "NO_COLOR=1", "DENO_NO_UPDATE_CHECK=1")
				out, err := cmd.CombinedOutput()
				if err != nil || !passed.Match(out) {
					t.Errorf("%v in %s: %v\n%s", cmd.Args, dir, err, out)
				}
			})
		}
	}
}
