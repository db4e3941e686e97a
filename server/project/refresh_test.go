package project

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
)

// A running dialog whose file somebody else touches between two appends. edit
// does it; what must hold after the next append follows.
func TestEditedWhileRunning(t *testing.T) {
	testenv.Slow(t)
	rename := func(t *testing.T, path, text string) { // as most editors save
		write(t, path+".swp", text)
		must(t, os.Rename(path+".swp", path))
	}
	cases := []struct {
		name string
		edit func(t *testing.T, path, text string)
		// whether the turn goes on, and what the file must hold then
		on   bool
		want string
	}{
		{"a section is appended by hand", func(t *testing.T, path, text string) { write(t, path, text+"\n## User\n\nby hand\n") }, true, "by hand"},
		{"text without a last line feed", func(t *testing.T, path, text string) { write(t, path, text+"\n## User\n\nno end") }, true, "no end"},
		{"an unclosed payload is appended", func(t *testing.T, path, text string) {
			write(t, path, text+"\n## Note\n> Id: n\n> Time: a - b\n> Resources: in=0 out=0 total=0 tools=0 ms=0\n\nəəənote/markdown\nhalf")
		}, true, "half"},
		{"an earlier message is corrected in place", func(t *testing.T, path, text string) {
			write(t, path, strings.Replace(text, "read vibey.md", "read vibey.txt please", 1))
		}, true, "vibey.txt"},
		{"an earlier message is corrected, as long as it was", func(t *testing.T, path, text string) {
			write(t, path, strings.Replace(text, "vibey.md", "vibey.MD", 1))
			must(t, os.Chtimes(path, then, then)) // some disks count time in steps of 4 ms
		}, true, "vibey.MD"},
		{"an earlier message is corrected by renaming", func(t *testing.T, path, text string) {
			rename(t, path, strings.Replace(text, "read vibey.md", "read it", 1))
		}, true, "read it"},
		{"saved without a change by renaming", func(t *testing.T, path, text string) { rename(t, path, text) }, true, ""},
		{"line ends changed throughout", func(t *testing.T, path, text string) { write(t, path, strings.ReplaceAll(text, "\n", "\r\n")) }, true, "\r\n"},
		{"the last line feed is cut", func(t *testing.T, path, text string) { write(t, path, strings.TrimSuffix(text, "\n")) }, true, ""},
		{"a human gives it another status", func(t *testing.T, path, text string) {
			must(t, os.Rename(path, strings.Replace(path, "-active", "-done", 1)))
		}, true, ""},
		{"an older version is saved in place", func(t *testing.T, path, text string) { write(t, path, text[:strings.Index(text, "\n## Assistant")]) }, false, ""},
		{"an older version is saved by renaming", func(t *testing.T, path, text string) {
			rename(t, path, text[:strings.Index(text, "\n## Assistant")])
		}, false, ""},
		{"our answer is edited", func(t *testing.T, path, text string) {
			write(t, path, strings.Replace(text, "I read it.", "I didn't.", 1))
		}, false, "I didn't."},
		{"emptied", func(t *testing.T, path, text string) { write(t, path, "") }, false, ""},
		{"another text altogether", func(t *testing.T, path, text string) { rename(t, path, "notes of mine\n") }, false, "notes of mine"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := testProject(t)
			f, err := p.NewDialog("edited", then, header(dialog.Waiting), []dialog.Section{section(dialog.User, 1, "Please read vibey.md.")})
			must(t, err)
			must(t, f.Close())
			f, err = p.OpenDialog(f.ID())
			must(t, err)
			defer f.Close()
			must(t, f.SetStatus(dialog.Active))
			must(t, f.Append(section(dialog.Assistant, 2, "I read it.")))
			before := f.Dialog()
			ours := read(t, p.path(f.Filename()))
			c.edit(t, p.path(f.Filename()), ours)
			theirs := read(t, p.path(nameOf(t, p, f.ID())))

			err = f.Append(section(dialog.Note, 3, "next"))
			if f.Dialog() == before {
				t.Error("the value was not read anew")
			}
			text := read(t, p.path(f.Filename()))
			if !strings.HasPrefix(text, theirs) {
				t.Errorf("their bytes were changed:\n%s", text)
			}
			if !strings.Contains(text, c.want) {
				t.Errorf("%q is not in the file", c.want)
			}
			if c.on {
				must(t, err)
				d := dialog.Parse(text)
				if i := len(d.Sections) - 1; d.Sections[i].Text() != "next" || d.Sections[i].Torn {
					t.Errorf("the append is read as %+v", d.Sections[i])
				}
				if d.Find(dialog.Assistant, "id_2") < 0 {
					t.Error("our answer is gone")
				}
			} else {
				kept(t, p, err, ours+string(section2bytes(section(dialog.Note, 3, "next"))))
			}
			must(t, f.Append(section(dialog.Note, 4, "later")))
			must(t, f.SetStatus(dialog.Waiting))
			if got := dialog.Parse(read(t, p.path(f.Filename()))); len(got.Sections) != len(f.Dialog().Sections) {
				t.Errorf("%d sections in the file, %d in memory", len(got.Sections), len(f.Dialog().Sections))
			}
		})
	}
}

func section2bytes(s dialog.Section) []byte { return dialog.AppendSection(nil, &s) }

func nameOf(t *testing.T, p *Project, id string) string {
	t.Helper()
	at, err := p.find(id)
	must(t, err)
	return at.name
}

// kept holds the text that a conflict put aside against what we had written.
func kept(t *testing.T, p *Project, err error, ours string) {
	t.Helper()
	var taken *OverwrittenError
	if !errors.As(err, &taken) || !errors.Is(err, ErrConflict) {
		t.Fatalf("Append: %v", err)
	}
	if want := "-2-waiting.md"; !strings.HasSuffix(taken.Kept, want) {
		t.Fatalf("kept as %q, want …%s", taken.Kept, want)
	}
	ours = strings.Replace(ours, "> Status: active ", "> Status: waiting", 1)
	ours = strings.Replace(ours, "> DialogId: "+taken.ID+"\n", "> DialogId: "+taken.ID+"-2\n", 1)
	if !strings.Contains(ours, "> DialogId: "+taken.ID+"-2\n") {
		t.Fatalf("the header names another dialog than %s:\n%s", taken.ID, ours)
	}
	if got := read(t, p.path(taken.Kept)); got != ours {
		t.Errorf("kept text:\n%s\nours:\n%s", got, ours)
	}
	id, _, _ := dialog.ParseName(taken.Kept)
	g, err := p.OpenDialog(id) // free, and can be gone on with
	must(t, err)
	g.Close()
}

func TestVanishedWhileRunning(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	must(t, f.Append(section(dialog.Assistant, 2, "I read it.")))
	ours := read(t, p.path(f.Filename()))
	must(t, os.Remove(p.path(f.Filename())))
	next := section(dialog.Note, 3, "next")
	err := f.Append(next)
	kept(t, p, err, ours+string(section2bytes(next)))
	var taken *OverwrittenError
	if errors.As(f.Append(next), &taken); taken == nil || !taken.Gone {
		t.Errorf("a second append: %v", taken)
	}
	if err := f.SetStatus(dialog.Waiting); !errors.Is(err, ErrConflict) {
		t.Errorf("SetStatus: %v", err)
	}
	must(t, f.Close())
}

// An editor that removes the file and writes it again.
func TestRemovedAndRewritten(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	must(t, f.Append(section(dialog.Assistant, 2, "I read it.")))
	path := p.path(f.Filename())
	text := read(t, path)
	must(t, os.Remove(path))
	f.fail = func(op string) error {
		if op == "vanished" { // while we look for it
			write(t, path, text+"\n## User\n\nmore\n")
		}
		return nil
	}
	must(t, f.Append(section(dialog.Note, 3, "next")))
	if got := read(t, path); !strings.Contains(got, "more") || !strings.Contains(got, "next") {
		t.Errorf("lost:\n%s", got)
	}
}

// An editor that empties the file and fills it again while we look: what is
// half written is nothing to go on with, even where we wrote nothing yet.
func TestEmptiedAndRewritten(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	must(t, f.SetStatus(dialog.Waiting))
	must(t, f.Close())
	f, err := p.OpenDialog(f.ID())
	must(t, err)
	defer f.Close()
	path := p.path(f.Filename())
	text := strings.Replace(read(t, path), "Please", "Kindly", 1)
	must(t, os.Truncate(path, 0))
	f.fail = func(op string) error {
		if op == "settling" {
			write(t, path, text)
			f.fail = nil
		}
		return nil
	}
	must(t, f.Append(section(dialog.Note, 3, "next")))
	if got := read(t, path); !strings.HasPrefix(got, text) || len(f.Dialog().Sections) != 2 {
		t.Errorf("went on in the middle of a save:\n%s", got)
	}
}

// A file that an editor put in the place of a dialog that is held is the holder's: the
// lock is the dialog's, and not the file's.
func TestReplacedIsHeld(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	path := p.path(f.Filename())
	ours := read(t, path)
	write(t, path+".swp", ours)
	must(t, os.Rename(path+".swp", path))
	if _, err := again(t, p).OpenDialog(f.ID()); !errors.Is(err, ErrBusy) {
		t.Errorf("another process has it too: %v", err)
	}
	next := section(dialog.Note, 3, "next")
	must(t, f.Append(next))
	if got := read(t, path); got != ours+string(section2bytes(next)) {
		t.Errorf("the editor's file has\n%s", got)
	}
}

func TestProjectDeletedWhileRunning(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	must(t, remove(p.store, "game"))
	if err := f.Append(section(dialog.Note, 2, "x")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Append: %v", err)
	}
	if err := f.SetStatus(dialog.Waiting); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("SetStatus: %v", err)
	}
	if _, err := f.OpenResponse(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("OpenResponse: %v", err)
	}
	must(t, f.Close())
	for _, err := range []error{
		func() error { _, err := p.NewDialog("x", then, header(dialog.Active), nil); return err }(),
		func() error { _, err := p.WriteFile("doc-x.md", "x", ""); return err }(),
		func() error { _, err := p.OpenDialog(f.ID()); return err }(),
	} {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("in a deleted project: %v", err)
		}
	}
}

// Somebody removes the whole folder with a running dialog in it.
func TestFolderRemovedWhileRunning(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	must(t, os.RemoveAll(p.path("")))
	err := f.Append(section(dialog.Note, 2, "x"))
	var taken *OverwrittenError
	if !errors.As(err, &taken) || !taken.Gone || taken.Kept != "" || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Append: %v", err)
	}
	must(t, f.Close())
}

// The append in whose middle another writes: its bytes stay, and both are read.
func TestAppendedByBoth(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	a, err := os.OpenFile(p.path(f.Filename()), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	defer a.Close()
	done := make(chan error)
	go func() {
		for range 50 {
			if _, err := a.WriteString("\n## Note\n\ntheirs\n"); err != nil {
				done <- err
				return
			}
		}
		close(done)
	}()
	for n := range 50 {
		must(t, f.Append(section(dialog.Assistant, n, "ours")))
	}
	must(t, <-done)
	text := read(t, p.path(f.Filename()))
	if a, b := strings.Count(text, "\ntheirs\n"), strings.Count(text, "\nours\n"); a != 50 || b != 50 {
		t.Errorf("%d of theirs, %d of ours, want 50 each", a, b)
	}
	must(t, f.Append(section(dialog.Note, 99, "end")))
	if got := len(dialog.Parse(read(t, p.path(f.Filename()))).Sections); got != 102 || len(f.Dialog().Sections) != got {
		t.Errorf("%d sections in the file, %d in memory, want 102", got, len(f.Dialog().Sections))
	}
}

// An editor that was opened before an approved call ran saves what it knows: an
// approval, and no word that the call ran. That the call ran, and its result,
// are written behind theirs, once; what they changed or removed is theirs.
func TestAStaleSaveDoesNotLetACallRunTwice(t *testing.T) {
	begun := func(id string) dialog.Section {
		s := section(dialog.Note, 5, id+" started.")
		s.ID, s.Meta = "note_"+id, dialog.Fields{{Key: "Kind", Value: "started"}, {Key: "Parent", Value: id}}
		return s
	}
	result := func(id string) dialog.Section {
		s := section(dialog.ToolResult, 6, `{"success":true}`)
		s.ID = id
		return s
	}
	ask := func(id, input string) dialog.Section {
		s := section(dialog.ToolRequest, 3, input)
		s.ID = id
		return s
	}
	p := testProject(t)
	f, err := p.NewDialog("stale", then, header(dialog.Waiting), []dialog.Section{
		section(dialog.User, 1, "Please."), ask("done", "{}"), ask("begun", "{}"), ask("other", "{}"), ask("gone", "{}"), ask("told", "{}"),
	})
	must(t, err)
	must(t, f.Close())
	f, err = p.OpenDialog(f.ID())
	must(t, err)
	defer f.Close()
	path := p.path(f.Filename())
	stale := read(t, path)
	for _, id := range []string{"done", "begun", "other", "gone", "told"} {
		must(t, f.Append(begun(id)))
		if id != "begun" {
			must(t, f.Append(result(id)))
		}
	}
	d := dialog.Parse(stale)
	d.Sections[3].Payloads[0].Text = `{"command":"another"}`
	d.Sections = append(d.Sections[:4], d.Sections[5], begun("told"), result("told"))
	theirs := dialog.Format(d)
	write(t, path, theirs)
	err = f.Append(result("begun"))
	if !errors.Is(err, ErrConflict) {
		t.Fatal(err)
	}
	text := read(t, path)
	if !strings.HasPrefix(text, theirs) {
		t.Fatalf("their bytes were changed:\n%s", text)
	}
	var got []string
	for _, s := range dialog.Parse(text).Sections[len(d.Sections):] {
		got = append(got, string(s.Role)+" "+s.ID+" "+s.Meta.Get("Parent"))
	}
	want := "Note note_done done, Tool Result done , Note note_begun begun, Tool Result begun "
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("behind theirs stand\n%s\nwant\n%s", s, want)
	}
	must(t, f.Refresh())
	must(t, f.Append(section(dialog.Note, 9, "later")))
	if n := strings.Count(read(t, path), "> Id: done\n"); n != 2 {
		t.Errorf("%d sections of the call done", n)
	}
}
