package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const lockName = "dyno.lock"

// acquire takes the lock of a folder. It is a lock of the kernel on an open file, so that it dies
// with its process, however that dies; the pid inside is only for the message.
func acquire(dir string) (*os.File, error) {
	path := filepath.Join(dir, lockName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, folderError(dir, err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = fmt.Errorf("another dyno%s is measuring into %s: wait for it", holder(f), dir)
	} else if err == nil {
		err = writePID(f)
	} else {
		err = folderError(dir, os.NewSyscallError("flock", err))
	}
	if err != nil {
		_ = f.Close() // the error that matters is err
		return nil, err
	}
	return f, nil
}

// holder names the process that holds the lock, as far as the file tells.
func holder(f *os.File) string {
	b, err := io.ReadAll(io.LimitReader(f, 32))
	pid, bad := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil || bad != nil {
		return ""
	}
	return fmt.Sprintf(" (pid %d)", pid)
}

func writePID(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return folderError(filepath.Dir(f.Name()), err)
	}
	if _, err := f.WriteAt(fmt.Appendf(nil, "%d\n", os.Getpid()), 0); err != nil {
		return folderError(filepath.Dir(f.Name()), err)
	}
	return nil
}

// Busy reports whether a dyno is measuring into the folder at this moment.
func (s *Store) Busy() bool {
	f, err := os.Open(filepath.Join(filepath.Dir(s.path), lockName))
	if err != nil {
		return false
	}
	defer f.Close() // and with it the lock, if it was free
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
