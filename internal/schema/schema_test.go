package schema

import (
	"strings"
	"testing"
)

// Size is one of those in testdata.
type Size string

// inner is a part.
type inner struct {
	Kind  Size          `json:"kind"`
	Codes map[int]int64 `json:"codes,omitempty"`
}

type sample struct {
	Schema string `json:"schema"`
	Parts  []inner
	One    *inner `json:"one,omitempty"`
}

// failures counts what would fail a test.
type failures struct {
	testing.TB
	count int
}

func (f *failures) Helper()               {}
func (f *failures) Errorf(string, ...any) { f.count++ }

func TestHoldsFindsWhatIsNotAsItSays(t *testing.T) {
	s := Of(t, "sample/1", "A sample", sample{}, "testdata")
	for document, wrong := range map[string]bool{
		`{"schema":"sample/1","Parts":[{"kind":"small"}]}`:                            false,
		`{"schema":"sample/1","Parts":null,"one":{"kind":"large","codes":{"200":1}}}`: false,
		`{"schema":"sample/2","Parts":[]}`:                                            true, // another version
		`{"schema":"sample/1"}`:                                                       true, // lacks a key
		`{"schema":"sample/1","Parts":[],"new":1}`:                                    true, // has one too many
		`{"schema":"sample/1","Parts":[{"kind":"middling"}]}`:                         true, // none of the kinds
		`{"schema":"sample/1","Parts":[{"kind":"small","extra":{}}]}`:                 true,
	} {
		found := &failures{TB: t}
		s.Holds(found, "document", []byte(document))
		if wrong != (found.count > 0) {
			t.Errorf("%s: wrong %v, found %d", document, wrong, found.count)
		}
	}
}

func TestCommentsDescribeTheFields(t *testing.T) {
	said := read(t, []string{"testdata"})
	if said.types["Part"] != "Part is a part." || said.fields["Part.kind"] != "Of several lines. how large it is" || len(said.values["Size"]) != 2 {
		t.Errorf("%+v", said)
	}
	if !strings.Contains(said.fields["Part.count"], "several") {
		t.Errorf("%+v", said.fields)
	}
}
