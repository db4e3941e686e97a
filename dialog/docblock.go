package dialog

import "strings"

// Block is a closed payload of a doc: text between two fences.
type Block struct {
	Type, Text string
	Line       int // of the text's beginning, from 1 on
	From, Next int // where the text begins in the doc, and the place behind the closing fence's line
}

// EachBlock calls f with each closed fenced block of a doc. A byte order mark is no part of
// the doc's first line.
func EachBlock(doc string, f func(Block)) {
	line, counted := 1, 0
	for at := 0; at < len(doc); {
		next := nextLine(doc, at)
		first := doc[at:next]
		if at == 0 {
			first = strings.TrimPrefix(first, BOM)
		}
		typ, opens := OpenFence(first)
		if !opens {
			at = next
			continue
		}
		b := readBody(doc, next)
		if b.closed {
			line += strings.Count(doc[counted:next], "\n")
			counted = next
			f(Block{typ, b.text, line, next, b.next})
		}
		at = b.next
	}
}
