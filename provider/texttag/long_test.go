package texttag

import (
	"strings"
	"testing"
)

// A tag that is never closed is text in the end, and is not held back for ever.
func TestEndlessTag(t *testing.T) {
	f, given, held := newFinder(), 0, 0
	feed := func(piece string) {
		text, call := f.add(piece)
		if call != nil {
			t.Fatalf("a call of %s", call.Name)
		}
		given += len(text)
		held = max(held, len(f.buf))
	}
	feed("<mcp:write_file>")
	for range 20 {
		feed(strings.Repeat("x", 1<<20))
	}
	feed("</mcp:write_file>")
	rest, call := f.end()
	if all := len("<mcp:write_file></mcp:write_file>") + 20<<20; call != nil || given+len(rest) != all || held > 17<<20 {
		t.Errorf("%d of %d bytes are given out, up to %d were held, call %v", given+len(rest), all, held, call)
	}
}
