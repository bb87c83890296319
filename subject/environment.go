package subject

import (
	"maps"
	"os"
	"slices"
	"strconv"

	"dyno"
)

// loopback is the only address that subjects listen on.
const loopback = "127.0.0.1"

// environment returns what a subject sees: a small fixed set, so that figures do not depend on the
// shell that dyno was started from; then its manifest's env; then where to listen.
func environment(s dyno.Subject, port int) []string {
	home := os.Getenv("HOME")
	if home == "" {
		home = "/"
	}
	variables := map[string]string{
		"PATH":     "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"HOME":     home, // runtimes keep their caches there
		"TMPDIR":   os.TempDir(),
		"LANG":     "C.UTF-8",
		"TZ":       "UTC",
		"NODE_ENV": "production",
		"NO_COLOR": "1",
	}
	maps.Copy(variables, s.Env)
	variables["HOST"] = loopback
	variables["PORT"] = strconv.Itoa(port)
	var environment []string
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		environment = append(environment, name+"="+variables[name])
	}
	return environment
}
