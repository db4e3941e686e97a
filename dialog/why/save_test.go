package why

import (
	"fmt"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/dialog/grant"
)

func TestSaves(t *testing.T) {
	a := worldAuthority
	at := func(n int) string { return fmt.Sprintf("2026-02-16T20:%02d:00Z", n) }
	sha := func(n int) string { return dialog.SHA256(fmt.Sprint(n)) }
	text := AddSave("", a, "doc-a.md", Save{at(1), at(1), "", sha(1)}, true)
	text = AddSave(text, a, "doc-a.md", Save{at(2), at(2), sha(1), sha(2)}, false)
	text = AddSave(text, a, "doc-a.md", Save{at(3), at(3), sha(2), sha(3)}, true)
	text = AddSave(text, a, "doc-a.md", Save{at(4), at(4), sha(9), sha(4)}, true) // something else wrote between
	want := []Save{{at(1), at(1), "", sha(1)}, {at(2), at(3), sha(1), sha(3)}, {at(4), at(4), sha(9), sha(4)}}
	if got := ParseSaves(text, a, "doc-a.md"); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := ParseSaves(text, grant.Authority{Project: "p"}, "doc-a.md"); len(got) != 3 {
		t.Errorf("without a key %v", got)
	}
	for name, other := range map[string]grant.Authority{"key": {Key: []byte("other"), Project: "p"}, "project": {Key: a.Key, Project: "q"}} {
		if got := ParseSaves(text, other, "doc-a.md"); got != nil {
			t.Errorf("with another %s %v", name, got)
		}
	}
	if got := ParseSaves(text, a, "doc-b.md"); got != nil {
		t.Errorf("of another doc %v", got)
	}
}

// A line that was written by another, altered or cut off says nothing, and what is added
// behind it does.
func TestForgedSaves(t *testing.T) {
	a := worldAuthority
	one := Save{"2026-02-16T20:00:00Z", "2026-02-16T20:00:00Z", "", dialog.SHA256("1")}
	good := AddSave("", a, "doc-a.md", one, false)
	for name, text := range map[string]string{
		"altered": strings.Replace(good, "20:00:00Z - ", "19:00:00Z - ", 1),
		"cut off": good[:len(good)-5],
		"by hand": one.line(grant.Authority{Key: []byte("mine"), Project: "p"}, "doc-a.md"),
		"no line": "a human wrote all of this\n",
		"more":    strings.TrimSuffix(good, "\n") + " \n",
	} {
		if got := ParseSaves(text, a, "doc-a.md"); got != nil {
			t.Errorf("%s: %v", name, got)
		}
		if got := ParseSaves(AddSave(text, a, "doc-a.md", one, true), a, "doc-a.md"); len(got) != 1 || got[0] != one {
			t.Errorf("behind one that is %s: %v", name, got)
		}
	}
}

func TestManySaves(t *testing.T) {
	a, text := worldAuthority, ""
	for i := range 3 * savesMost {
		at := fmt.Sprintf("2026-02-16T%02d:%02d:%02dZ", i/3600, i/60%60, i%60)
		before := dialog.SHA256(fmt.Sprint(i))
		if i%500 == 0 {
			before = dialog.SHA256("another's")
		}
		text = AddSave(text, a, "doc-a.md", Save{at, at, before, dialog.SHA256(fmt.Sprint(i + 1))}, false)
	}
	all := ParseSaves(text, a, "doc-a.md")
	if len(all) > savesMost || len(all) < savesMost/2 || all[0].Start != "2026-02-16T00:00:00Z" {
		t.Fatalf("%d saves, the first %v", len(all), all[0])
	}
	breaks := 0
	for i := range all[1:] {
		if all[i].After != all[i+1].Before {
			breaks++
		}
	}
	if breaks != 5 {
		t.Errorf("%d breaks", breaks)
	}
}
