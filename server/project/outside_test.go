package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
)

// Two servers on one root: the one that does not run a dialog reads and lists
// it, and lets it be; what one leaves, the other takes up with all that is in it.
func TestTwoServers(t *testing.T) {
	p := testProject(t)
	q := again(t, p)
	f := started(t, p)
	id := f.ID()
	for n := range 10 {
		must(t, f.Append(section(dialog.Assistant, n+2, "by the first")))
		got, err := q.ReadDialog(id)
		must(t, err)
		if got.Status != dialog.Active || got.Text != read(t, p.path(f.Filename())) {
			t.Fatalf("append %d: the other server reads it as %s:\n%s", n, got.Status, got.Text)
		}
		infos, err := q.Dialogs()
		must(t, err)
		if len(infos) != 1 || infos[0].Status != dialog.Active {
			t.Fatalf("append %d: the other server lists %+v", n, infos)
		}
	}
	if _, err := q.OpenDialog(id); !errors.Is(err, ErrBusy) {
		t.Fatalf("the other server opened what runs: %v", err)
	}
	wholeFile(t, f)
	must(t, f.SetStatus(dialog.Waiting))
	must(t, f.Close())

	// The second one takes it up, and dies with it in its hands.
	g, err := q.OpenDialog(id)
	must(t, err)
	must(t, g.SetStatus(dialog.Active))
	must(t, g.Append(section(dialog.User, 90, "by the second")))
	killed(g)
	infos, err := p.Dialogs()
	must(t, err)
	if len(infos) != 1 || infos[0].Status != dialog.Waiting || infos[0].Needs != string(dialog.NeedsContinue) {
		t.Errorf("after the other server's death: %+v", infos)
	}
	f, err = p.OpenDialog(id)
	must(t, err)
	defer f.Close()
	if n := len(f.Dialog().Sections); n != 12 || f.Dialog().Sections[n-1].Text() != "by the second" {
		t.Errorf("%d sections, want 12 with the other server's last", n)
	}
}

// An editor that saves by renaming: whoever writes with what he had read before
// is told, and both texts are there.
func TestDocSavedByRename(t *testing.T) {
	p := testProject(t)
	was, err := p.WriteFile("doc-n.md", "as it was\n", "")
	must(t, err)
	write(t, p.path("doc-n.md~"), "by an editor\n")
	must(t, os.Rename(p.path("doc-n.md~"), p.path("doc-n.md")))
	_, err = p.WriteFile("doc-n.md", "by the window\n", was.ETag)
	var conflict *ConflictError
	if !errors.As(err, &conflict) || conflict.Current.Content != "by an editor\n" {
		t.Fatalf("a save over the editor's: %v", err)
	}
	now, err := p.WriteFile("doc-n.md", "both\n", conflict.Current.ETag)
	must(t, err)
	if got := read(t, p.path("doc-n.md")); got != "both\n" || now.ETag == was.ETag {
		t.Errorf("after the second save: %q", got)
	}
}

// git puts older files in place of those of a dialog that runs, one that waits
// and a doc. The one that runs keeps its text beside; the others are git's.
func TestGitCheckoutUnderneath(t *testing.T) {
	p := testProject(t)
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = p.path("")
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=x", "GIT_AUTHOR_EMAIL=x", "GIT_COMMITTER_NAME=x", "GIT_COMMITTER_EMAIL=x"}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	waits, err := p.NewDialog("waits", then, header(dialog.Waiting), []dialog.Section{section(dialog.User, 1, "old")})
	must(t, err)
	must(t, waits.Close())
	f := started(t, p)
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "first")
	must(t, f.Append(section(dialog.Assistant, 2, "new answer")))
	_, err = p.WriteFile("doc-main.md", "new doc\n", "")
	must(t, err)
	ours := read(t, p.path(f.Filename()))
	git("add", ".")
	git("commit", "-q", "-m", "second")
	git("checkout", "-q", "HEAD~1")

	err = f.Append(section(dialog.Note, 3, "next"))
	note := section(dialog.Note, 3, "next")
	kept(t, p, err, ours+string(section2bytes(note)))
	must(t, f.Append(section(dialog.Note, 4, "goes on"))) // in git's text
	if text := read(t, p.path(f.Filename())); strings.Contains(text, "new answer") || !strings.Contains(text, "goes on") {
		t.Errorf("the running dialog's file:\n%s", text)
	}
	if got := read(t, p.path("doc-main.md")); strings.Contains(got, "new doc") {
		t.Errorf("the doc is %q", got)
	}
	got, err := p.ReadDialog(waits.ID())
	must(t, err)
	if got.Status != dialog.Waiting || !strings.Contains(got.Text, "old") {
		t.Errorf("the waiting dialog is %s:\n%s", got.Status, got.Text)
	}
}

// 40,000 files that came while no server ran are simply there, and none of
// them is harmed or mistaken for another.
func TestManyFilesWhileStopped(t *testing.T) {
	testenv.Slow(t)
	p := quickProject(t)
	const many = 20_000
	waiting := 0
	for i := range many {
		write(t, p.path(fmt.Sprintf("doc-n%05d.md", i)), "x\n")
		st := dialog.Done
		switch {
		case i%100 == 0:
			st = dialog.Waiting
			waiting++
		case i == 1:
			st = dialog.Active // by a server that was killed
		}
		id := fmt.Sprintf("20260216-201100-many-%05d", i)
		text := strings.Replace(textOf(id, life()[:1]), dialog.StatusWord(dialog.Active), dialog.StatusWord(st), 1)
		write(t, p.path(dialog.Filename(id, st)), text)
	}
	q := again(t, p)
	files, err := q.Files()
	must(t, err)
	if len(files) != 2*many+1 {
		t.Errorf("%d files, want %d", len(files), 2*many+1)
	}
	infos, err := q.Dialogs()
	must(t, err)
	if len(infos) != many {
		t.Fatalf("%d dialogs, want %d", len(infos), many)
	}
	count := map[dialog.Status]int{}
	for _, i := range infos {
		count[i.Status]++
	}
	if count[dialog.Waiting] != waiting+1 || count[dialog.Active] != 0 {
		t.Errorf("%v, want %d waiting", count, waiting+1)
	}
	f, err := q.NewDialog("many 00007", then, header(dialog.Waiting), nil)
	must(t, err)
	defer f.Close()
	if f.ID() != "20260216-201100-many-00007-2" {
		t.Errorf("a new dialog beside them is %s", f.ID())
	}
}

// A clock that goes back, stands still or was wrong for years: ids stay unique,
// what is repaired stays readable, and no change of a file goes unseen.
func TestClocksThatJump(t *testing.T) {
	p := testProject(t)
	var ids []string
	for _, now := range []time.Time{then, then, then.Add(-time.Hour), then, then.AddDate(70, 0, 0), then.AddDate(-40, 0, 0), then.Add(-time.Hour)} {
		f, err := p.NewDialog("clock", now, header(dialog.Active), []dialog.Section{section(dialog.User, 1, "x")})
		must(t, err)
		if slices.Contains(ids, f.ID()) {
			t.Errorf("%s is given twice", f.ID())
		}
		ids = append(ids, f.ID())
		killed(f)
	}
	// Killed again and again in the middle of an append, each time earlier.
	name := dialog.Filename(ids[0], dialog.Active)
	for n := range 5 {
		must(t, appendText(p.path(name), fmt.Sprintf("\n## Assistant\n> Id: msg_%d\n> Time: 2026", n)))
		p.store.o.Now = func() time.Time { return then.Add(-time.Duration(n) * time.Hour) }
		f, err := p.OpenDialog(ids[0])
		must(t, err)
		name = f.Filename()
		wholeTorn(t, f, n+1)
		must(t, f.Close())
	}
	// A disk whose time is far from ours, and does not move when a file changes.
	for _, at := range []time.Time{then.AddDate(70, 0, 0), then.AddDate(-40, 0, 0)} {
		for _, line := range []string{"aa", "bbb"} {
			write(t, p.path(name), textOf(ids[0], []dialog.Section{section(dialog.User, 1, line)}))
			must(t, os.Chtimes(p.path(name), at, at))
			infos, err := p.Dialogs()
			must(t, err)
			i := slices.IndexFunc(infos, func(i DialogInfo) bool { return i.ID == ids[0] })
			if i < 0 || infos[i].Words != line {
				t.Errorf("written at %v: the list says %+v, want %s", at, infos[max(i, 0)], line)
			}
		}
	}
}

func appendText(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// wholeTorn holds that a dialog has as many torn sections, each marked by a Note
// with an id of its own.
func wholeTorn(t *testing.T, f *DialogFile, want int) {
	t.Helper()
	torn, ids := 0, map[string]bool{}
	for _, s := range f.Dialog().Sections {
		if s.Torn {
			torn++
		}
		if s.Role == dialog.Note && ids[s.ID] {
			t.Errorf("two Notes have the id %s", s.ID)
		}
		ids[s.ID] = s.Role == dialog.Note
	}
	if torn != want {
		t.Errorf("%d torn sections, want %d", torn, want)
	}
	if _, err := os.Stat(f.p.path(dialog.OpenName(f.ID()))); !errors.Is(err, fs.ErrNotExist) {
		t.Error("there is an open response")
	}
}
