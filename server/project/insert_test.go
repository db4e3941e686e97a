package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"vibey/dialog"
)

// titled inserts a title into a dialog.
func titled(p *Project, id, title string) error {
	return p.Insert(id, func(taken func(string) bool) (dialog.Section, bool) { return dialog.Retitled(title, then, taken), true })
}

// Sections that are inserted while a turn appends its own are all kept, each once and
// whole, and the turn's value is that of its file in the end.
func TestInsertIntoARunningDialog(t *testing.T) {
	p := quickProject(t)
	f := started(t, p)
	const each = 50
	var all sync.WaitGroup
	for i := range 3 {
		all.Go(func() {
			for n := range each {
				if err := titled(p, f.ID(), fmt.Sprintf("title %d.%d", i, n)); err != nil {
					t.Error(err)
				}
				if _, err := p.Dialog(f.ID()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	notes := 0
	for n := range each {
		note := section(dialog.Note, n, "a note of the turn")
		note.ID = f.Dialog().NextID(dialog.Note, then, 0)
		must(t, f.Append(note))
		if n%10 == 0 {
			o, err := f.OpenResponse()
			must(t, err)
			s := section(dialog.Assistant, 1000+n, "an answer")
			_, err = o.Write(dialog.AppendSection(nil, &s))
			must(t, err)
			must(t, f.AppendResponse(s))
		}
		notes++
	}
	all.Wait()
	must(t, f.SetStatus(dialog.Waiting))
	text := read(t, p.path(f.Filename()))
	d := dialog.Parse(text)
	if len(d.Problems) > 0 || dialog.Format(d) != text || f.Size() != int64(len(text)) {
		t.Errorf("problems %v, size %d of %d", d.Problems, f.Size(), len(text))
	}
	ids, titles := map[string]bool{}, 0
	for i := range d.Sections {
		s, held := &d.Sections[i], &f.Dialog().Sections[i]
		if ids[s.ID] || s.ID != held.ID || s.Text() != held.Text() || !slices.Equal(s.Meta, held.Meta) {
			t.Fatalf("section %d: %s %q and %s %q", i, s.ID, s.Text(), held.ID, held.Text())
		}
		ids[s.ID] = true
		if s.Kind() == dialog.TitleNote {
			titles++
		}
	}
	if titles != 3*each || len(d.Sections) != len(f.Dialog().Sections) {
		t.Errorf("%d titles, %d sections of %d", titles, len(d.Sections), len(f.Dialog().Sections))
	}
}

// What was inserted is listed at once, without the file being read, and is not in the
// turn's value before the turn's next append.
func TestInsertIsListedAtOnce(t *testing.T) {
	p := testProject(t)
	reads := counted(p)
	f := started(t, p)
	before := f.Size()
	must(t, titled(p, f.ID(), "The Bridge"))
	must(t, titled(p, f.ID(), "The Tower"))
	if f.Size() != before || len(f.Dialog().Sections) != 1 {
		t.Errorf("size %d, was %d, %d sections", f.Size(), before, len(f.Dialog().Sections))
	}
	info, err := p.Dialog(f.ID())
	must(t, err)
	if info.Title != "The Tower" || info.Status != dialog.Active || reads.Load() != 0 {
		t.Errorf("%+v, %d reads", *info.Summary, reads.Load())
	}
	must(t, f.Append(section(dialog.Assistant, 2, "the answer")))
	info, err = p.Dialog(f.ID())
	must(t, err)
	if got := f.Dialog(); info.Title != "The Tower" || info.Words != "the answer" || len(got.Sections) != 4 || got.Sections[3].Role != dialog.Assistant || reads.Load() != 0 {
		t.Errorf("%+v, %d sections, %d reads", *info.Summary, len(got.Sections), reads.Load())
	}
}

// An idle dialog gets the section by itself, in the line ends of its file; one that
// another process runs, or that is not there, gets none.
func TestInsertIntoAnIdleDialog(t *testing.T) {
	p := testProject(t)
	name := put(t, p, "idle", dialog.Done, 0, section(dialog.User, 1, "x"))
	crlf := strings.ReplaceAll(read(t, p.path(name)), "\n", "\r\n")
	write(t, p.path(name), crlf)
	must(t, titled(p, "20260216-201100-idle", "Named"))
	if got := read(t, p.path(name)); !strings.HasPrefix(got, crlf) || strings.Count(got, "\r\n") != strings.Count(got, "\n") || !strings.Contains(got, "\r\nNamed\r\n") {
		t.Errorf("%q", got)
	}
	f, err := p.OpenDialog("20260216-201100-idle") // it was let go
	must(t, err)
	if err := titled(again(t, p), f.ID(), "from another process"); !errors.Is(err, ErrBusy) {
		t.Errorf("another process: %v", err)
	}
	must(t, f.Close())
	if err := titled(p, "20260216-201100-none", "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no dialog: %v", err)
	}
}

// A file that another program saved under a turn is read by the turn first. A write
// that fails leaves nothing.
func TestInsertThatFails(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	full := errors.New("the disk is full")
	f.fail = func(op string) error {
		if op == "sync" {
			return full
		}
		return nil
	}
	before := read(t, p.path(f.Filename()))
	if err := titled(p, f.ID(), "x"); !errors.Is(err, full) || read(t, p.path(f.Filename())) != before {
		t.Errorf("a write that failed: %v", err)
	}
	f.fail = nil
	must(t, appendText(p.path(f.Filename()), "\n## Note\n\nby hand\n"))
	if err := titled(p, f.ID(), "x"); !errors.Is(err, ErrConflict) {
		t.Errorf("a file that was saved: %v", err)
	}
	must(t, f.Refresh())
	must(t, titled(p, f.ID(), "y"))
	must(t, f.Append(section(dialog.Assistant, 2, "z")))
	d := dialog.Parse(read(t, p.path(f.Filename())))
	if n := len(d.Sections); n != len(f.Dialog().Sections) || d.Sections[n-2].Text() != "y" || d.Sections[n-1].Text() != "z" {
		t.Errorf("%d sections", n)
	}
	must(t, os.Remove(p.path(f.Filename())))
	if err := titled(p, f.ID(), "x"); !errors.Is(err, ErrConflict) {
		t.Errorf("a file that is gone: %v", err)
	}
}
