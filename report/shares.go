package report

import (
	"fmt"
	"strings"

	"dyno/report/internal/typeset"
)

// shareClaim is what seed 000 says of framing: less than 5 % of the time.
const shareClaim = 0.05

// shares is what the codec takes of the servers' CPU time, found by leaving it out.
func (e editor) shares(d *document) {
	if len(e.v.Shares) == 0 {
		return
	}
	t := &table{columns: []column{left("Load"), left("Server"), right("Codec's share"), right("from"), right("to"), left("Less than 5 %?"), right("n")}}
	var below, above, open []string
	for _, s := range e.v.Shares {
		answer := "undecided"
		switch is, decided := s.Below(shareClaim); {
		case is && decided:
			answer = "yes"
			below = append(below, e.title(s.Subject)+" "+short(s.Load))
		case decided:
			answer = "no"
			above = append(above, e.title(s.Subject)+" "+short(s.Load))
		default:
			open = append(open, e.title(s.Subject)+" "+short(s.Load))
		}
		low, high := absent, absent
		if s.Ratio.Known() {
			low, high = ofHundred(s.Low), ofHundred(s.High)
		}
		t.add(short(s.Load), e.title(s.Subject), ofHundred(s.Share()), low, high, answer, fmt.Sprint(s.Ratio.N))
	}
	d.add(heading{2, "What framing costs"}, paragraph(shareAnswer(below, above, open)), t, note(fmt.Sprintf(
		"Codec's share: how much less CPU time a %s takes when the same server sends the bytes back unread (its raw echo, which keeps another contract and is never ranked): geometric mean over all %s, paired by block. "+
			"from and to: the interval that holds for all lines together with 95"+typeset.Unbreakable+"%% certainty. A share below zero is noise, or a raw echo that does its waiting in CPU time.", e.words.Reply, e.words.Workloads)))
}

// shareAnswer answers the seed's claim in a sentence.
func shareAnswer(below, above, open []string) string {
	var parts []string
	for _, x := range []struct {
		said  string
		where []string
	}{{"yes", below}, {"no", above}, {"undecided", open}} {
		if len(x.where) > 0 {
			parts = append(parts, fmt.Sprintf("%s in %d (%s)", x.said, len(x.where), strings.Join(x.where, ", ")))
		}
	}
	return "Does framing take less than 5 % of the server's CPU time per packet? " + strings.Join(parts, "; ") + "."
}

// ofHundred writes a share in percent, e.g. "4.2%" or "-0.3%".
func ofHundred(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }
