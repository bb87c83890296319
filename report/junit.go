package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"dyno"
	"dyno/report/internal/typeset"
)

// The JUnit dialect that CI servers read: suites of cases, each passed, failed or skipped.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitMessage `xml:"failure"`
		Skipped *junitMessage `xml:"skipped"`
		Out     string        `xml:"system-out,omitempty"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
	}
)

// ContrastJUnit writes one test case for each change: failed where a threshold is broken, skipped where no
// verdict was possible, else passed. The error is the writer's.
func ContrastJUnit(w io.Writer, c dyno.Contrast, judged []Judged) error {
	suite := junitSuite{Name: typeset.Clean("dyno compare " + c.A.Run.ID + " " + c.B.Run.ID)}
	for _, j := range judged {
		test := junitCase{
			Class: "dyno." + string(j.Measure), Name: typeset.Clean(j.SubjectB + ", " + j.Cell.String()),
			Out: strings.TrimSuffix(fmt.Sprintf("%s, %s: %s", difference(j.Ratio), outcomeText(j.Outcome), j.Reason), ": "),
		}
		switch {
		case j.Failed != "":
			test.Failure = &junitMessage{typeset.Clean(j.Failed)}
			suite.Failures++
		case !j.Ratio.Known():
			test.Skipped = &junitMessage{j.Reason}
			suite.Skipped++
		}
		suite.Tests++
		suite.Cases = append(suite.Cases, test)
	}
	b, err := xml.MarshalIndent(junitSuites{Suites: []junitSuite{suite}}, "", "  ")
	if err != nil {
		return fmt.Errorf("comparison as JUnit XML: %w", err)
	}
	return write(w, xml.Header+string(b)+"\n")
}
