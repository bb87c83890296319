package typeset

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"dyno/internal/words"
)

// Thousands writes a whole number as people read it, e.g. "87,060".
func Thousands(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return sign + b.String()
}

// Figure writes x with three digits, or whole when that takes more.
func Figure(x float64) string {
	switch {
	case math.Abs(x) >= 99.95:
		return Thousands(int64(math.Round(x)))
	case math.Abs(x) >= 9.995:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

// Counted writes a number and its noun, e.g. "1 tie", "2 ties".
func Counted(n int, noun string) string { return Thousands(int64(n)) + " " + words.Plural(n, noun) }

// Clock writes a duration to the second, e.g. "1m42s".
func Clock(d time.Duration) string { return d.Round(time.Second).String() }

// Lasting writes a duration with its unit set off, e.g. "150 ms".
func Lasting(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%g ms", float64(d)/float64(time.Millisecond))
	}
	return fmt.Sprintf("%g s", d.Seconds())
}

// Words are what the users of a contract call things.
type Words struct {
	Reply, Replies      string
	PerS                string // short for replies per second
	Workload, Workloads string
	WorkloadTitle       string // in the head of a table
	Subject             string // what is compared, in the head of a league table
}

// WordsOf returns the words of a contract.
func WordsOf(contract string) Words {
	switch contract {
	case "framed":
		return Words{"packet", "packets", "pps", "packet size", "packet sizes", "Packet Size", "Server"}
	case "httpbasic":
		return Words{"request", "requests", "req/s", "test", "tests", "Test", "Framework"}
	case "codec":
		return Words{"operation", "operations", "op/s", "operation", "operations", "Operation", "Codec"}
	case "rpc":
		return Words{"request", "requests", "req/s", "workload", "workloads", "Workload", "Server"}
	}
	return Words{"reply", "replies", "replies/s", "workload", "workloads", "Workload", "Subject"}
}

// seedTests are the names that seed 004 gave to the tests of httpbasic: tables are found again by them.
var seedTests = map[string]string{"GET /": "Get (/)", "GET /id/:id": "Params, query & header", "POST /json": "Post JSON"}

// TestTitle names a workload as the head of a table does.
func TestTitle(contract, workload string) string {
	if title := seedTests[workload]; contract == "httpbasic" && title != "" {
		return title
	}
	return workload
}
