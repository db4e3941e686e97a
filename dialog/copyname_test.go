package dialog

import "testing"

// What programs that sync folders leave beside a file is no doc, and says of which file it
// is a copy. A human's own names are left alone.
func TestCopyOf(t *testing.T) {
	const of = "dialog-20260216-201100-page-waiting.md"
	for name, want := range map[string]string{
		of: "",
		"dialog-20260216-201100-page-waiting.sync-conflict-20260301-120000-ABCDEFG.md":           of,
		"dialog-20260216-201100-page-waiting (conflicted copy 2026-03-01).md":                    of,
		"dialog-20260216-201100-page-waiting (Ada's conflicted copy 2026-03-01).md":              of,
		"dialog-20260216-201100-page-waiting (In Konflikt stehende Kopie von Ada 2026-03-01).md": of,
		"dialog-20260216-201100-page-waiting (1).md":                                             of,
		"dialog-20260216-201100-page-waiting 2.md":                                               of,
		"dialog-20260216-201100-page-waiting copy.md":                                            of,
		"dialog-20260216-201100-page-waiting-LAPTOP.md":                                          of,
		"dialog-20260216-201100-page-waiting_conflict-20260301-120000.md":                        of,
		"Copy of dialog-20260216-201100-page-waiting.md":                                         of,
		"Kopie von dialog-20260216-201100-page-waiting (2).md":                                   of,
		"dialog-20260216-201100-is-waiting-for-x-done (1).md":                                    "dialog-20260216-201100-is-waiting-for-x-done.md",
		"doc-a.sync-conflict-20260301-120000-ABCDEFG.md":                                         "doc-a.md",
		"My notes (conflicted copy 2026-03-01).md":                                               "My notes.md",
		"doc-a.md": "", "doc-war_conflict-zones.md": "", "doc-conflict.md": "", "doc-sync-conflict-a.md": "", "My notes (2).md": "",
		"doc-dialog-20260216-201100-page-waiting-conflicted-copy.md": "", "dialog-of-mine.md": "", "dialog-20260216-201100-page-wating.md": "", "dialog-20260216-201100-page-waitingx.md": "",
		"dialog-20260216-201100-x.sync-conflict-1-waiting.md": "", "dialog-.md": "", "dialog-done.md": "", "": "", ".md": "",
		"doc-a.sync-conflict-20260301-120000-ABCDEFG.txt": "",
	} {
		got, ok := CopyOf(name)
		if got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v, want %q", name, got, ok, want)
		}
		if ListedFile(name) != (want == "" && ValidFile(name)) {
			t.Errorf("%s: listed %v", name, ListedFile(name))
		}
	}
}
