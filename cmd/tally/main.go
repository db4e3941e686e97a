// Command tally reads what `go test -json` writes and prints what a human wants
// to know of it: a line a package, all that a failing test said, and the totals.
//
//	go test -json ./... | go run ./cmd/tally
//
// It exits 1 if a test failed, or was skipped without one of testenv's reasons: a test
// that did not run has not passed. What was left out because this machine lacks a program
// is told in one line at the end, with the package that brings it (what else was, by -left); with CI=true it is a
// failure. Another line tells how many long tests -short left to `just check`. With -again,
// up to five tests that failed run once more when all others have ended; for a pipe whose
// status counts the line {"Action":"exit"} then stands for go test's own:
//
//	{ go test -json ./... || echo '{"Action":"exit"}'; } | go run ./cmd/tally -again "test -json"
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

func main() {
	left := flag.String("left", "", "what else was left out, and what it needs, in words")
	again := flag.String("again", "", "the go command that runs the few tests that failed once more, as `test -json -short`")
	flag.Parse()
	t := newTally(os.Stdout, os.Getenv("CI") != "")
	t.left = *left
	err := t.read(os.Stdin)
	if err == nil && *again != "" {
		err = t.again(func(pkg, run string) (io.Reader, error) {
			out, _ := exec.Command("go", append(strings.Fields(*again), "-count=1", "-run", run, pkg)...).Output() // a failure stands in it
			return bytes.NewReader(out), nil
		})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tally:", err)
		os.Exit(2)
	}
	if !t.end() {
		os.Exit(1)
	}
}
