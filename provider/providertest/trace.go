package providertest

import (
	"errors"
	"fmt"
	"iter"
	"strings"

	"vibey/provider"
)

// Trace runs a stream to its end and writes down what it brought, a line each:
//
//	begin
//	thinking "…"
//	reasoning "…" native={…}
//	text "…"
//	call ID NAME "ARGS"
//	retry
//	finish end "end_turn" in=12 out=5 total=17 tools=0 ms=0
//	error cut
//
// Neighbouring pieces are joined, and "text+" begins another block, so that a
// trace does not depend on how the bytes of a stream arrived. Hashes and an
// error's words are left out.
func Trace(stream iter.Seq2[provider.Event, error]) string {
	var b strings.Builder
	var joined []string // verb, then the text so far
	flush := func() {
		if joined != nil {
			fmt.Fprintf(&b, "%s %q\n", joined[0], joined[1])
			joined = nil
		}
	}
	join := func(verb, piece string, fresh bool) {
		if joined == nil || strings.TrimSuffix(joined[0], "+") != verb || fresh {
			flush()
			joined = []string{verb, ""}
			if fresh {
				joined[0] += "+"
			}
		}
		joined[1] += piece
	}
	for e, err := range stream {
		switch e := e.(type) {
		case provider.Text:
			join("text", e.Piece, e.New)
			continue
		case provider.Thinking:
			join("thinking", e.Piece, false)
			continue
		}
		flush()
		switch e := e.(type) {
		case provider.Begin:
			b.WriteString("begin\n")
		case provider.Reasoning:
			fmt.Fprintf(&b, "reasoning %q native=%s\n", e.Text, e.Native)
		case provider.Call:
			fmt.Fprintf(&b, "call %s %s %q\n", e.ID, e.Name, e.Args)
		case provider.Retry:
			b.WriteString("retry\n")
		case provider.Finish:
			fmt.Fprintf(&b, "finish %s %q %s\n", e.Stop, e.Detail, e.Resources)
		}
		if err != nil {
			fmt.Fprintf(&b, "error %s\n", errorKind(err))
		}
	}
	flush()
	return b.String()
}

func errorKind(err error) string {
	if e, ok := errors.AsType[*provider.Error](err); ok {
		return string(e.Kind)
	}
	return err.Error()
}
