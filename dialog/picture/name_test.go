package picture

import (
	"strings"
	"testing"
	"unicode/utf8"

	"vibey/dialog"
)

// Whatever a name is, what is made of it is plain, short, whole characters, and stays as it is.
func FuzzPlainName(f *testing.F) {
	for _, name := range []string{"", "a.png", "../x", ".a", "a\\b", "ä\u202e.gif", strings.Repeat("é", 99), strings.Repeat("a. ", 60), "a." + strings.Repeat("-", 120), "\xff.png", "e\u0301.png", strings.Repeat("x", 90) + " .jpeg "} {
		f.Add(name)
	}
	sha := dialog.SHA256("x")
	f.Fuzz(func(t *testing.T, name string) {
		plain := PlainName(name)
		if plain == "" {
			return
		}
		for n := range 12 {
			numbered := Numbered(plain, n+1)
			if len(numbered) > nameMax || !utf8.ValidString(numbered) || PlainName(numbered) != numbered {
				t.Fatalf("%q: %q, then %q", name, numbered, PlainName(numbered))
			}
			if strings.ContainsAny(numbered, "/\\\x00\n\u202e\u2066\u200f") || strings.HasPrefix(numbered, ".") {
				t.Fatalf("%q: %q", name, numbered)
			}
			if file := FileName(sha, numbered); !ValidName(file) || !Fits(file, sha) || Fits(file, dialog.SHA256("y")) {
				t.Fatalf("%q is no name", file)
			}
		}
	})
}

func TestValidName(t *testing.T) {
	for _, name := range []string{"", "-", "0123456789abcdef", "0123456789abcdef-", "0123456789abcdef-.x", "0123456789ABCDEF-x", "0123456789abcde-x", "0123456789abcdefg-x", "0123456789abcdef-a/b", "0123456789abcdef-a ", "cat.png"} {
		if ValidName(name) {
			t.Errorf("%q is one", name)
		}
	}
}
