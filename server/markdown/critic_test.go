package markdown

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The window reads the same marks: its tests have the same cases.
func TestMarksAsInTheWindow(t *testing.T) {
	b, err := os.ReadFile("../../client/test/critic.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Text  string
		Marks []string
	}
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		marks, _ := marksIn(c.Text)
		got := []string{}
		for _, m := range marks {
			from, to := m.inner()
			s := m.kind + ": " + c.Text[from:to]
			if m.then > 0 {
				from, to := m.now()
				s += ": " + c.Text[from:to]
			}
			got = append(got, s)
		}
		if !slices.Equal(got, c.Marks) {
			t.Errorf("%q:\n%q, not\n%q", c.Text, got, c.Marks)
		}
	}
}

func TestSuggestionsAreDrawn(t *testing.T) {
	r := New(nil)
	for _, c := range []struct {
		text, html string
		notes      []string
	}{
		{"no {++mark", "<p>no {++mark</p>\n", nil},
		{"a {++b++} {--c--} {~~d~>e~~}", "<p>a <ins>b</ins> <del>c</del> <del>d</del><ins>e</ins></p>\n", nil},
		{"a {==b==}{>>c & <d><<}.", "<p>a <mark>b</mark><sup class=\"comment\">a</sup>.</p>\n", []string{"c & <d>"}},
		{"{==*a* b\n\nc==}{>>d<<}", "<p><mark><em>a</em> b</mark></p>\n<p><mark>c</mark><sup class=\"comment\">a</sup></p>\n", []string{"d"}},
		{"- {==a\n- b==}{>>c<<}\n", "<ul>\n<li><mark>a</mark></li>\n<li><mark>b</mark><sup class=\"comment\">a</sup></li>\n</ul>\n", []string{"c"}},
		{"# {==A\n\nb==}{>>c<<}\n", "<h1><mark>A</mark></h1>\n<p><mark>b</mark><sup class=\"comment\">a</sup></p>\n", []string{"c"}},
		{"> {==a\r\n> b==}{>>c<<}\r\n", "<blockquote>\n<p><mark>a</mark>\n<mark>b</mark><sup class=\"comment\">a</sup></p>\n</blockquote>\n", []string{"c"}},
		{"{==a\n\n```\nb\n```\n\nc==}", "<p><mark>a</mark></p>\n<pre><code>b\n</code></pre>\n<p><mark>c</mark></p>\n", nil},
		{"`{++a++}` {++`b`++}", "<p><code>{++a++}</code> <ins><code>b</code></ins></p>\n", nil},
		{"**a {++b** c++}", "<p>**a <ins>b** c</ins></p>\n", nil},
		{"**nobo{>>c<<}dy** **{==nobody==}{>>d<<}** came", "<p><strong>nobo<sup class=\"comment\">a</sup>dy</strong> <strong><mark>nobody</mark><sup class=\"comment\">b</sup></strong> came</p>\n", []string{"c", "d"}},
		{"*a **no{++bo++}dy** {--*b* c--}* {~~d~>*e*~~}", "<p><em>a <strong>no<ins>bo</ins>dy</strong> <del><em>b</em> c</del></em> <del>d</del><ins><em>e</em></ins></p>\n", nil},
		{"*{==a *b==} [c* {++d*++}](e)*", "<p><em><mark>a *b</mark> <a href=\"e\">c* <ins>d*</ins></a></em></p>\n", nil},
		{"{++\n- a\n- b\n++}\n", "<ul>\n<li><ins>a</ins></li>\n<li><ins>b</ins></li>\n</ul>\n", nil},
		{"a \uFDD0b\uFDD1 {++c++}", "<p>a \uFFFDb\uFFFD <ins>c</ins></p>\n", nil},
	} {
		signed, notes := Suggestions(c.text, true)
		if html := r.HTML(signed); html != c.html || !slices.Equal(notes, c.notes) {
			t.Errorf("%q:\n%q%q, not\n%q%q", c.text, html, notes, c.html, c.notes)
		}
	}
	table, notes := Suggestions("| {==a | b |\n| - | - |\n| c | d==}{>>e \\| f<<} |\n", true)
	if html := r.HTML(table); strings.Count(html, "<mark>") != 4 || strings.Count(html, "<td>") != 2 || notes[0] != "e | f" {
		t.Errorf("%s%q", html, notes)
	}
	if signed, notes := Suggestions("a {==b==}{>>c<<} {++d++}", false); r.HTML(signed) != "<p>a b <ins>d</ins></p>\n" || notes != nil {
		t.Errorf("without comments: %s%q", r.HTML(signed), notes)
	}
	if signed, _ := Suggestions(strings.Repeat("[a](", 5000)+"{++b++}{>>c<<}", true); !strings.Contains(r.HTML(signed), "b[a]</pre>") {
		t.Error("a text beyond a limit has signs in it")
	}
}

// Of any text, the words outside of marks stay, and the page is one that a browser reads as it is written.
func TestSuggestionsKeepTheText(t *testing.T) {
	r := New(nil)
	bits := []string{"a", "b c", "\n", "\r\n", "\n\n", "{==", "==}", "{>>", "<<}", "{++", "++}", "{--", "--}", "{~~", "~>", "~~}", "`", "```\n", "- ", "| ", "\\", "*", "[x](y)", "é", "    ", "# ", "\uFDD0", "\uFDD6", "> "}
	rnd := rand.New(rand.NewPCG(1, 2))
	tag := regexp.MustCompile(`<(/?)(ins|del|mark)>`)
	for range 5000 {
		var b strings.Builder
		for range rnd.IntN(20) {
			b.WriteString(bits[rnd.IntN(len(bits))])
		}
		text := b.String()
		signed, _ := Suggestions(text, false)
		marks, _ := marksIn(text)
		// What is left without signs is the text without those of its marks.
		cut := make([]bool, len(text))
		for _, m := range marks {
			for i := m.from; i < m.to; i++ {
				from, to := m.inner()
				out := m.kind == "note" || i < from || i >= m.to-sign || m.then > 0 && i >= to && i < to+2
				cut[i] = cut[i] || out
			}
		}
		var want strings.Builder
		for i := range len(text) {
			if !cut[i] {
				want.WriteByte(text[i])
			}
		}
		if len(marks) > 0 {
			w := reserved.ReplaceAllString(want.String(), "\uFFFD")
			if got := Bare(signed); got != w {
				t.Fatalf("%q: %q, not %q", text, got, w)
			}
		}
		var open []string
		for _, m := range tag.FindAllStringSubmatch(r.HTML(signed), -1) {
			if m[1] == "" {
				open = append(open, m[2])
			} else if n := len(open) - 1; n < 0 || open[n] != m[2] {
				t.Fatalf("%q: %s", text, r.HTML(signed))
			} else {
				open = open[:n]
			}
		}
		if len(open) > 0 {
			t.Fatalf("%q: open: %v", text, open)
		}
	}
}
