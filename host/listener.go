package host

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// tcpListen is the state of a listening socket in /proc/net/tcp (TCP_LISTEN).
const tcpListen = "0A"

// ListenerOwners says who answers on 127.0.0.1:port. It returns those of the candidate processes that
// hold a socket listening there, and how many such sockets none of them holds: with foreign above 0,
// some other process answers too, or alone.
func ListenerOwners(port int, candidates []int) (owners []int, foreign int, err error) {
	return here.listenerOwners(port, candidates)
}

func (k kernel) listenerOwners(port int, candidates []int) (owners []int, foreign int, err error) {
	held := map[string]bool{} // by socket: does a candidate hold it?
	for _, table := range []string{"tcp", "tcp6"} {
		b, err := os.ReadFile(filepath.Join(k.proc, "net", table))
		if errors.Is(err, fs.ErrNotExist) && table == "tcp6" {
			continue // a kernel without IPv6
		}
		if err != nil {
			return nil, 0, fmt.Errorf("who listens on port %d: %w; dyno needs /proc mounted", port, err)
		}
		for _, inode := range listeners(b, port) {
			held[inode] = false
		}
	}
	for _, pid := range candidates {
		for _, inode := range k.sockets(pid) {
			if _, listens := held[inode]; !listens {
				continue
			}
			held[inode] = true
			if !slices.Contains(owners, pid) {
				owners = append(owners, pid)
			}
		}
	}
	for _, isOurs := range held {
		if !isOurs {
			foreign++
		}
	}
	return owners, foreign, nil
}

// listeners returns the inodes of the sockets in a /proc/net/tcp table that listen on the port at an
// address which answers 127.0.0.1.
func listeners(table []byte, port int) (inodes []string) {
	const address, state, inode = 1, 3, 9 // columns
	for line := range bytes.Lines(table) {
		fields := bytes.Fields(line)
		if len(fields) <= inode || string(fields[state]) != tcpListen {
			continue
		}
		ip, hexPort, ok := strings.Cut(string(fields[address]), ":")
		if n, err := strconv.ParseUint(hexPort, 16, 16); !ok || err != nil || int(n) != port {
			continue
		}
		if slices.Contains(answering, ip) {
			inodes = append(inodes, string(fields[inode]))
		}
	}
	return inodes
}

// answering holds the local addresses that a connection to 127.0.0.1 reaches, as the kernel prints
// them: words of 32 bits in the machine's byte order.
var answering = []string{
	printed(0),
	printed(127, 0, 0, 1),
	strings.Repeat(printed(0), 4),
	printed(0) + printed(0) + printed(0, 0, 0xff, 0xff) + printed(127, 0, 0, 1),
}

func printed(octets ...byte) string {
	var word [4]byte
	copy(word[:], octets)
	return fmt.Sprintf("%08X", binary.NativeEndian.Uint32(word[:]))
}

// sockets returns the inodes of the sockets that a process holds open.
func (k kernel) sockets(pid int) (inodes []string) {
	folder := filepath.Join(k.proc, strconv.Itoa(pid), "fd")
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil // it has ended, or is somebody else's
	}
	for _, entry := range entries {
		target, err := os.Readlink(filepath.Join(folder, entry.Name()))
		if err != nil {
			continue
		}
		if inode, ok := strings.CutPrefix(target, "socket:["); ok {
			inodes = append(inodes, strings.TrimSuffix(inode, "]"))
		}
	}
	return inodes
}
