package host

import (
	"fmt"
	"syscall"
)

// RaiseOpenFiles raises this process's limit on open files to want, and returns what it got; it never
// lowers a limit. Processes started later inherit it: Go's runtime raises its own limit silently and
// hides that from its children, so the limit is set even where it is high enough already.
//
// Less than want is an error; got then says what there is.
func RaiseOpenFiles(want uint64) (got uint64, err error) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0, fmt.Errorf("limit on open files: getrlimit: %w; it stays as it is", err)
	}
	raised := limit
	raised.Cur = max(limit.Cur, min(want, limit.Max))
	if limit.Max < want { // only root may
		root := syscall.Rlimit{Cur: want, Max: want}
		if syscall.Setrlimit(syscall.RLIMIT_NOFILE, &root) == nil {
			return want, nil
		}
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &raised); err != nil {
		return limit.Cur, fmt.Errorf("limit on open files: setrlimit to %d: %w; it stays at %d", raised.Cur, err, limit.Cur)
	}
	if raised.Cur < want {
		return raised.Cur, fmt.Errorf("limit on open files is %d, and %d are needed; raise it with ulimit -n %d, or in limits.conf", raised.Cur, want, want)
	}
	return raised.Cur, nil
}

// openFilesMax returns the highest limit on open files that this process may set.
func openFilesMax() int64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int64(min(limit.Max, 1<<63-1)) // "unlimited" is the largest uint64
}
