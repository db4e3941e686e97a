package main

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// againMost is how many failed tests are run once more: where more fail, it is no accident.
const againMost = 5

// never is the names of tests that count at once: what a kill or a cut lost once is lost,
// whatever the second try says.
var never = regexp.MustCompile(`Kill|Crash|Cut|Lost`)

// fell notes that a test failed, by the name that -run takes.
func (t *tally) fell(e event) {
	top, _, _ := strings.Cut(e.Test, "/")
	if t.fallen[e.Package] == nil {
		t.fallen[e.Package] = map[string]bool{}
	}
	t.fallen[e.Package][top] = true
}

// again runs the few tests that failed once more, after all others and so without load
// beside them, by start, which begins `go test -json` of one package's tests. What passes
// only then is told in a line that begins with FLAKY: a fault of the test or of the program,
// to be looked at, and no reason to stop everything else.
func (t *tally) again(start func(pkg, run string) (io.Reader, error)) error {
	n := 0
	for _, tests := range t.fallen {
		n += len(tests)
		for name := range tests {
			if never.MatchString(name) {
				return nil
			}
		}
	}
	if n == 0 || n > againMost || len(t.fallen) != t.broken || t.hung {
		return nil
	}
	second := newTally(t.out, t.ci)
	for _, pkg := range slices.Sorted(maps.Keys(t.fallen)) {
		out, err := start(pkg, "^("+strings.Join(slices.Sorted(maps.Keys(t.fallen[pkg])), "|")+")$")
		if err != nil {
			return err
		}
		if err := second.read(out); err != nil {
			return err
		}
	}
	if !second.well() {
		return nil
	}
	t.passed, t.failed, t.broken = t.passed+t.failed, 0, 0
	for _, pkg := range slices.Sorted(maps.Keys(t.fallen)) {
		for _, test := range slices.Sorted(maps.Keys(t.fallen[pkg])) {
			fmt.Fprintf(t.out, "FLAKY: passed only when run again: %s %s\n", pkg, test)
		}
	}
	return nil
}
