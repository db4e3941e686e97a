package history

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"
	"time"

	"vibey/dialog"
)

func prefix(sections []dialog.Section) string {
	h := sha256.New()
	addPrefix(h, sections)
	return hex.EncodeToString(h.Sum(nil))
}

// The running hash is that of a fresh one at each step, also of another dialog, backwards, and
// where a section that was hashed becomes torn; and no section is hashed twice.
func TestPrefixes(t *testing.T) {
	now := time.Date(2026, 2, 16, 20, 11, 0, 0, time.UTC)
	d := dialog.Parse("# Dialog\n")
	var p Prefixes
	check := func(d *dialog.Dialog, n int) {
		t.Helper()
		if got, want := p.At(d, n), prefix(d.Sections[:n]); got != want {
			t.Errorf("at %d: %s, want %s", n, got, want)
		}
	}
	for i := range 20 {
		role := []dialog.Role{dialog.User, dialog.Assistant, dialog.Note, dialog.ToolResult}[i%4]
		d.Append(dialog.Section{Role: role, ID: fmt.Sprint("s", i), Time: dialog.Span(now, now), Payloads: []dialog.Payload{{Type: dialog.OutputMarkdown, Text: fmt.Sprint("text ", i)}}})
		more := []dialog.Section{{Role: dialog.User, ID: "more", Payloads: []dialog.Payload{{Type: dialog.InputMarkdown, Text: "x"}}}}
		want := prefix(append(append([]dialog.Section{}, d.Sections...), more...))
		if got := p.With(d, more); got != want {
			t.Errorf("with one more than %d: %s, want %s", i, got, want)
		}
		if i%3 == 0 {
			check(d, len(d.Sections)-1)
			check(d, len(d.Sections))
			if p.seen != len(d.Sections) {
				t.Errorf("%d of %d are hashed", p.seen, len(d.Sections))
			}
			h := p.h
			if check(d, len(d.Sections)); p.h != h {
				t.Error("it is hashed anew")
			}
		}
	}
	check(d, 3)
	other := dialog.Parse("# Dialog\n")
	check(other, 0)
	check(d, len(d.Sections))
}
