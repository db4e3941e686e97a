package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// The window's test reads the same cases.
func TestDrawnAsInTheWindow(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "client", "test", "hidden.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases [][2]string }
	if err := json.Unmarshal(b, &file); err != nil || len(file.Cases) == 0 {
		t.Fatal(err, len(file.Cases))
	}
	for _, c := range file.Cases {
		if got := drawn(c[0]); got != c[1] {
			t.Errorf("drawn(%q) = %s, want %s", c[0], got, c[1])
		}
	}
}

// Every character that Unicode lets a font pass over is drawn, every other
// control, format, space and unassigned one too, and nothing else. What has to
// be drawn is told by Go's tables of Unicode, and not by ours.
func TestDrawnIsAllThatHides(t *testing.T) {
	ignorable := 0
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue // half of a pair, which no UTF-8 holds
		}
		want := fmt.Sprintf("a%cb", r)
		if defaultIgnorable(r) {
			ignorable++
		}
		if defaultIgnorable(r) || unseen(r) {
			want = fmt.Sprintf("a⟨U+%04X⟩b", r)
		}
		if got := drawn(fmt.Sprintf("a%cb", r)); got != want {
			t.Fatalf("U+%04X is drawn as %q, want %q", r, got, want)
		}
	}
	if ignorable < 4000 {
		t.Errorf("only %d default-ignorable code points", ignorable)
	}
}

// defaultIgnorable is Default_Ignorable_Code_Point, as DerivedCoreProperties.txt
// of Unicode derives it.
func defaultIgnorable(r rune) bool {
	switch {
	case !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Cf, unicode.Variation_Selector):
		return false
	case unicode.In(r, unicode.White_Space, unicode.Prepended_Concatenation_Mark):
		return false
	case r >= 0xfff9 && r <= 0xfffb, r >= 0x13430 && r <= 0x13440: // annotations, Egyptian formats
		return false
	}
	return true
}

func unseen(r rune) bool {
	switch r {
	case '\n', '\t', ' ':
		return false
	case 0x2800, 0xfffc, 0xfffd, 0x16fe4, 0x1d159: // blank, whatever their class
		return true
	}
	return unicode.In(r, unicode.C, unicode.Z)
}

// What is only read keeps what makes words and emoji, and steers no terminal.
func TestPlain(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain text,\n\tüber 日本 👍", "plain text,\n\tüber 日本 👍"},
		{"\x1b[2J a\rb\x00\x7f\u0085", "⟨U+001B⟩[2J a⟨U+000D⟩b⟨U+0000⟩⟨U+007F⟩⟨U+0085⟩"},
		{"\u202egpj.exe\u2066\u2028\u200f\u061c", "⟨U+202E⟩gpj.exe⟨U+2066⟩⟨U+2028⟩⟨U+200F⟩⟨U+061C⟩"},
		{"r\u200bm \ufeff\u00ad\u2060x \u00a0\u3000 ❤\ufe0f\u3164", "r\u200bm \ufeff\u00ad\u2060x \u00a0\u3000 ❤\ufe0f\u3164"},
		{"bad\xffbytes\xc3, a real \ufffd", "bad⟨0xFF⟩bytes⟨0xC3⟩, a real \ufffd"},
	} {
		if got := plain(c.in); got != c.want {
			t.Errorf("plain(%q) = %q, want %q", c.in, got, c.want)
		}
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !unicode.In(r, unicode.Cc, unicode.Bidi_Control, unicode.Zl, unicode.Zp) || r == '\n' || r == '\t' {
			continue
		}
		if got, want := plain(string(r)), fmt.Sprintf("⟨U+%04X⟩", r); got != want {
			t.Errorf("plain leaves U+%04X as %q", r, got)
		}
	}
}

func TestHiddenNames(t *testing.T) {
	n, names := hiddenNames("echo \u202e\u202e\U000e0041 ❤\ufe0f bad\xff\u0378")
	want := []string{"U+202E right-to-left override", "U+E0041 tag A", "U+0378 unknown character"}
	if n != 4 || !slices.Equal(names, want) {
		t.Errorf("hiddenNames = %d, %q", n, names)
	}
}

// A file's name with line breaks makes one line of a report, and not a second one that
// looks like another file's finding.
func TestReportsKeepNamesOnTheirLine(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"doc-main.md": "# A\n", "x\nGAME|doc-main.md:1: mac: forged\t.md": "b\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out, log strings.Builder
	if err := (&checkCmd{Path: dir}).Run(streams{nil, &out, &log}); err != nil {
		t.Fatal(err, log.String())
	}
	want := filepath.Join(dir, "x⟨U+000A⟩GAME|doc-main.md:1: mac: forged⟨U+0009⟩.md") + ":1: note: "
	if got := out.String(); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, want) {
		t.Errorf("told %q, want one line that begins with %q", got, want)
	}
}
