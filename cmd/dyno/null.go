package main

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"dyno/contract"
	"dyno/internal/words"
	"dyno/load/null"
)

// nullSpin keeps the null server awake between the round trips of a single connection. It is short
// enough that a null server at rest sleeps.
const nullSpin = 50 * time.Microsecond

func newNull() *cobra.Command {
	var port int
	var spin time.Duration
	cmd := &cobra.Command{
		Use:   "null framed|raw-echo|http|httpbasic|rpc",
		Short: "Serve the fastest possible replies: the ceiling of the bench",
		Long: `Serves replies with no application behind them, as fast as one thread can, on loopback only.
framed, raw-echo: every byte comes back. http: every request without a body gets "200 OK" and
"hi". httpbasic and rpc: what these contracts promise, computed once for each request and
remembered. What a load generator reaches against it is the most that it can show of any server
here.`,
		Example: `  dyno null http --port 9000     then, elsewhere: wrk http://127.0.0.1:9000/
  dyno null httpbasic --port 9000`,
		Args: arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			answer, err := nullAnswer(args[0])
			if err != nil {
				return usage(err)
			}
			if !cmd.Flags().Changed("port") && os.Getenv("PORT") != "" {
				if port, err = strconv.Atoi(os.Getenv("PORT")); err != nil {
					return usagef("PORT=%q in the environment is not a number; correct it, or use --port", os.Getenv("PORT"))
				}
			}
			if port < 0 || port > 65535 {
				return usagef("port %d; it must lie between 0 and 65535", port)
			}
			if spin < 0 || spin > time.Second {
				return usagef("spin %v; it must lie between 0s and 1s", spin)
			}
			addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(port))
			server, err := null.Listen(addr, answer)
			if err != nil {
				return fmt.Errorf("%w; choose another --port", err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "null %s server on %v; stop it with Ctrl-C\n", args[0], server.Addr())
			server.Serve(cmd.Context(), spin)
			return nil
		},
	}
	cmd.Flags().IntVarP(&port, "port", "p", 0, "port to listen on; 0 takes a free one")
	cmd.Flags().DurationVar(&spin, "spin", nullSpin, "poll this long for the next request before sleeping")
	return cmd
}

// nullAnswer returns what a null server answers: that of a contract, or a fixed reply to any HTTP client.
func nullAnswer(name string) (null.Answer, error) {
	const anyHTTP = "http"
	if name == anyHTTP {
		return null.HTTP, nil
	}
	names := []string{anyHTTP}
	for _, c := range contract.Names() {
		answer, ok := ceilingOf(c)
		if ok && c == name {
			return answer, nil
		}
		if ok {
			names = append(names, c)
		}
	}
	return nil, errors.New(words.Unknown("kind of null server", name, names))
}

// ceilingOf returns the answer of a contract's null server, if it has one.
func ceilingOf(contractName string) (null.Answer, bool) {
	c, err := contract.ByName(contractName)
	if err != nil {
		return nil, false
	}
	ceilinged, ok := c.(contract.Ceilinged)
	if !ok {
		return nil, false
	}
	return ceilinged.Null(), true
}
