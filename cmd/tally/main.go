// Command tally reads what `go test -json` writes and prints what a human wants
// to know of it: a line a package, all that a failing test said, and the totals.
//
//	go test -json ./... | go run ./cmd/tally
//
// It exits 1 where something failed, and where something was skipped: a test
// that did not run has not passed.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
)

func main() {
	t := newTally(os.Stdout)
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
