package markdown

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestBlocksClose(t *testing.T) {
	for _, c := range []struct{ why, closed, open string }{
		{"one paragraph may grow", "", "A light\n\n"},
		{"another block closes it", "A light\n\n", "# Two\n"},
		{"a line that is not whole may become anything", "", "A light\n\n#"},
		{"a heading without a blank line is not looked for", "", "A light\n# Two\n"},
		{"a list may have another item", "", "- one\n\n- two\n"},
		{"and a paragraph in an item", "", "- one\n\n  more\n"},
		{"numbers too", "", "1. one\n\n2. two\n\n"},
		{"what is not indented ends a list", "- one\n\n- two\n\n", "Done.\n"},
		{"bold is no item", "A light\n\n", "**Two** lights\n"},
		{"within a fence nothing closes", "", "```go\na\n\nb\n\nc\n"},
		{"a longer fence holds a shorter one", "", "````\n```\n\nb\n"},
		{"behind it something does", "```go\na\n\nb\n```\n\n", "So it is.\n"},
		{"a fence in an item is closed in it", "- one\n  ```\n  a\n\n  b\n  ```\n\n", "Done.\n"},
		{"inline code is no fence", "```a``` is code\n\n", "Two\n"},
		{"the last of three", "One\n\nTwo\n\n", "Three\n"},
		{"CRLF", "One\r\n\r\n", "Two\r\n"},
	} {
		text := c.closed + c.open
		var b Blocks
		if got := b.Closed(text); got != len(c.closed) {
			t.Errorf("%s: %q closes %q", c.why, text, text[:got])
		}
	}
}

// What is rendered block by block is what is rendered at once, for blocks that
// do not refer to each other.
func TestBlocksRenderAsTheWhole(t *testing.T) {
	r := New(nil)
	render := func(text string) string { // without the limit of time, which a busy machine may miss
		var b strings.Builder
		if err := r.md.Convert([]byte(text), &b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	piece := rapid.SampledFrom([]string{"A *light*\n", "# Two\n", "- one\n", "  more\n", "1. first\n", "> said\n", "\n", "\n\n", "```go\nx := 1\n", "```\n", "| a | b |\n|---|---|\n| 1 | 2 |\n", "**bold** text\n", "---\n", "    code\n", "- [ ] do\n"})
	rapid.Check(t, func(t *rapid.T) {
		var b Blocks
		text, html, at := "", "", 0
		for _, p := range rapid.SliceOfN(piece, 1, 30).Draw(t, "pieces") {
			text += p
			closed := b.Closed(text)
			if closed < at {
				t.Fatalf("%q: what was closed opened again, %d < %d", text, closed, at)
			}
			if closed > at {
				html += render(text[at:closed])
			}
			at = closed
		}
		html += render(text[at:])
		if want := render(text); html != want {
			t.Fatalf("%q\nblock by block: %s\nat once: %s", text, html, want)
		}
		if !strings.HasPrefix(text, text[:at]) {
			t.Fatal("closed more than there is")
		}
	})
}
