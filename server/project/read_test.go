package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
)

func TestOpenResponse(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	o, err := f.OpenResponse()
	must(t, err)
	a := section(dialog.Assistant, 2, "One moment")
	open := strings.TrimSuffix(string(dialog.AppendSection(nil, &a)), "\nəəə\n")
	_, err = o.Write([]byte(open))
	must(t, err)
	for _, q := range []*Project{p, again(t, p)} { // in this process and from another
		d, err := q.ReadDialog(f.ID())
		must(t, err)
		if d.Open != open || d.Status != dialog.Active || d.Filename != f.Filename() || d.Text != read(t, p.path(f.Filename())) {
			t.Errorf("read %+v", d)
		}
	}
	must(t, f.Append(a))
	for _, q := range []*Project{p, again(t, p)} { // appended, and still open for a moment
		d, err := q.ReadDialog(f.ID())
		must(t, err)
		if d.Open != "" {
			t.Errorf("what is in the file is told again: %q", d.Open)
		}
	}
	must(t, f.AppendResponse())
	must(t, f.AppendResponse())
	// One that is left unclosed by its turn is not lost when the next begins.
	o, err = f.OpenResponse()
	must(t, err)
	b := section(dialog.Assistant, 3, "never closed")
	_, err = o.Write(dialog.AppendSection(nil, &b))
	must(t, err)
	_, err = f.OpenResponse()
	must(t, err)
	must(t, f.AppendResponse())
	if i := f.Dialog().Find(dialog.Assistant, "id_3"); i < 0 || f.Dialog().Sections[i].Meta.Get("Stop") != "interrupted" {
		t.Error("the unclosed response is lost")
	}
	wholeFile(t, f)
}

// Viewers read while a turn streams and appends: what they see is always whole
// sections, a beginning of the final text, and never the same answer twice.
func TestReadWhileWriting(t *testing.T) {
	testenv.Slow(t)
	p := testProject(t)
	f := started(t, p)
	const rounds = 40
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for _, q := range []*Project{p, p, again(t, p)} {
		wg.Go(func() {
			seen := 0
			for {
				select {
				case <-stop:
					return
				default:
				}
				d, err := q.ReadDialog(f.ID())
				if err != nil {
					t.Error(err)
					return
				}
				v := dialog.Parse(d.Text)
				if q == p && len(v.Problems) > 0 {
					t.Errorf("half a section was read: %v", v.Problems)
				}
				if n := v.Count(dialog.Assistant); n < seen {
					t.Errorf("%d answers after %d", n, seen)
				} else {
					seen = n
				}
				if d.Open != "" && strings.Contains(d.Open, fmt.Sprintf("answer %d\n", seen-1)) {
					t.Errorf("answer %d is in the file and open", seen-1)
				}
				if _, err := q.Dialogs(); err != nil {
					t.Error(err)
				}
				if _, err := q.Files(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for n := range rounds {
		o, err := f.OpenResponse()
		must(t, err)
		a := section(dialog.Assistant, n+2, fmt.Sprintf("answer %d\n%s", n, strings.Repeat("text ", 2000)))
		for _, piece := range strings.SplitAfter(string(dialog.AppendSection(nil, &a)), "\n") {
			_, err := o.Write([]byte(piece))
			must(t, err)
		}
		must(t, f.Append(a))
		must(t, f.AppendResponse())
		must(t, f.SetStatus(statuses[n%2]))
	}
	close(stop)
	wg.Wait()
	wholeFile(t, f)
}

// Reading repairs, where it can; where it can't, it still reads.
func TestReadRepairs(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	killed(f)
	d, err := p.ReadDialog(f.ID())
	must(t, err)
	if d.Status != dialog.Waiting || !strings.HasSuffix(d.Filename, "-waiting.md") || !strings.Contains(d.Text, "> Status: waiting\n") {
		t.Errorf("read as %s from %s", d.Status, d.Filename)
	}
	text := read(t, p.path(d.Filename))
	before, err := os.Stat(p.path(d.Filename))
	must(t, err)
	if _, err := p.ReadDialog(f.ID()); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(p.path(d.Filename))
	must(t, err)
	if read(t, p.path(d.Filename)) != text || !before.ModTime().Equal(after.ModTime()) {
		t.Error("reading a whole dialog wrote to it")
	}
}

// A power cut may keep the new name of a file and lose the status that was written into its
// header before: the first touch writes it again, once, and where it can't the dialog is read.
func TestHeaderAfterACut(t *testing.T) {
	p := testProject(t)
	for _, st := range []dialog.Status{dialog.Waiting, dialog.Done} {
		f := started(t, p)
		must(t, f.SetStatus(st))
		must(t, f.Close())
		path := p.path(f.Filename())
		whole := read(t, path)
		cut := func() {
			write(t, path, strings.Replace(whole, "> Status: "+dialog.StatusWord(st), "> Status: active ", 1))
			if read(t, path) == whole {
				t.Fatal("the header is as it was: this test shows nothing")
			}
		}
		cut()
		d, err := p.ReadDialog(f.ID())
		must(t, err)
		if d.Status != st || d.Text != whole || read(t, path) != whole {
			t.Errorf("%s: read with the header of before the cut:\n%s", st, read(t, path))
		}
		cut()
		again, err := p.OpenDialog(f.ID())
		must(t, err)
		must(t, again.Append(section(dialog.Note, 2, "more")))
		wholeFile(t, again)
		must(t, again.Close())
		if text := read(t, path); !strings.HasPrefix(text, whole) {
			t.Errorf("%s: opened with the header of before the cut:\n%s", st, text)
		}
		cut()
		mended, err := p.Repair()
		must(t, err)
		if len(mended) != 1 || mended[0].Did == "" || mended[0].File != f.Filename() {
			t.Errorf("%s: repair says %+v", st, mended)
		}
		must(t, p.DeleteFile(f.Filename(), ""))
	}
}

// Many start dialogs of the same second and words, in two processes: all get one.
func TestNewDialogRace(t *testing.T) {
	p := testProject(t)
	var wg sync.WaitGroup
	var mu sync.Mutex
	ids := map[string]bool{}
	for _, q := range []*Project{p, again(t, p)} {
		for range 25 {
			wg.Go(func() {
				f, err := q.NewDialog("same", then, header(dialog.Active), []dialog.Section{section(dialog.User, 1, "x")})
				if err != nil {
					t.Error(err)
					return
				}
				defer f.Close()
				if err := f.Append(section(dialog.Assistant, 2, f.ID())); err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				if ids[f.ID()] {
					t.Errorf("%s was given twice", f.ID())
				}
				ids[f.ID()] = true
			})
		}
	}
	wg.Wait()
	infos, err := p.Dialogs()
	must(t, err)
	if len(infos) != 50 || len(ids) != 50 {
		t.Errorf("%d files, %d ids, want 50", len(infos), len(ids))
	}
	for _, i := range infos {
		if d := dialog.Parse(read(t, p.path(i.Filename))); d.Header.DialogID != i.ID || len(d.Sections) != 2 || d.Sections[1].Text() != i.ID {
			t.Errorf("%s holds another dialog: %+v", i.ID, d.Header)
		}
	}
}

// Where the append of a response fails, its text stays in the open file, and is
// in the dialog when that is opened next.
func TestOpenResponseOutlivesAFailedAppend(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	o, err := f.OpenResponse()
	must(t, err)
	a := section(dialog.Assistant, 2, "shown")
	_, err = o.Write(dialog.AppendSection(nil, &a))
	must(t, err)
	before := read(t, p.path(f.Filename()))
	f.fail = func(op string) error {
		if op == "sync" {
			return syscall.ENOSPC
		}
		return nil
	}
	if err := f.AppendResponse(a); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	if now := read(t, p.path(f.Filename())); now != before || f.Dialog().Find(dialog.Assistant, a.ID) >= 0 {
		t.Errorf("half of it is there: %q", now)
	}
	must(t, f.Close())
	f, err = p.OpenDialog(f.ID())
	must(t, err)
	defer f.Close()
	if i := f.Dialog().Find(dialog.Assistant, a.ID); i < 0 || f.Dialog().Sections[i].Text() != "shown" || f.Dialog().Sections[i].Meta.Get("Stop") != "interrupted" {
		t.Errorf("it is lost: %s", read(t, p.path(f.Filename())))
	}
	if _, err := p.dir.Lstat(dialog.OpenName(f.ID())); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the open file is still there: %v", err)
	}
}

// Whoever follows a dialog reads it again where anything of it changed, and only there.
func TestUnchanged(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	defer f.Close()
	q := again(t, p) // another process
	var last DialogText
	look := func(what string) {
		t.Helper()
		if q.Unchanged(last) {
			t.Errorf("%s: it is said to be unchanged", what)
		}
		var err error
		last, err = q.ReadDialog(f.ID())
		must(t, err)
		if !q.Unchanged(last) {
			t.Errorf("%s: it is said to have changed again", what)
		}
	}
	look("at first")
	o, err := f.OpenResponse()
	must(t, err)
	a := section(dialog.Assistant, 2, "a word")
	open := dialog.AppendSection(nil, &a)
	_, err = o.Write(open[:len(open)-len("\nəəə\n")])
	must(t, err)
	look("an open response")
	must(t, f.AppendResponse(a))
	look("its end")
	must(t, f.SetStatus(dialog.Waiting))
	look("a status")
	must(t, f.Close())
	must(t, p.DeleteFile(f.Filename(), ""))
	if q.Unchanged(last) {
		t.Error("a deleted dialog is said to be unchanged")
	}
}
