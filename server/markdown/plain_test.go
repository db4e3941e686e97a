package markdown

import (
	"strings"
	"testing"
)

func TestPlain(t *testing.T) {
	for _, c := range [][2]string{
		{"Just words.", "Just words."},
		{"# A *title*\n- one\n- **two**", "A title one two"},
		{"1. first\n2. `code *kept*` and ~~gone~~", "first code *kept* and gone"},
		{"[a link](doc-x.md) and ![a picture](a.png) and <https://x.org>", "a link and a picture and https://x.org"},
		{"a_b_c, 2 * 3, 5 > 4", "a_b_c, 2 * 3, 5 > 4"},
		{`\*kept\* &amp; &lt;b&gt;`, "*kept* & <b>"},
		{`\&amp; &\#65; \\&#66;`, `&amp; &#65; \B`},
		{"```js\nlet x = 1;\n```\nafter", "let x = 1; after"},
		{"> quoted\n> twice\n\n- [x] done", "quoted twice done"},
		{"| a | b |\n| --- | --- |\n| 1 | **2** |", "a b 1 2"},
		{"Use <div> here", "Use <div> here"},
		{"Title\n=====\n\n---\n***\nend", "Title end"},
		{"***", ""},
		{"3 - 2 = 1! Why #1?\nMore - and more", "3 - 2 = 1! Why #1? More - and more"},
		{"See:\n\n    code\n\ttoo\n + one\n 2) two", "See: code too one two"},
		{"Words\n---\nmore", "Words more"},
		{"# ", ""},
		{"[ref] and text\n\n[ref]: http://x.org", "ref and text"},
		{"العنوان **هنا**", "العنوان هنا"},
	} {
		if got := strings.Join(strings.Fields(Plain(c[0])), " "); got != c[1] {
			t.Errorf("%q: %q, want %q", c[0], got, c[1])
		}
	}
}

// What is costly to parse is short, and every text comes to an end.
func TestPlainOfHostileText(t *testing.T) {
	for _, piece := range []string{"[a](", "> ", "a*b_", "[", "![", "`", "<", "- ", "\xff", "&#x", "|", "**"} {
		if got := Plain(strings.Repeat(piece, 1<<20)); len(got) > plainMax {
			t.Errorf("%q: %d bytes", piece, len(got))
		}
	}
}

func BenchmarkPlain(b *testing.B) {
	for name, text := range map[string]string{
		"words": "Please read the page and tell what is missing in it",
		"marks": "# Done\n\nI changed `deed/index.html` and **ran** the tests:\n\n- one\n- [two](doc-a.md)\n",
		"worst": strings.Repeat("[a](", plainMax/4),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Plain(text)
			}
		})
	}
}

// A comment and what is only suggested are no words of a doc's title.
func TestUncommented(t *testing.T) {
	for _, c := range [][2]string{
		{"# The {==old==}{>>how *old*?<<} lamp", "The old lamp"},
		{"# See [the {==end==}{>>[x] why<<}](a.md)", "See the end"},
		{"# A {++very ++}{--dim --}{~~lamp~>light~~}", "A dim lamp"},
		{"# `{==code==}` and never {==closed", "{==code==} and never {==closed"},
		{"# {==All==}{>>x<<}", "All"},
		{"# One\n\n{==t==}{>>w<<}wo", "One two"},
		{"Just words.", "Just words."},
		{"# The {==lamp\n\nburns==}{>>why?<<} on", "The lamp burns on"},
	} {
		if got := strings.Join(strings.Fields(Plain(Uncommented(c[0]))), " "); got != c[1] {
			t.Errorf("%q: %q, want %q", c[0], got, c[1])
		}
	}
}
