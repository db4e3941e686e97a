package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"vibey/cmd/tally/testenv"
)

// event is one line of `go test -json`, as `go doc test2json` tells.
type event struct {
	Action     string
	Package    string
	ImportPath string // of a build that failed, instead of Package
	Test       string
	Output     string
	Elapsed    float64 // seconds
}

// tally counts events and holds back each test's output until it is known
// whether anybody wants it.
type tally struct {
	out                     io.Writer
	said                    map[string][]byte // package + " " + test -> its output
	passed, failed, skipped int
	packages, broken        int
	lacks                   map[testenv.Need]int       // tests left out, by what the machine lacks
	left                    string                     // what else was left out, in words
	long                    int                        // tests left to `just check`
	ci                      bool                       // a test that this machine can't run is a failure
	fallen                  map[string]map[string]bool // package -> its tests that failed
	hung                    bool                       // a test never came to its end
	exited                  bool                       // go test said that it failed
}

func newTally(out io.Writer, ci bool) *tally {
	return &tally{out: out, said: map[string][]byte{}, lacks: map[testenv.Need]int{}, fallen: map[string]map[string]bool{}, ci: ci}
}

// read takes all lines of in.
func (t *tally) read(in io.Reader) error {
	for r := bufio.NewReader(in); ; {
		line, err := r.ReadBytes('\n')
		t.line(line)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// line takes one line of input. One that is not JSON is passed through: the go
// command says so what happened before any test ran.
func (t *tally) line(b []byte) {
	b = bytes.TrimSpace(b)
	if len(b) == 0 {
		return
	}
	var e event
	if b[0] != '{' || json.Unmarshal(b, &e) != nil {
		fmt.Fprintf(t.out, "%s\n", b)
		return
	}
	if e.Package == "" {
		e.Package = e.ImportPath
	}
	key := e.Package + " " + e.Test
	switch e.Action {
	case "output":
		t.said[key] = append(t.said[key], e.Output...)
	case "exit":
		t.exited = true
	case "build-output":
		fmt.Fprint(t.out, e.Output)
	case "pass", "fail", "skip":
		if e.Test != "" {
			t.test(e, key)
		} else {
			t.pkg(e, key)
		}
		delete(t.said, key)
	}
}

func (t *tally) test(e event, key string) {
	switch e.Action {
	case "pass":
		t.passed++
		return
	case "fail":
		t.failed++
		t.fell(e)
	case "skip":
		if need, long := testenv.Reason(string(t.said[key])); long {
			t.long++
			return
		} else if need != "" {
			t.lacks[need]++
			return
		}
		t.skipped++
	}
	t.out.Write(t.said[key])
}

func (t *tally) pkg(e event, key string) {
	switch e.Action {
	case "pass":
		t.packages++
		fmt.Fprintf(t.out, "ok    %-40s %6.2fs\n", e.Package, e.Elapsed)
	case "fail":
		t.packages++
		t.broken++
		t.unfinished(e.Package)
		t.out.Write(t.said[key])
	}
}

// unfinished prints what tests of a package said that never came to an end,
// as when it panicked or ran out of time.
func (t *tally) unfinished(pkg string) {
	for key, text := range t.said {
		if strings.HasPrefix(key, pkg+" ") && key != pkg+" " {
			t.out.Write(text)
			t.failed++
			t.hung = true
			delete(t.said, key)
		}
	}
}

// end prints the totals, and what was left out and why, and tells whether all is well.
func (t *tally) end() bool {
	fmt.Fprintf(t.out, "go test: %d passed, %d failed, %d skipped; %d packages, %d of them broken\n",
		t.passed, t.failed, t.skipped, t.packages, t.broken)
	if t.long > 0 {
		fmt.Fprintf(t.out, "left to `just check`: %d long tests or parts of tests\n", t.long)
	}
	var each []string
	for _, need := range slices.Sorted(maps.Keys(t.lacks)) {
		each = append(each, fmt.Sprintf("%d tests need %s", t.lacks[need], need))
	}
	if t.left != "" {
		each = append(each, t.left)
	}
	if len(each) > 0 {
		fmt.Fprintf(t.out, "left out here, which fails in CI: %s\n", strings.Join(each, "; "))
	}
	if t.exited && t.failed == 0 && t.broken == 0 && len(t.fallen) == 0 {
		fmt.Fprintln(t.out, "go test failed, though no test of it did")
		return false
	}
	return t.well() && !(t.ci && len(each) > 0)
}

// well tells that something ran, and that nothing of it failed or was skipped.
func (t *tally) well() bool { return t.failed == 0 && t.skipped == 0 && t.broken == 0 && t.passed > 0 }
