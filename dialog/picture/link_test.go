package picture

import (
	"slices"
	"strings"
	"testing"
)

// Pictures of files/ are found where markdown shows them, and nowhere else.
func TestLinks(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"![a](files/x.png)", "files/x.png"},
		{"Look: ![a](files/x.png), and ![b](files/y.png) and ![again](files/x.png)", "files/x.png files/y.png"},
		{"![a](<files/a b (1).png>) ![b](files/a%20b.png) ![c](files/a(1).png)", "files/a b (1).png|files/a b.png|files/a(1).png"},
		{"![](files/ä.png) ![x y](files/写真.png \"a (title)\")", "files/ä.png files/写真.png"},
		{"![a [b] c](files/x.png) [![a](files/y.png)](https://example.org)", "files/x.png files/y.png"},
		{"![two\nlines](files/x.png\n'title')", "files/x.png"},
		{"![a](files/100%.png)", "files/100%.png"},
		{`![a](files/x\(1.png)`, "files/x(1.png"},
		{"- ![a](files/x.png)\n\n    ![in the item](files/y.png)", "files/x.png files/y.png"},
		{"> ![a](files/x.png)", "files/x.png"},
		{"# ![a](files/x.png)", "files/x.png"},
		{"para\n    ![a](files/x.png)", "files/x.png"},
		{"a ` b ![a](files/x.png)", "files/x.png"},
		{"a ` b\n\n![a](files/x.png) ` c", "files/x.png"},
		{"```\ncode\n```\n![a](files/x.png)", "files/x.png"},
		{"\\\\![a](files/x.png)", "files/x.png"},
		{"![a](files/x.png)\r\n\r\n![b](files/y.png)\r\n", "files/x.png files/y.png"},

		{"[a](files/x.png)", ""},
		{`\![a](files/x.png)`, ""},
		{"`![a](files/x.png)`", ""},
		{"`` ` ![a](files/x.png) ``", ""},
		{"`two\n![a](files/x.png)`", ""},
		{"```\n![a](files/x.png)\n```", ""},
		{"~~~~ md\n![a](files/x.png)\n~~~\n![a](files/x.png)", ""},
		{"```\n![never closed](files/x.png)", ""},
		{"- x\n\n      ![a](files/x.png)", ""},
		{"1. x\n\n        ![a](files/x.png)", ""},
		{"-     ![a](files/x.png)", ""},
		{"# h\n    ![a](files/x.png)", ""},
		{"---\n    ![a](files/x.png)", ""},
		{"```\nx\n```\n    ![a](files/x.png)", ""},
		{"> ```\n> x\n\n![a](files/x.png)", "files/x.png"},
		{"- ```\n  x\n![a](files/x.png)", "files/x.png"},
		{"- a\n  - b\n\n    ![a](files/x.png)", "files/x.png"},
		{"- a\n\nb\n\n    ![a](files/x.png)", ""},
		{"-\tx\n\n\t\t![a](files/x.png)", ""},
		{"-\tx\n\n\t![a](files/x.png)", "files/x.png"},
		{">     ![a](files/x.png)", ""},
		{"> a\n    ![lazy](files/x.png)", "files/x.png"},
		{"- a\n\n  > q\n\n  ![a](files/x.png)", "files/x.png"},
		{"- - -     ![a](files/x.png)", ""},
		{"```\n      ```\n![a](files/x.png)", ""},
		{"> ```\n> ![a](files/x.png)\n> ```", ""},
		{"- ```\n  ![a](files/x.png)\n  ```", ""},
		{"1. one\n   ```\n   ![a](files/x.png)\n   ```", ""},
		{"    ![a](files/x.png)", ""},
		{"para\n\n\t![a](files/x.png)", ""},
		{"<!-- ![a](files/x.png) -->", ""},
		{"![a](https://example.org/files/x.png) ![b](/files/x.png) ![c](./files/x.png) ![d](FILES/x.png)", ""},
		{"![a] (files/x.png)", ""},
		{"![a](files/x.png", ""},
		{"![a](files/x y.png)", ""},
		{"![a](<files/x.png)", ""},
		{"![a\n\nb](files/x.png)", ""},
		{"![a][files/x.png]", ""},
		{"![`](files/x.png)`", ""},
		{"<pre>\n![a](files/x.png)\n\n![b](files/y.png)\n</pre>\n![c](files/z.png)", "files/z.png"},
		{"<div>\n![a](files/x.png)\n</div>\n![b](files/y.png)\n\n![c](files/z.png)", "files/z.png"},
		{"- <div>\n  ![a](files/x.png)\n![b](files/y.png)", "files/y.png"},
		{"<details><summary>![a](files/x.png)</summary>\n\n![b](files/y.png)\n\n</details>", "files/y.png"},
		{"<b>![a](files/x.png)</b>", "files/x.png"},
		{"<b>\n![a](files/x.png)\n</b>", ""},
		{"words\n<b>\n![a](files/x.png)", "files/x.png"},
		{"a <b title=\"![a](files/x.png)\"> b <!-- ![b](files/y.png) --> ![c](files/z.png)", "files/z.png"},
		{"a <!-- b\n\n![a](files/x.png) -->", "files/x.png"},
		{"- see:\n```\n![a](files/x.png)\n```", ""},
		{"> see:\n```\n![a](files/x.png)\n```", ""},
		{"```\n> ```\n![a](files/x.png)\n```", ""},
		{"words\n-\n    ![a](files/x.png)", ""},
		{"# a `b\n![a](files/x.png) `c", "files/x.png"},
		{"- a `b\n- ![a](files/x.png) `c", "files/x.png"},
		{"", ""},
	} {
		want := strings.FieldsFunc(c.want, func(r rune) bool { return r == ' ' && !strings.Contains(c.want, "|") || r == '|' })
		if got := Links(c.text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", c.text, got, want)
		}
	}
}

// What Link writes is found again, whatever words and name are.
func TestLink(t *testing.T) {
	for _, words := range []string{"", "a", "[", "]", "`", "\\", "![x](files/y)", "<b>"} {
		for _, name := range []string{"a.png", "a b%20(1).png", "[x].png", "#1.png", "`.png", "ä;'\".png"} {
			path := "files/0123456789abcdef-" + PlainName(name)
			if got := Links("See " + Link(words, path) + " there"); !slices.Equal(got, []string{path}) {
				t.Errorf("%s: %q", Link(words, path), got)
			}
		}
	}
}

// Whatever a text is, the search comes to an end, and finds only what stands there.
func FuzzLinks(f *testing.F) {
	for _, s := range []string{"![a](files/x)", "`![", "![[[]]](<files/a b>\t'x')", "> - ```\n", "\\", "![a](files/\\", "<!--", "![`](files/x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, path := range Links(text) {
			if !strings.HasPrefix(path, "files/") {
				t.Errorf("%q", path)
			}
		}
	})
}

// A text of nothing but beginnings costs no more than its length.
func TestLinksOfMuch(t *testing.T) {
	for _, piece := range []string{"![", "`", "`` ", "![a](", "![a](files/x", "<!--", "[![](", "> ", "- ", "- > ", ">\t", "<a ", "<a b=\"", "<div>\n"} {
		Links(strings.Repeat(piece, 200_000) + "![a](files/x)")
	}
}
