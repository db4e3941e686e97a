// Command tally reads what `go test -json` writes and prints what a human wants
// to know of it: a line a package, all that a failing test said, and the totals.
//
//	go test -json ./... | go run ./cmd/tally
//
// It exits 1 if a test failed, or was skipped without one of testenv's reasons: a test
// that did not run has not passed. What was left out because this machine lacks a program
// is told in one line at the end, with the package that brings it (what else was, by -left); with CI=true it is a
// failure. Another line tells how many long tests -short left to `just check`.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	left := flag.String("left", "", "what else was left out, and what it needs, in words")
	flag.Parse()
	t := newTally(os.Stdout, os.Getenv("CI") != "")
	t.left = *left
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		t.line(line)
		if err == io.EOF {
			break
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "tally:", err)
			os.Exit(2)
		}
	}
	if !t.end() {
		os.Exit(1)
	}
}
