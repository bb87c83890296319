// Package stat turns stored trials into verdicts: estimates with intervals, paired comparisons
// corrected for how many were made, averages and scaling.
//
// Its functions are pure: the same trials give the same verdict, whenever and wherever. It never
// reads a clock or a file, never leaves out a trial for what it shows, and never names a winner
// that the evidence does not.
package stat

const (
	// Alpha is the chance of a false claim: one interval misses with it, and so does, at most,
	// any of a verdict's faster and slower together.
	Alpha = 0.05

	// TieRatio bounds a tie: the whole interval lies within 1 ÷ TieRatio … TieRatio. Below 1 %
	// nobody would choose a server by its speed, and machines of the same kind differ by more.
	TieRatio = 1.01

	// ClientBusyMax is the busy share above which the client may have been the limit: the rest is
	// within what scheduling alone takes from a client that never waits.
	ClientBusyMax = 0.95

	// ClientBoundShare of the null server's rate is where a figure says more about client and
	// kernel than about the subject, whatever the busy share says.
	ClientBoundShare = 0.9

	// NearCeilingShare of the null server's rate is where at least half of the time of a reply is
	// not the subject's, so that a difference between two subjects shows at less than half its size.
	NearCeilingShare = 0.5
)
