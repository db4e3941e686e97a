package main

import (
	"testing"

	"vibey/dialog"
)

// A section that was written by hand, without an id, hides nothing of what was shown.
func TestLastID(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "",
		"\n## User\n\nby hand\n": "",
		"\n## User\n> Id: u1\n\ngo\n\n## Tool Request\n> Id: c1\n> Tool: run_command\n\n{}\n\n## Note\n\nby hand\n": "c1",
	} {
		if got := lastID(dialog.Parse("# Dialog\n" + text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
