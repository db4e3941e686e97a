package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// What ran tried must be released above its result, by the effect that its Note has.
func TestCheckTried(t *testing.T) {
	for _, c := range []struct{ file, old, new, want string }{
		{"tried", "", "", ""},
		{"tried-result", "", "", ""},
		{"tried-no-change", "", "", ""},
		{"tried-denied-result", "", "", ""},
		{"tried-result", " effect:", " target:", "grant mac"}, // an approval of the input alone, which no human gave
		{"tried-result", "try run_command", "ask run_command", "mac"},
		{"tried-no-change", "try run_command", "ask run_command", "grant mac"},
		{"tried-stale-effect", "", "", "hash"},
		{"tried-result", `"path":"deed/a","kind"`, `"path":"deed/c","kind"`, "grant hash"},
	} {
		ar, err := txtar.ParseFile(filepath.Join("..", "..", "dialog", "testdata", c.file+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Replace(string(ar.Files[0].Data), c.old, c.new, 1)
		var got []string
		for _, f := range findings(text, "dialog-20260216-201100-read-vibey-waiting.md", []byte("the key of the corpus")) {
			if _, rule, _ := strings.Cut(f, ": "); strings.Contains("grant mac hash control id", rule) {
				got = append(got, rule)
			}
		}
		for _, rule := range strings.Fields("grant mac hash control id") {
			if has := strings.Contains(strings.Join(got, " "), rule); has != strings.Contains(c.want, rule) {
				t.Errorf("%s with %q: %v, want %q", c.file, c.new, got, c.want)
				break
			}
		}
	}
}
