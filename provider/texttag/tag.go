package texttag

import (
	"bytes"
	"strings"

	"vibey/dialog"
)

// readTag reads the tag that b begins with, up to its ">"; begin is "<mcp:" or "</mcp:".
// n is its length, 0 for none; more is true where b ends too early to tell. Any
// characters of a line are a name, so that a tag which names no tool ends the answer like
// every other.
func readTag(b []byte, begin string) (name string, n int, more bool) {
	if len(b) <= len(begin) {
		return "", 0, bytes.HasPrefix([]byte(begin), b)
	}
	if !bytes.HasPrefix(b, []byte(begin)) {
		return "", 0, false
	}
	for i := len(begin); i < len(b) && i <= len(begin)+maxName; i++ {
		switch c := b[i]; {
		case c == '>' && i > len(begin):
			return string(b[len(begin):i]), i + 1, false
		case c == '>' || c == '<' || c == '\n' || c == '\r':
			return "", 0, false
		}
	}
	return "", 0, len(b) <= len(begin)+maxName
}

// maxName is how many bytes of a name are read. No tool has a name as long, but a
// model may write one, with attributes even, and is then told that there is no such
// tool. Up to a name's end nothing can be shown.
const maxName = 200

// closedBy returns the names by which o's closing tag may be known: that name again, or
// its first word where the rest looks like attributes.
func (o *opening) closedBy() [2]string {
	word, _, _ := strings.Cut(strings.TrimSpace(o.name), " ")
	return [2]string{o.name, word}
}

// isName reports whether a tool may have that name at any provider.
func isName(s string) bool { return len(s) <= 64 && dialog.IsMadeOf(s, "_-") }
