package project

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibey/dialog"
)

// long is a text that has 1 MiB more than a section.
var long = strings.Repeat("Beyond what a section has: ə.\n", (dialog.SectionMost+1<<20)/31)

// uncut returns a text with what was cut off it, and fails the test where nothing was.
func uncut(t *testing.T, p *Project, text string) string {
	t.Helper()
	name, ok := dialog.RestOf(text)
	if !ok || len(text) > dialog.SectionMost {
		t.Fatalf("a text of %d bytes, whose rest is %q", len(text), name)
	}
	return strings.TrimSuffix(text, dialog.RestLine(name)) + read(t, p.path(filepath.Join(dialog.RestFolder, name)))
}

// By whatever way a section comes into the file, its text is within the bound, there and in
// the value, and the rest stands in the file that it names.
func TestLongTextIsCut(t *testing.T) {
	for name, write := range map[string]func(p *Project, f *DialogFile) error{
		"append": func(p *Project, f *DialogFile) error { return f.Append(section(dialog.Note, 2, long)) },
		"response": func(p *Project, f *DialogFile) error {
			_, err := f.OpenResponse()
			must(t, err)
			return f.AppendResponse(section(dialog.Note, 2, long))
		},
		"insert": func(p *Project, f *DialogFile) error {
			err := p.Insert(f.ID(), func(func(string) bool) (dialog.Section, bool) { return section(dialog.Note, 2, long), true })
			must(t, err)
			return f.Refresh()
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := quickProject(t)
			f := started(t, p)
			must(t, write(p, f))
			value := f.Dialog().Sections[1].Text()
			if uncut(t, p, value) != long {
				t.Error("head and rest are not the text")
			}
			text := read(t, p.path(f.Filename()))
			if d := dialog.Parse(text); d.Sections[1].Text() != value || dialog.Format(d) != text || f.Size() != int64(len(text)) {
				t.Error("the file is not the value")
			}
		})
	}
}

// What a kill left of an answer whose rest was being written is within the bound too: as it
// came, and where it was gathered whole.
func TestLongResponseAfterKill(t *testing.T) {
	p := quickProject(t)
	f := started(t, p)
	o, err := f.OpenResponse()
	must(t, err)
	r, err := f.NewRest()
	must(t, err)
	open := "\n## Assistant\n> Id: a_1\n> Time: 2026-02-16T20:11:00Z -\n\nəəəoutput/markdown\nIt began" + dialog.RestLine(r.Name)
	_, err = o.Write([]byte(open))
	must(t, err)
	must(t, r.WriteString(" and went on"))
	id := f.ID()
	killed(f)
	text, err := again(t, p).ReadDialog(id)
	must(t, err)
	if got := uncut(t, p, text.Parse().Sections[1].Text()); got != "It began and went on" {
		t.Errorf("kept: %q", got)
	}

	f, err = p.OpenDialog(id)
	must(t, err)
	o, err = f.OpenResponse()
	must(t, err)
	_, err = o.Write([]byte("\n## Assistant\n> Id: a_2\n> Time: 2026-02-16T20:11:00Z -\n\nəəəoutput/markdown\n" + long))
	must(t, err)
	killed(f)
	text, err = again(t, p).ReadDialog(id)
	must(t, err)
	if uncut(t, p, text.Parse().Sections[2].Text()) != strings.TrimSuffix(long, "\n") {
		t.Error("head and rest are not the text")
	}
}

// Where the rest can't be written, nothing is appended.
func TestRestThatCannotBeWritten(t *testing.T) {
	p := quickProject(t)
	f := started(t, p)
	before := read(t, p.path(f.Filename()))
	must(t, os.WriteFile(p.path(dialog.RestFolder), nil, 0o600))
	if err := f.Append(section(dialog.Note, 2, long)); err == nil || read(t, p.path(f.Filename())) != before || len(f.Dialog().Sections) != 1 {
		t.Errorf("%v, and the file has %d bytes", err, len(read(t, p.path(f.Filename()))))
	}
	must(t, os.Remove(p.path(dialog.RestFolder)))
	must(t, f.Append(section(dialog.Note, 2, long)))
}

// What was cut off is exported and imported with its dialog, and deleted with it.
func TestRestGoesWithItsDialog(t *testing.T) {
	p := quickProject(t)
	f := started(t, p)
	must(t, f.Append(section(dialog.Note, 2, long)))
	must(t, f.SetStatus(dialog.Waiting))
	must(t, f.Close())
	name, _ := dialog.RestOf(f.Dialog().Sections[1].Text())
	other := p.path(filepath.Join(dialog.RestFolder, dialog.RestName(f.ID()+".2", 1)))
	must(t, os.WriteFile(other, []byte("of another dialog"), 0o600))
	for scope, want := range map[Scope]bool{ScopeDocs: false, ScopeDialogs: true, ScopeAll: true} {
		var zip bytes.Buffer
		left, err := p.Snapshot(&zip, scope)
		if err != nil || len(left) > 0 {
			t.Fatal(left, err)
		}
		restored(t)(p.store.Restore("copy-"+string(scope), bytes.NewReader(zip.Bytes()), int64(zip.Len()), DiskLimits, nil))
		q, err := p.store.Project("copy-" + string(scope))
		must(t, err)
		got, err := os.ReadFile(q.path(filepath.Join(dialog.RestFolder, name)))
		if there := err == nil && string(got) == read(t, p.path(filepath.Join(dialog.RestFolder, name))); there != want {
			t.Errorf("%s: %v, want %v", scope, err, want)
		}
	}
	must(t, p.DeleteFile(f.Filename(), ""))
	if _, err := os.Stat(p.path(filepath.Join(dialog.RestFolder, name))); !os.IsNotExist(err) {
		t.Errorf("it stays: %v", err)
	}
	read(t, other)
}
