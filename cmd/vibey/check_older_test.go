package main

import (
	"bytes"
	"cmp"
	"strings"
	"testing"
	"time"

	"vibey/dialog"
	"vibey/dialog/grant"
)

// What older programs wrote by the rule of their day is no broken rule; a wrong sum is.
func TestCheckKnowsOlderSums(t *testing.T) {
	clean := cleanText(t)
	const told = "tools=0 ms=2000 cached=50"
	if !strings.Contains(clean, told) {
		t.Fatal("the clean dialog has no such sum")
	}
	// A response behind the calls: two asked for, two ran.
	last := "## Assistant\n> Id: msg_20260216_201300_a2\n> Time: 2026-02-16T20:13:00Z - 2026-02-16T20:13:00Z\n> Resources: in=0 out=0 total=0 tools=0 ms=0\n> Resources cumulative: SUM\n\nəəəoutput/markdown\nDone.\nəəə\n"
	d := dialog.Parse(clean)
	once, twice := d.Cumulative(), dialog.Resources{}
	for i := range d.Sections {
		twice = twice.Plus(d.Sections[i].Resources)
	}
	if once == twice {
		t.Fatal("the clean dialog does not tell the two rules apart")
	}
	wrong := twice
	wrong.Tools++
	today := func(text string) string { return strings.ReplaceAll(text, "2026-02-16T", "2026-12-16T") }
	older := strings.Replace(clean, told, strings.Replace(told, "tools=0", "tools=2", 1), 1)
	for _, c := range []struct{ name, text, want string }{
		{"the first response of an older program", older, "44: note"},
		{"the same, today", today(older), "44: note"},
		{"an older program throughout", older + "\n" + strings.Replace(last, "SUM", twice.String(), 1), "44: note, 149: note"},
		{"a newer one behind it", older + "\n" + strings.Replace(last, "SUM", once.String(), 1), "44: note"},
		{"the older one again", today(older + "\n" + strings.Replace(last, "SUM", once.String(), 1) + "\n" + strings.Replace(strings.Replace(last, "SUM", twice.String(), 1), "_a2", "_a3", 1)), "44: note, 159: note"},
		{"an older one behind a newer, by its time", clean + "\n" + strings.Replace(last, "SUM", twice.String(), 1), "149: note"},
		{"calls counted twice today", today(clean + "\n" + strings.Replace(last, "SUM", twice.String(), 1)), "149: resources"},
		{"a wrong sum of an older program", older + "\n" + strings.Replace(last, "SUM", wrong.String(), 1), "44: note, 149: resources"},
		{"another number is wrong too", strings.Replace(older, "in=100 out=20 total=120 tools=2 ms=2000", "in=101 out=20 total=120 tools=2 ms=2000", 1), "44: resources"},
	} {
		if got := strings.Join(findings(c.text, cleanName, nil), ", "); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// What was granted before a project was restored here bears no Mac of this place, and can't:
// that is a note. What was given since, and is not genuine, is a broken rule.
func TestCheckKnowsRestoredProjects(t *testing.T) {
	key := bytes.Repeat([]byte{7}, keySize)
	foreign := grant.Authority{Key: bytes.Repeat([]byte{8}, keySize), Project: "p", DialogID: "20260216-201100-clean"}
	d := dialog.Parse(cleanText(t))
	for i := range d.Sections {
		if s := &d.Sections[i]; s.Role == dialog.Authorization {
			foreign.Seal(s, "")
		}
	}
	text := dialog.Format(d)
	void := strings.Replace(text, grant.LastMac(d), "void", 1)
	before, behind := time.Date(2026, 2, 16, 20, 11, 30, 0, time.UTC), time.Date(2026, 2, 16, 21, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name, text string
		restored   time.Time
		want       string
	}{
		{"made here", text, time.Time{}, "79: mac, 104: grant, 139: grant"},
		{"restored behind it", text, behind, "79: note"},
		{"restored behind it under its own name", void, behind, "79: note"},
		{"restored before it", text, before, "79: mac, 104: grant, 139: grant"},
		{"without a Mac", cleanText(t), behind, "79: mac"},
		{"a call that nothing let run", strings.Replace(text, "allow edit_file\n", "", 1), behind, "79: note, 138: grant"},
	} {
		if got := strings.Join(findingsIn(c.text, cleanName, key, c.restored), ", "); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// So it is with what was granted before a dialog was forked. What ran in the fork itself needs
// a grant of its own.
func TestCheckKnowsForks(t *testing.T) {
	key := bytes.Repeat([]byte{7}, keySize)
	source := grant.Authority{Key: key, Project: "p", DialogID: "20260216-200000-source"}
	d := dialog.Parse(cleanText(t))
	first, last := "", ""
	for i := range d.Sections {
		switch s := &d.Sections[i]; s.Role {
		case dialog.Authorization:
			source.Seal(s, "")
		case dialog.ToolResult:
			first, last = cmp.Or(first, s.ID), s.ID
		}
	}
	for at, want := range map[string]string{last: "80: note", first: "80: note, 140: grant", "nothing": "80: mac, 105: grant, 140: grant"} {
		d.Header.Meta = dialog.Fields{{Key: "From", Value: source.DialogID + " at " + at}}
		if got := strings.Join(findings(dialog.Format(d), cleanName, key), ", "); got != want {
			t.Errorf("forked at %s:\n got %s\nwant %s", at, got, want)
		}
	}
}
