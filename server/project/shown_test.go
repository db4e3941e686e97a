package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
)

// shows holds the list, the dialog and the counts against each other, and returns the entry.
func shows(t *testing.T, p *Project, id string, st dialog.Status, needs dialog.Needs) DialogInfo {
	t.Helper()
	all, err := p.Dialogs()
	must(t, err)
	if len(all) != 1 {
		t.Fatalf("%d dialogs", len(all))
	}
	one, err := p.Dialog(id)
	must(t, err)
	text, err := p.ReadDialog(id)
	must(t, err)
	if all[0].Status != st || one.Status != st || text.Status != st || all[0].Needs != string(needs) || one.Needs != string(needs) {
		t.Errorf("listed as %s, needing %s; told as %s, needing %s; read as %s; want %s, needing %s",
			all[0].Status, all[0].Needs, one.Status, one.Needs, text.Status, st, needs)
	}
	if one.Filename != text.Filename || one.Other != text.Other || one.Other != all[0].Other {
		t.Errorf("told as %s beside %q, read as %s beside %q", one.Filename, one.Other, text.Filename, text.Other)
	}
	waiting, active, err := p.Needs()
	must(t, err)
	if (active == 1) != (st == dialog.Active) || (waiting == 1) != (needs == dialog.NeedsContinue) {
		t.Errorf("%d wait, %d are active", waiting, active)
	}
	return one
}

// A git checkout of an older commit brings back the file that a dialog had before its turn
// began. The turn ends without a name for its file, and nothing would ever wake the dialog.
func TestSecondFileIsTold(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	waiting, active := dialog.Filename(f.ID(), dialog.Waiting), f.Filename()
	write(t, p.path(waiting), "# Dialog\n> DialogId: "+f.ID()+"\n> Status: waiting\n")
	must(t, os.Chtimes(p.path(waiting), then, then))
	twice := func(at DialogInfo) {
		t.Helper()
		if at.Filename != active || at.Other != waiting || !strings.Contains(at.Words, "…-active.md, which is shown, and …-waiting.md") || !strings.Contains(at.Words, "vibey repair") || len(at.Words) > 200 {
			t.Errorf("%s beside %q: %s", at.Filename, at.Other, at.Words)
		}
	}
	twice(shows(t, p, f.ID(), dialog.Active, dialog.NeedsNone))
	must(t, os.Chtimes(p.path(waiting), then, then.AddDate(100, 0, 0))) // the turn that runs is shown, also here
	twice(shows(t, p, f.ID(), dialog.Active, dialog.NeedsNone))
	twice(shows(t, again(t, p), f.ID(), dialog.Active, dialog.NeedsNone))
	must(t, os.Chtimes(p.path(waiting), then, then))
	if err := f.SetStatus(dialog.Waiting); err == nil || !strings.Contains(err.Error(), waiting) || !strings.Contains(err.Error(), active) {
		t.Errorf("SetStatus: %v", err)
	}
	must(t, f.Close())
	twice(shows(t, p, f.ID(), dialog.Waiting, dialog.NeedsContinue))
	twice(shows(t, again(t, p), f.ID(), dialog.Waiting, dialog.NeedsContinue))
	must(t, os.Remove(p.path(waiting)))
	if at := shows(t, p, f.ID(), dialog.Waiting, dialog.NeedsContinue); at.Filename != waiting || at.Other != "" || strings.Contains(at.Words, "files") {
		t.Errorf("with one file: %s beside %q: %s", at.Filename, at.Other, at.Words)
	}
}

// An interrupted dialog waits, also where its file can't be renamed.
func TestInterruptedOnAReadOnlyDisk(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	id, active := f.ID(), f.Filename()
	shows(t, p, id, dialog.Active, dialog.NeedsNone)
	other := again(t, p) // another process, which knows that the first one writes
	shows(t, other, id, dialog.Active, dialog.NeedsNone)
	killed(f)
	dir := p.store.path
	if unix.Mount(dir, dir, "", unix.MS_BIND, "") != nil {
		testenv.Lacks(t, testenv.Root)
	}
	t.Cleanup(func() { must(t, unix.Unmount(dir, unix.MNT_DETACH)) })
	must(t, unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY, ""))
	q := again(t, p)
	if err := os.WriteFile(filepath.Join(dir, "x"), nil, 0o644); err == nil {
		t.Fatal("the disk can be written")
	}
	if at := shows(t, q, id, dialog.Waiting, dialog.NeedsContinue); at.Filename != active {
		t.Errorf("it is called %s", at.Filename)
	}
}

// A dialog of which nothing was acknowledged leaves nothing behind, and another file that
// has its name stays.
func TestDiscard(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	name := f.Filename()
	must(t, f.Discard())
	must(t, f.Discard())
	must(t, f.Close())
	if all, err := p.Dialogs(); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
	f = started(t, p)
	if f.Filename() != name {
		t.Fatalf("its name is still taken: %s", f.Filename())
	}
	must(t, os.Remove(p.path(name)))
	write(t, p.path(name), "another")
	must(t, f.Discard())
	if got := read(t, p.path(name)); got != "another" {
		t.Errorf("%q", got)
	}
}
