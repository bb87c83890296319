package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/spf13/cobra"

	"dyno/internal/words"
)

// tlsFlags say how TLS is spoken.
type tlsFlags struct {
	insecure       bool
	cert, key, sni string
}

// register adds the flags to a command; place says where the name of the server comes from.
func (f *tlsFlags) register(cmd *cobra.Command, place string) {
	flags := cmd.Flags()
	flags.BoolVar(&f.insecure, "insecure", false, "accept any certificate")
	flags.StringVar(&f.cert, "cert", "", "client certificate, a PEM `FILE`; with --key")
	flags.StringVar(&f.key, "key", "", "private key of --cert, a PEM `FILE`")
	flags.StringVar(&f.sni, "sni", "", "server `NAME` to ask for and to verify (default: the host of "+place+")")
}

// given reports whether one of them was used.
func (f *tlsFlags) given() bool { return *f != tlsFlags{} }

// config returns how TLS is spoken to a host.
func (f *tlsFlags) config(host string) (*tls.Config, error) {
	c := &tls.Config{ServerName: host, InsecureSkipVerify: f.insecure}
	if f.sni != "" {
		c.ServerName = f.sni
	}
	switch {
	case (f.cert == "") != (f.key == ""):
		return nil, usagef("--cert and --key belong together; give both")
	case f.cert != "":
		pair, err := tls.LoadX509KeyPair(f.cert, f.key)
		if err != nil {
			return nil, usage(fmt.Errorf("--cert and --key: %w; give a PEM file each", err))
		}
		c.Certificates = []tls.Certificate{pair}
	}
	switch {
	case c.ServerName == "" && !f.insecure:
		return nil, usage(errors.New("TLS over a Unix socket has no name to verify; name the server with --sni, or use --insecure"))
	case net.ParseIP(c.ServerName) == nil && strings.ContainsAny(c.ServerName, " :/"):
		return nil, usagef("--sni %s is not a host name", words.Quote(c.ServerName))
	}
	return c, nil
}
