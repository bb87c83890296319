package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"time"

	"dyno/internal/words"
)

const (
	resolveWithin = 5 * time.Second
	probeWithin   = 2 * time.Second
	unixPathMax   = 107 // bytes, by the kernel
)

// target is the server of an ad-hoc load.
type target struct {
	shown    string // as the user wrote it
	addr     netip.AddrPort
	unixPath string // instead of addr
	tls      *tls.Config
}

// address is what is connected to.
func (t target) address() string {
	if t.unixPath != "" {
		return t.unixPath
	}
	return t.addr.String()
}

// local reports whether the server runs on this machine for certain.
func (t target) local() bool { return t.unixPath != "" || t.addr.Addr().IsLoopback() }

// find completes the target with the address of a host and port, or with the Unix socket. It refuses
// an address outside of loopback that the user has not allowed.
func (f *loadFlags) find(ctx context.Context, t *target, host, port string) error {
	if f.unixPath != "" {
		if len(f.unixPath) > unixPathMax {
			return usagef("--unix: a path of %d bytes; the kernel takes %d, so use a shorter one", len(f.unixPath), unixPathMax)
		}
		t.unixPath = f.unixPath
		return nil
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil || number == 0 {
		return usagef("port %s; it must lie between 1 and 65535", words.Quote(port))
	}
	addrs, err := resolve(ctx, host)
	if err != nil {
		return err
	}
	for _, a := range addrs {
		if !a.IsLoopback() && !f.allowRemote {
			return usagef("%s is not on loopback, and load may bring a server down; add --allow-remote only for one that you own or may test", a)
		}
	}
	a, err := firstThatAnswers(ctx, addrs, uint16(number))
	t.addr = netip.AddrPortFrom(a, uint16(number))
	return err
}

// resolve returns the addresses of a host, those of IPv4 first.
func resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a.Unmap()}, nil
	}
	lookup, cancel := context.WithTimeout(ctx, resolveWithin)
	defer cancel()
	found, err := net.DefaultResolver.LookupNetIP(lookup, "ip", host)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil || len(found) == 0 {
		return nil, fmt.Errorf("%s has no address here; correct the name, or give an address", words.Quote(host))
	}
	var four, six []netip.Addr
	for _, a := range found {
		if a = a.Unmap(); a.Is4() {
			four = append(four, a)
		} else {
			six = append(six, a)
		}
	}
	return append(four, six...), nil
}

// firstThatAnswers chooses among several addresses of a name the one that takes a connection: a server
// on "localhost" may listen on one of two. A single address is not tried here.
func firstThatAnswers(ctx context.Context, addrs []netip.Addr, port uint16) (netip.Addr, error) {
	if len(addrs) == 1 {
		return addrs[0], nil
	}
	dialer := net.Dialer{Timeout: probeWithin}
	for _, a := range addrs {
		c, err := dialer.DialContext(ctx, "tcp", netip.AddrPortFrom(a, port).String())
		if err == nil {
			c.Close()
			return a, nil
		}
		if ctx.Err() != nil {
			return a, ctx.Err()
		}
	}
	return addrs[0], nil // what is wrong with it shows when it is opened
}

// connectError adds the way out to a failure to open connections.
func connectError(err error) error {
	var unverified *tls.CertificateVerificationError
	var notTLS tls.RecordHeaderError
	var alert tls.AlertError
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("%w; start the server, or correct the address", err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w; start the server, or correct the path", err)
	case errors.As(err, &unverified) && errors.As(err, new(x509.HostnameError)):
		return fmt.Errorf("%w; name the server that the certificate is for with --sni, or use --insecure", err)
	case errors.As(err, &unverified):
		return fmt.Errorf("%w; use --insecure if you trust the server all the same", err)
	case errors.As(err, &notTLS):
		return fmt.Errorf("%w; does the server speak TLS at all?", err)
	case errors.As(err, &alert):
		return fmt.Errorf("%w; the server refuses the handshake, does it want --cert and --key, or another --sni?", err)
	}
	return err
}

// readText returns the text of a flag, or the content of the file in @FILE.
func readText(flag, text string) ([]byte, error) {
	path, isFile := strings.CutPrefix(text, "@")
	if !isFile {
		return []byte(text), nil
	}
	b, err := readBounded(path, bodyBytesMax)
	if err != nil {
		return nil, usagef("--%s: %v; give the text itself, or @FILE", flag, err)
	}
	return b, nil
}
