package typeset

import (
	"testing"
	"time"
)

func TestFigures(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Thousands(0), "0"}, {Thousands(999), "999"}, {Thousands(1000), "1,000"},
		{Thousands(87060), "87,060"}, {Thousands(1234567), "1,234,567"}, {Thousands(-5689), "-5,689"},
		{Figure(0.456), "0.46"}, {Figure(9.94), "9.94"}, {Figure(9.996), "10.0"}, {Figure(12.34), "12.3"},
		{Figure(99.96), "100"}, {Figure(87060.4), "87,060"},
		{Counted(1, "tie"), "1 tie"}, {Counted(0, "tie"), "0 ties"}, {Counted(1, "search"), "1 search"}, {Counted(2, "search"), "2 searches"}, {Counted(1200, "cell"), "1,200 cells"},
		{Lasting(150 * time.Millisecond), "150 ms"}, {Lasting(10 * time.Second), "10 s"},
		{Clock(102*time.Second + 400*time.Millisecond), "1m42s"}, {Clock(0), "0s"},
		{WordsOf("framed").Replies, "packets"}, {WordsOf("rpc").Replies, "requests"}, {WordsOf("other").Replies, "replies"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                         "plain",
		"\x1b[31;1mred\x1b[0m":          "red",
		"\x1b]0;title\x07text":          "text",
		"two\nlines\tand\r more":        "two lines and  more",
		"\u202eright\u200bto\ufeffleft": "righttoleft",
		"bad \xff byte":                 "bad \ufffd byte",
		"\x00\x01\x7f\u0085":            "",
		"漢字 ± µ":                        "漢字 ± µ",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestWidths(t *testing.T) {
	for s, want := range map[string]int{"": 0, "±µ…–≥†": 6, "漢字": 4, "🟡": 2} {
		if got := Width(s); got != want {
			t.Errorf("%q takes %d columns, want %d", s, got, want)
		}
	}
	if got := Pad("漢", 4, true) + "|" + Pad("a", 3, false); got != "  漢|a  " {
		t.Errorf("got %q", got)
	}
	if got := Cut("abcdef", 4); got != "abc…" {
		t.Errorf("got %q", got)
	}
}

func FuzzClean(f *testing.F) {
	f.Add("\x1b[31mB|u`n\x1b[0m\u202e\n# x")
	f.Fuzz(func(t *testing.T, s string) {
		once := Clean(s)
		if Clean(once) != once {
			t.Fatalf("not stable: %q, then %q", once, Clean(once))
		}
		if w := Width(Cut(once, 10)); w > 10 {
			t.Fatalf("cut to 10 columns, %d wide", w)
		}
		for _, r := range once {
			if r < ' ' || r >= 0x7f && r < 0xa0 {
				t.Fatalf("%U came through", r)
			}
		}
	})
}
