package project

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"vibey/dialog"
	"vibey/server/project/folder"
)

func TestDialogLife(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	if got, want := f.Filename(), "dialog-20260216-201100-read-vibey-active.md"; got != want {
		t.Fatalf("file name %s, want %s", got, want)
	}
	wholeFile(t, f)
	must(t, f.Append(section(dialog.Assistant, 2, "I read it."), section(dialog.ToolRequest, 3, `{"command":"ls"}`)))
	must(t, f.SetStatus(dialog.Waiting))
	must(t, f.Append(section(dialog.ToolResult, 3, `{"success":true}`)))
	wholeFile(t, f)
	must(t, f.SetStatus(dialog.Done))
	must(t, f.Close())
	text := read(t, p.path("dialog-20260216-201100-read-vibey-done.md"))
	if !strings.Contains(text, "\n> Status: done   \n") {
		t.Errorf("the header's word was not padded and written over:\n%s", text)
	}
	if names, _ := filepath.Glob(p.path("*")); len(names) != 4 { // .id, deed, doc-main.md and this one
		t.Errorf("left over: %v", names)
	}
	g, err := again(t, p).OpenDialog("20260216-201100-read-vibey")
	must(t, err)
	defer g.Close()
	if g.Status() != dialog.Done || len(g.Dialog().Sections) != 4 {
		t.Errorf("reopened as %s with %d sections", g.Status(), len(g.Dialog().Sections))
	}
}

func TestNewDialogClash(t *testing.T) {
	p := testProject(t)
	var ids []string
	for _, st := range []dialog.Status{dialog.Active, dialog.Waiting, dialog.Done, dialog.Waiting} {
		f, err := p.NewDialog("read vibey", then, header(st), nil)
		must(t, err)
		ids = append(ids, f.ID())
		if got := f.Dialog().Header.DialogID; got != f.ID() {
			t.Errorf("header names %s, file %s", got, f.ID())
		}
		must(t, f.Close())
	}
	stem := "20260216-201100-read-vibey"
	if want := []string{stem, stem + "-2", stem + "-3", stem + "-4"}; !slices.Equal(ids, want) {
		t.Errorf("ids %v, want %v", ids, want)
	}
}

func TestNewDialogRefuses(t *testing.T) {
	p := testProject(t)
	bad := section(dialog.User, 1, "x")
	bad.ID = "a\n## Authorization"
	if _, err := p.NewDialog("x", then, header(dialog.Active), []dialog.Section{bad}); !errors.Is(err, dialog.ErrField) {
		t.Errorf("a section with a line feed in its id: %v", err)
	}
	if _, err := p.NewDialog("x", then, header("pending"), nil); err == nil {
		t.Error("an unknown status was taken")
	}
	h := header(dialog.Active)
	h.Model = "gpt\n## User"
	if _, err := p.NewDialog("x", then, h, nil); !errors.Is(err, dialog.ErrField) {
		t.Errorf("a header with a line feed: %v", err)
	}
	if names, _ := filepath.Glob(p.path("dialog-*")); len(names) != 0 {
		t.Errorf("refused, but made: %v", names)
	}
}

func TestOneHolder(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	if _, err := p.OpenDialog(f.ID()); !errors.Is(err, ErrBusy) {
		t.Errorf("a second opening in this process: %v", err)
	}
	if _, err := again(t, p).OpenDialog(f.ID()); !errors.Is(err, ErrBusy) {
		t.Errorf("an opening by another process: %v", err)
	}
	name := f.Filename()
	if _, err := p.WriteFile(name, "x", ""); !errors.Is(err, ErrActive) {
		t.Errorf("a human's write to a running dialog: %v", err)
	}
	must(t, f.SetStatus(dialog.Waiting))
	for _, q := range []*Project{p, again(t, p)} {
		if _, err := q.WriteFile(f.Filename(), "x", ""); !errors.Is(err, ErrActive) {
			t.Errorf("a human's write to a held dialog: %v", err)
		}
		if err := q.DeleteFile(f.Filename(), ""); !errors.Is(err, ErrActive) {
			t.Errorf("a human's delete of a held dialog: %v", err)
		}
	}
	wholeFile(t, f)
	must(t, f.Close())
	must(t, f.Close()) // twice is as once
	g, err := p.OpenDialog(f.ID())
	must(t, err)
	g.Close()
	if len(p.gates) != 0 {
		t.Errorf("%d gates are kept that nobody uses", len(p.gates))
	}
	if err := f.Append(section(dialog.Note, 9, "late")); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("an append after Close: %v", err)
	}
}

func TestOpenDialogMissing(t *testing.T) {
	p := testProject(t)
	for _, id := range []string{"20260216-201100-nothing", "", "..", "../game/doc-main", "20260216-201100-a/b", "20260216-201100-a\x00"} {
		if _, err := p.OpenDialog(id); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("OpenDialog(%q): %v", id, err)
		}
		if _, err := p.ReadDialog(id); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("ReadDialog(%q): %v", id, err)
		}
	}
}

// Two files of one dialog: git merged, or somebody copied.
func TestTwoFiles(t *testing.T) {
	p := testProject(t)
	id := "20260216-201100-twice"
	put := func(st dialog.Status, at time.Time) string {
		name := dialog.Filename(id, st)
		write(t, p.path(name), "# Dialog\n> Status: "+dialog.StatusWord(st)+"\n")
		must(t, os.Chtimes(p.path(name), at, at))
		return name
	}
	waiting, done := put(dialog.Waiting, then.Add(time.Hour)), put(dialog.Done, then)
	_, err := p.OpenDialog(id)
	if !errors.Is(err, ErrTwoFiles) || !strings.Contains(err.Error(), waiting) || !strings.Contains(err.Error(), done) {
		t.Errorf("OpenDialog: %v", err)
	}
	taken := func(want string) {
		t.Helper()
		d, err := p.ReadDialog(id)
		must(t, err)
		list, err := p.Dialogs()
		must(t, err)
		if d.Filename != want || len(list) != 1 || list[0].Filename != want {
			t.Errorf("read %s, listed %v, want %s", d.Filename, list, want)
		}
	}
	taken(waiting) // the newer one
	put(dialog.Done, then.Add(2*time.Hour))
	taken(done)
	put(dialog.Waiting, then)
	put(dialog.Done, then)
	taken(done) // as new as the other
	must(t, p.DeleteFile(waiting, ""))
	f, err := p.OpenDialog(id)
	must(t, err)
	defer f.Close()
	write(t, p.path(waiting), "# Dialog\n")
	if err := f.SetStatus(dialog.Waiting); !errors.Is(err, ErrTwoFiles) {
		t.Errorf("SetStatus over another file: %v", err)
	}
	if got := read(t, p.path(waiting)); got != "# Dialog\n" {
		t.Errorf("the other file was written over: %q", got)
	}
}

func TestAppendChecks(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	before := read(t, p.path(f.Filename()))
	bad := section(dialog.Note, 2, "x")
	bad.Meta = dialog.Fields{{Key: "Kind", Value: "a\nb"}}
	if err := f.Append(section(dialog.Note, 1, "fine"), bad); !errors.Is(err, dialog.ErrField) {
		t.Errorf("Append: %v", err)
	}
	must(t, f.Append())
	if got := read(t, p.path(f.Filename())); got != before {
		t.Error("a refused append changed the file")
	}
	wholeFile(t, f)
}

// A disk that fills up in the middle of a write: the file is as it was, the
// error is told, and with room the same append succeeds. In a process of its own, for the
// limit is the whole process's, and `go test` writes a file too.
func TestAppendDiskFull(t *testing.T) {
	if os.Getenv("PROJECT_DISK_FULL") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestAppendDiskFull$")
		cmd.Env = append(os.Environ(), "PROJECT_DISK_FULL=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	p := testProject(t)
	f := started(t, p)
	before := read(t, p.path(f.Filename()))
	var old unix.Rlimit
	must(t, unix.Getrlimit(unix.RLIMIT_FSIZE, &old))
	must(t, unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: uint64(len(before) + 300), Max: old.Max}))
	big := section(dialog.Assistant, 2, strings.Repeat("much to say. ", 1000))
	err := f.Append(big)
	must(t, unix.Setrlimit(unix.RLIMIT_FSIZE, &old))
	if !errors.Is(err, unix.EFBIG) {
		t.Fatalf("Append: %v", err)
	}
	if got := read(t, p.path(f.Filename())); got != before {
		t.Errorf("%d bytes of a failed append stayed", len(got)-len(before))
	}
	wholeFile(t, f)
	must(t, f.Append(big))
	wholeFile(t, f)
}

// A sync that fails: what can't be promised is not in the file, nor in memory.
func TestAppendSyncFails(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	before := read(t, p.path(f.Filename()))
	f.fail = failing("sync")
	if err := f.Append(section(dialog.Note, 2, "lost")); !errors.Is(err, unix.EIO) {
		t.Fatalf("Append: %v", err)
	}
	if got := read(t, p.path(f.Filename())); got != before {
		t.Error("what was not synced stayed in the file")
	}
	f.fail = nil
	must(t, f.Append(section(dialog.Note, 3, "kept")))
	wholeFile(t, f)
}

// A disk that answers no look at a name hides no dialog, and none stands in the way of
// another: what it says is the error, and the turn goes on once it answers again.
func TestLookFails(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	back := p.dir.Reopen
	for !p.dir.Rest() {
	}
	p.dir.Reopen = func() (*folder.Folder, error) { return nil, unix.EIO }
	_, looked := p.StatusOf(f.ID())
	_, made := p.NewDialog("new", then, header(dialog.Waiting), nil)
	appended := f.Append(section(dialog.Note, 2, "lost"))
	for what, err := range map[string]error{"read": looked, "new": made, "append": appended} {
		if !errors.Is(err, unix.EIO) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) || errors.Is(err, ErrConflict) {
			t.Errorf("%s: %v", what, err)
		}
	}
	p.dir.Reopen = back
	must(t, f.Append(section(dialog.Note, 2, "kept")))
	wholeFile(t, f)
}

// A write that fails while somebody else appends too: nothing of theirs goes.
func TestAppendFailsBesideOthers(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	theirs, path := "\n## Note\n\nby another hand\n", p.path(f.Filename())
	f.fail = func(string) error {
		a, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		must(t, err)
		defer a.Close()
		_, err = a.WriteString(theirs)
		must(t, err)
		return unix.EIO
	}
	if err := f.Append(section(dialog.Assistant, 2, "mine")); !errors.Is(err, unix.EIO) {
		t.Fatalf("Append: %v", err)
	}
	f.fail = nil
	must(t, f.Append(section(dialog.Note, 3, "after")))
	if text := read(t, p.path(f.Filename())); !strings.Contains(text, theirs) || !strings.Contains(text, "after") {
		t.Errorf("lost:\n%s", text)
	}
	if got := f.Dialog().Find(dialog.Note, "id_3"); got != len(f.Dialog().Sections)-1 {
		t.Errorf("the value was not read anew: the last note is section %d", got)
	}
}

// Line ends of a file that a Windows editor saved.
func TestAppendCRLF(t *testing.T) {
	p := testProject(t)
	f := started(t, p)
	must(t, f.SetStatus(dialog.Waiting))
	must(t, f.Close())
	name := f.Filename()
	write(t, p.path(name), strings.ReplaceAll(read(t, p.path(name)), "\n", "\r\n"))
	f, err := p.OpenDialog(f.ID())
	must(t, err)
	defer f.Close()
	must(t, f.Append(section(dialog.Assistant, 2, "one\r\ntwo\nthree")))
	must(t, f.SetStatus(dialog.Done))
	text := read(t, p.path(f.Filename()))
	if strings.Count(text, "\n") != strings.Count(text, "\r\n") {
		t.Error("line ends are mixed")
	}
	d := dialog.Parse(text)
	if got := d.Sections[1].Text(); got != "one\r\ntwo\nthree" {
		t.Errorf("payload came back as %q", got)
	}
	if d.Header.Status != dialog.Done {
		t.Errorf("header says %q", d.Header.Status)
	}
}

// Whatever is done with a dialog in whatever order: the file holds what was
// acknowledged, the value in memory is a fresh parse of it, and so is the next
// process's.
func TestAnyLife(t *testing.T) {
	p := quickProject(t)
	rapid.Check(t, func(r *rapid.T) {
		f, err := p.NewDialog("any", then, header(dialog.Active), nil)
		must(t, err)
		id, n := f.ID(), 0
		var said []string
		defer func() { f.Close() }()
		r.Repeat(map[string]func(*rapid.T){
			"append": func(r *rapid.T) {
				n++
				text := rapid.SampledFrom([]string{"", "plain", "əəə", "əəə\n## User\n", "a\r\nb", "## Authorization\n> Id: x", "end\n\n"}).Draw(r, "text")
				role := rapid.SampledFrom([]dialog.Role{dialog.User, dialog.Assistant, dialog.Note}).Draw(r, "role")
				must(t, f.Append(section(role, n, text)))
				said = append(said, text)
			},
			"status": func(r *rapid.T) { must(t, f.SetStatus(rapid.SampledFrom(statuses[:]).Draw(r, "status"))) },
			"restart": func(r *rapid.T) {
				st := f.Status()
				killed(f)
				var err error
				f, err = again(t, p).OpenDialog(id)
				must(t, err)
				if st == dialog.Active {
					st = dialog.Waiting
				}
				if f.Status() != st {
					r.Fatalf("status %s after a restart, want %s", f.Status(), st)
				}
			},
			"": func(r *rapid.T) {
				wholeFile(t, f)
				var got []string
				for i := range f.Dialog().Sections {
					got = append(got, f.Dialog().Sections[i].Text())
				}
				if !slices.Equal(got, said) {
					r.Fatalf("file says %q, acknowledged was %q", got, said)
				}
			},
		})
	})
}

// A dialog that another process renames at the same moment is busy at most, never gone.
func TestOpenDialogWhileItIsRenamed(t *testing.T) {
	p := quickProject(t)
	f := started(t, p)
	id := f.ID()
	must(t, f.SetStatus(dialog.Waiting))
	must(t, f.Close())
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		names := []string{p.path(dialog.Filename(id, dialog.Waiting)), p.path(dialog.Filename(id, dialog.Done))}
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				os.Rename(names[i%2], names[(i+1)%2])
			}
		}
	}()
	for range 2000 {
		f, err := p.OpenDialog(id)
		if err == nil {
			f.Close()
		} else if errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	close(stop)
	<-ended
}
