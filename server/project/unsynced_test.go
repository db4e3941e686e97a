package project

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"vibey/dialog"

	"golang.org/x/sys/unix"
)

// asked writes a response with a call to a dialog, of which a piece was shown, without
// its sync.
func asked(t *testing.T, f *DialogFile) {
	t.Helper()
	o, err := f.OpenResponse()
	must(t, err)
	s := section(dialog.Assistant, 2, "I will look.")
	_, err = o.Write(section2bytes(s))
	must(t, err)
	must(t, f.WriteResponse(s, section(dialog.ToolRequest, 3, `{"command":"ls"}`)))
	if !f.Unsynced() {
		t.Fatal("a response without a sync counts as synced")
	}
	wholeFile(t, f)
}

func isOpen(t *testing.T, f *DialogFile) bool {
	t.Helper()
	_, err := os.Lstat(f.p.path(dialog.OpenName(f.id)))
	return err == nil
}

// A response that waits for the sync of what follows: whatever makes it, one sync covers
// both, and until then the open response stays.
func TestResponseIsSyncedByWhatFollows(t *testing.T) {
	for name, next := range map[string]func(f *DialogFile) error{
		"append": func(f *DialogFile) error { return f.Append(section(dialog.Note, 4, "started")) },
		"insert": func(f *DialogFile) error {
			return f.p.Insert(f.id, func(func(string) bool) (dialog.Section, bool) { return section(dialog.Note, 4, "mail"), true })
		},
		"status": func(f *DialogFile) error { return f.SetStatus(dialog.Waiting) },
		"same":   func(f *DialogFile) error { return f.SetStatus(dialog.Active) },
		"sync":   func(f *DialogFile) error { return f.Sync() },
		"close":  func(f *DialogFile) error { return f.Close() },
	} {
		p := testProject(t)
		f := started(t, p)
		syncs := 0
		f.fail = func(op string) error {
			if op == "sync" {
				syncs++
			}
			return nil
		}
		asked(t, f)
		if syncs != 0 || !isOpen(t, f) {
			t.Errorf("%s: %d syncs, open response there: %v, want 0, true", name, syncs, isOpen(t, f))
		}
		must(t, next(f))
		if syncs != 1 || f.Unsynced() || isOpen(t, f) {
			t.Errorf("%s: %d syncs, unsynced %v, open response there: %v, want 1, false, false", name, syncs, f.Unsynced(), isOpen(t, f))
		}
	}
}

// The sync fails: neither the response nor what followed is in the file or the value, and
// what was shown of the response is there when the dialog is opened next.
func TestResponseSyncFails(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	before := read(t, p.path(f.Filename()))
	asked(t, f)
	f.fail = failing("sync")
	if err := f.Append(section(dialog.Note, 4, "started")); !errors.Is(err, unix.EIO) {
		t.Fatalf("Append: %v", err)
	}
	if got := read(t, p.path(f.Filename())); got != before {
		t.Errorf("what was not synced stayed in the file:\n%s", got)
	}
	f.fail = nil
	wholeFile(t, f)
	must(t, f.Append(section(dialog.Note, 5, "kept")))
	wholeFile(t, f)
	must(t, f.Close())
	again, err := p.OpenDialog(f.id)
	must(t, err)
	defer again.Close()
	if text := read(t, p.path(again.Filename())); !strings.Contains(text, "I will look.") || strings.Contains(text, "started") || !strings.Contains(text, "kept") {
		t.Errorf("want what was shown, and what was kept:\n%s", text)
	}
}

// failing returns a hook that fails some steps of a write as a broken disk does.
func failing(steps ...string) func(op string) error {
	return func(op string) error {
		if slices.Contains(steps, op) {
			return unix.EIO
		}
		return nil
	}
}

// A disk that breaks: what it may not have, and what can't be cut off any more, is neither
// taken for the dialog's text nor shown, whoever asks, and after its turn has ended too.
// Where the disk comes back it is cut off.
func TestUnsureIsNotShown(t *testing.T) {
	for name, lose := range map[string]func(f *DialogFile) error{
		"append":   func(f *DialogFile) error { return f.Append(section(dialog.Note, 4, "lost")) },
		"response": func(f *DialogFile) error { return f.AppendResponse(section(dialog.Assistant, 4, "lost")) },
		"unsynced": func(f *DialogFile) error {
			must(t, f.WriteResponse(section(dialog.Assistant, 4, "lost")))
			return f.Sync()
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := testProject(t)
			f := started(t, p)
			before := read(t, p.path(f.Filename()))
			f.fail = failing("sync", "cut")
			if err := lose(f); !errors.Is(err, unix.EIO) {
				t.Fatalf("it was written: %v", err)
			}
			if !strings.Contains(read(t, p.path(f.Filename())), "lost") {
				t.Fatal("it was cut off: this test shows nothing")
			}
			for what, ask := range map[string]func() error{
				"Refresh":   f.Refresh,
				"Append":    func() error { return f.Append(section(dialog.Note, 5, "more")) },
				"SetStatus": func() error { return f.SetStatus(dialog.Waiting) },
				"a reader":  func() error { _, err := p.ReadDialog(f.ID()); return err },
				"Insert": func() error {
					return p.Insert(f.ID(), func(func(string) bool) (dialog.Section, bool) { return section(dialog.Note, 6, "mail"), true })
				},
			} {
				if err := ask(); !errors.Is(err, unix.EIO) {
					t.Errorf("%s, on a file of which nothing is sure: %v", what, err)
				}
			}
			if err := f.Close(); !errors.Is(err, unix.EIO) {
				t.Errorf("closed: %v", err)
			}
			shown, _, err := p.readBetween(f.ID(), nil) // before a repair, which fails on such a disk
			must(t, err)
			at, err := p.find(f.ID())
			must(t, err)
			text, _, err := p.readListed(&listed{found: at, id: f.ID()})
			if err != nil || shown.Text != before || text != before {
				t.Errorf("it is closed, and shown as\n%s\nlisted as\n%s", shown.Text, text)
			}
			if file, err := p.ReadFile(at.name); err != nil || file.Content != before {
				t.Errorf("the file is shown as\n%s\n%v", file.Content, err)
			}
			if hits, _, err := p.Search(t.Context(), Query{Text: "lost", Dialogs: true, Most: 9}); err != nil || len(hits) > 0 {
				t.Errorf("found: %+v, %v", hits, err)
			}
			if copied := zipped(t, p, ScopeDialogs)[at.name]; copied != before {
				t.Errorf("the snapshot has\n%s", copied)
			}
			f, err = p.OpenDialog(f.ID())
			must(t, err)
			defer f.Close()
			must(t, f.Append(section(dialog.Note, 7, "kept")))
			wholeFile(t, f)
			if text := read(t, p.path(f.Filename())); strings.Contains(text, "lost") || !strings.HasPrefix(text, strings.Replace(before, "active ", "waiting", 1)) || !strings.Contains(text, "kept") {
				t.Errorf("the disk came back, and the file is\n%s", text)
			}
		})
	}
}

// An editor replaces the file before the sync: nothing of it is cut off when a sync
// fails afterwards.
func TestEditedBeforeTheSync(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	asked(t, f)
	path := p.path(f.Filename())
	edited := read(t, path) + string(section2bytes(section(dialog.Note, 9, "by hand")))
	must(t, os.Remove(path))
	write(t, path, edited)
	must(t, f.Refresh())
	if f.Unsynced() {
		t.Error("the file that replaced ours was not synced")
	}
	f.fail = func(op string) error {
		if op == "sync" {
			return unix.EIO
		}
		return nil
	}
	if err := f.Append(section(dialog.Note, 4, "started")); !errors.Is(err, unix.EIO) {
		t.Fatalf("Append: %v", err)
	}
	if got := read(t, path); got != edited {
		t.Errorf("the edited text is now\n%s", got)
	}
}

// A kill before the sync: the response stands in the file once.
func TestKilledBeforeTheSync(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	asked(t, f)
	killed(f)
	again, err := p.OpenDialog(f.id)
	must(t, err)
	defer again.Close()
	if n := strings.Count(read(t, p.path(again.Filename())), "I will look."); n != 1 || isOpen(t, again) {
		t.Errorf("the response stands there %d times, open response there: %v, want 1, false", n, isOpen(t, again))
	}
}

// Who reads the dialog in this process is shown nothing that a power cut may still take.
func TestReadBeforeTheSync(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	asked(t, f)
	defer f.Close()
	text, err := p.ReadDialog(f.id)
	must(t, err)
	if f.Unsynced() && strings.Contains(text.Text, "I will look.") {
		t.Error("a reader has the response as whole, and no sync covers it")
	}
}

// A reader that took a turn's DialogFile for the holder, and comes when it is closed, reads
// what is sure, and does not panic.
func TestReadWhileItCloses(t *testing.T) {
	for name, lose := range map[string]func(f *DialogFile) error{
		"unsure":   func(f *DialogFile) error { return f.Append(section(dialog.Note, 4, "lost")) },
		"unsynced": func(f *DialogFile) error { return f.WriteResponse(section(dialog.Assistant, 4, "lost")) },
	} {
		p := testProject(t)
		f := started(t, p)
		before := read(t, p.path(f.Filename()))
		f.fail = failing("sync", "cut")
		lose(f)
		if err := f.Close(); !errors.Is(err, unix.EIO) {
			t.Fatalf("%s: closed: %v", name, err)
		}
		shown, _, err := p.readBetween(f.ID(), f)
		if err != nil || shown.Text != before {
			t.Errorf("%s: %v, and shown as\n%s", name, err, shown.Text)
		}
		if err := f.Sync(); err == nil {
			t.Errorf("%s: a closed dialog was synced", name)
		}
	}
}
