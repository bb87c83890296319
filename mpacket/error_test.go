package mpacket

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// checkGolden compares text with a file in testdata.
func checkGolden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if text != string(want) {
		t.Errorf("%s differs (run go test with -update if this is right):\n%s", path, text)
	}
}

func TestErrorTexts(t *testing.T) {
	var text strings.Builder
	for kind := range kindCount + 1 {
		text.WriteString((&Error{Kind: kind, What: "thing", Offset: 3}).Error() + "\n")
	}
	text.WriteString(homeless(ErrEmpty, "packet").Error() + "\n")
	text.WriteString(ParseError(-int(ErrNegative)).Error() + "\n")
	if _, err := ParseUUID("nonsense\n"); err != nil {
		text.WriteString(err.Error() + "\n")
	}
	if _, err := NewCFB8Encrypter(nil, nil); err != nil {
		text.WriteString(err.Error() + "\n")
	}
	if _, err := NewCFB8Decrypter(make([]byte, 16), make([]byte, 8)); err != nil {
		text.WriteString(err.Error() + "\n")
	}
	if _, err := ParseStatus("no JSON"); err != nil {
		text.WriteString(err.Error() + "\n")
	}
	for _, address := range []string{"", ":1", "a:0", "a:65536", "a:b", "a:1:2"} {
		_, _, err := splitAddress(address)
		if err == nil {
			t.Fatalf("address %q is accepted", address)
		}
		text.WriteString(err.Error() + "\n")
	}
	checkGolden(t, "errors.golden", text.String())
}

func TestParseError(t *testing.T) {
	if ParseError(3) != nil || ParseError(0) != ErrShort || ParseError(-1) != ErrTooLong {
		t.Error("ParseError does not follow the order of the kinds")
	}
}
