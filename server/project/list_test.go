package project

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vibey/dialog"
)

// counted makes p count how often a dialog's file is read for its summary.
func counted(p *Project) *atomic.Int64 {
	n := new(atomic.Int64)
	old := p.store.o.Summarize
	p.store.o.Summarize = func(project, id string, st dialog.Status, d *dialog.Dialog, g *dialog.Digest) Summary {
		if d != nil {
			n.Add(1)
		}
		return old(project, id, st, d, g)
	}
	return n
}

// put writes a dialog's file as it would stand, with a time of its own.
func put(t testing.TB, p *Project, slug string, st dialog.Status, hours int, secs ...dialog.Section) string {
	t.Helper()
	id := "20260216-201100-" + slug
	name := dialog.Filename(id, st)
	h := header(st)
	h.DialogID = id
	write(t, p.path(name), dialog.Format(&dialog.Dialog{Header: h, Sections: secs}))
	at := then.Add(time.Duration(hours) * time.Hour)
	must(t, os.Chtimes(p.path(name), at, at))
	return name
}

func TestDialogs(t *testing.T) {
	p := testProject(t)
	reads := counted(p)
	user, answer, request := section(dialog.User, 1, "x"), section(dialog.Assistant, 2, "y"), section(dialog.ToolRequest, 3, "{}")
	put(t, p, "answered-one", dialog.Waiting, 1, user, answer)
	put(t, p, "asks", dialog.Waiting, 3, user, answer, request)
	put(t, p, "broken-off", dialog.Waiting, 2, user)
	put(t, p, "finished", dialog.Done, 3, user, answer, request)
	write(t, p.path("dialog-plan.md"), "a document, by its name")
	f, err := p.NewDialog("runs", then, header(dialog.Active), nil)
	must(t, err)
	defer f.Close()
	must(t, os.Chtimes(p.path(f.Filename()), then, then.Add(5*time.Hour)))

	infos, err := p.Dialogs()
	must(t, err)
	var got []string
	for _, i := range infos {
		got = append(got, fmt.Sprintf("%s|%s|%s|%s", i.ID[len("20260216-201100-"):], i.Status, i.Needs, i.ModTime.Format("15")))
	}
	want := []string{
		"runs|active|none|01", "asks|waiting|approval|23", "finished|done|none|23",
		"broken-off|waiting|continue|22", "answered-one|waiting|reply|21",
	}
	if !slices.Equal(got, want) {
		t.Errorf("list:\n%q\nwant:\n%q", got, want)
	}
	if reads.Load() != 5 { // also the one that runs: its file has another time than its turn left
		t.Errorf("%d dialogs were read", reads.Load())
	}
	again, err := p.Dialogs()
	must(t, err)
	same := func(a, b DialogInfo) bool {
		as, bs := *a.Summary, *b.Summary
		a.Summary, b.Summary = nil, nil
		return a == b && reflect.DeepEqual(as, bs)
	}
	if !slices.EqualFunc(infos, again, same) || reads.Load() != 5 {
		t.Errorf("the second list differs, or read %d files", reads.Load()-5)
	}
	put(t, p, "asks", dialog.Waiting, 4, user, answer)
	must(t, os.Remove(p.path("dialog-20260216-201100-broken-off-waiting.md")))
	infos, err = p.Dialogs()
	must(t, err)
	if len(infos) != 4 || !strings.HasSuffix(infos[1].ID, "-asks") || infos[1].Needs != "reply" || reads.Load() != 6 {
		t.Errorf("after a change: %+v, %d reads", infos, reads.Load())
	}
	if n := len(p.summaries.known); n != 4 {
		t.Errorf("%d summaries are kept of 4 files", n)
	}
}

// A file that was written in the moment of the list may change again within the
// same tick of the disk's clock: its summary is not trusted.
func TestDialogsRacyWrite(t *testing.T) {
	p := testProject(t)
	name := put(t, p, "now", dialog.Waiting, 0, section(dialog.User, 1, "aaaa"))
	at := time.Now().Add(time.Hour)
	must(t, os.Chtimes(p.path(name), at, at))
	infos, err := p.Dialogs()
	must(t, err)
	if infos[0].Needs != "continue" {
		t.Fatalf("needs %s", infos[0].Needs)
	}
	f, err := os.OpenFile(p.path(name), os.O_WRONLY, 0)
	must(t, err)
	text := read(t, p.path(name))
	other := []byte(fmt.Sprintf("%-*s", len(text)-1, "# Dialog\n\n## Assistant\n\nhello") + "\n")
	_, err = f.WriteAt(other, 0)
	must(t, err)
	f.Close()
	must(t, os.Chtimes(p.path(name), at, at)) // same size, same time
	infos, err = p.Dialogs()
	must(t, err)
	if infos[0].Needs != "reply" {
		t.Errorf("a change within the tick was not seen: needs %s", infos[0].Needs)
	}
}

// Dialogs that were running when the server was killed wait in the first list.
func TestDialogsOrphans(t *testing.T) {
	p := testProject(t)
	for i := range 20 {
		f, err := p.NewDialog("orphan", then, header(dialog.Active), []dialog.Section{section(dialog.User, 1, "x")})
		must(t, err)
		if i%2 == 0 {
			o, err := f.OpenResponse()
			must(t, err)
			s := section(dialog.Assistant, 2, "seen")
			_, err = o.Write(dialog.AppendSection(nil, &s))
			must(t, err)
		}
		killed(f)
	}
	live := started(t, p)
	q := again(t, p)
	infos, err := q.Dialogs()
	must(t, err)
	if len(infos) != 21 {
		t.Fatalf("%d dialogs", len(infos))
	}
	for _, i := range infos {
		want := dialog.Waiting
		if i.ID == live.ID() { // another process holds it
			want = dialog.Active
		}
		if id, st, _ := dialog.ParseName(i.Filename); i.Status != want || st != want || id != i.ID {
			t.Errorf("%s is %s in %s", i.ID, i.Status, i.Filename)
		}
		if i.Status == dialog.Waiting && i.Needs != "continue" {
			t.Errorf("%s needs %s", i.ID, i.Needs)
		}
	}
	names, err := q.dir.Names()
	must(t, err)
	if len(names) != 24 {
		t.Errorf("%d names, want 21 dialogs, doc-main.md, deed and .id: %v", len(names), names)
	}
}

// What a kill left of a dialog in the making goes, once it can be nobody's.
func TestDialogsSweep(t *testing.T) {
	p := testProject(t)
	old, young := newName("20260216-201100-old"), newName("20260216-201100-young")
	for _, n := range []string{old, young, ".new", ".notes.newer"} {
		write(t, p.path(n), "# Dialog\n")
		if n != young {
			must(t, os.Chtimes(p.path(n), then, then))
		}
	}
	_, err := p.Dialogs()
	must(t, err)
	names, err := p.dir.Names()
	must(t, err)
	slices.Sort(names)
	if want := []string{young, idName, ".new", ".notes.newer", deedName, MainDoc}; !slices.Equal(names, want) {
		t.Errorf("left %v, want %v", names, want)
	}
}

// One dialog that breaks its summary is listed without it, and harms no other.
func TestListOutlivesASummaryThatPanics(t *testing.T) {
	var log strings.Builder
	s, err := Open(t.TempDir(), Options{Log: slog.New(slog.NewTextHandler(&log, nil)), Summarize: func(_, id string, _ dialog.Status, _ *dialog.Dialog, _ *dialog.Digest) Summary {
		if strings.HasSuffix(id, "-bad") {
			panic("no words for it")
		}
		return Summary{Needs: "reply", Words: "fine"}
	}})
	must(t, err)
	defer s.Close()
	must(t, s.Create("game", ""))
	p, err := s.Project("game")
	must(t, err)
	for _, slug := range []string{"good", "bad", "better"} {
		f, err := p.NewDialog(slug, then, header(dialog.Waiting), nil)
		must(t, err)
		must(t, f.Close())
	}
	infos, err := p.Dialogs()
	must(t, err)
	if len(infos) != 3 {
		t.Fatalf("%d dialogs", len(infos))
	}
	for _, i := range infos {
		want := Summary{Needs: "reply", Words: "fine"}
		if strings.HasSuffix(i.ID, "-bad") {
			want = Summary{Needs: "none"}
		}
		if !reflect.DeepEqual(*i.Summary, want) {
			t.Errorf("%s: %+v", i.ID, i.Summary)
		}
	}
	if got := log.String(); strings.Count(got, "no words for it") == 0 || !strings.Contains(got, "list_test.go") {
		t.Errorf("log %s", got)
	}
}

// What a project needs is counted without a look at dialogs that are done, and as the
// list says it, also where a dialog has two files.
func TestNeeds(t *testing.T) {
	p := testProject(t)
	reads := counted(p)
	user, answer, request := section(dialog.User, 1, "x"), section(dialog.Assistant, 2, "y"), section(dialog.ToolRequest, 3, "{}")
	put(t, p, "answered", dialog.Waiting, 1, user, answer)
	put(t, p, "asks", dialog.Waiting, 3, user, answer, request)
	put(t, p, "broken-off", dialog.Waiting, 2, user)
	put(t, p, "finished", dialog.Done, 3, user, answer, request)
	put(t, p, "twice", dialog.Waiting, 1, user)
	put(t, p, "twice", dialog.Done, 2, user)
	f := started(t, p)
	for range 2 {
		waiting, active, err := p.Needs()
		must(t, err)
		if waiting != 2 || active != 1 {
			t.Errorf("%d wait, %d are active", waiting, active)
		}
		if n := reads.Load(); n != 4 { // finished is none of them
			t.Errorf("%d files were read", n)
		}
	}
	must(t, f.Close())
	if waiting, active, err := p.Needs(); err != nil || waiting != 3 || active != 0 {
		t.Errorf("after the turn was cut: %d wait, %d are active, %v", waiting, active, err)
	}
}

// One dialog is told as the list tells it, and one that is not there is not.
func TestOneDialogAsInTheList(t *testing.T) {
	p := testProject(t)
	put(t, p, "asks", dialog.Waiting, 3, section(dialog.User, 1, "x"), section(dialog.ToolRequest, 3, "{}"))
	put(t, p, "done", dialog.Done, 3, section(dialog.User, 1, "x"))
	started(t, p)
	infos, err := p.Dialogs()
	must(t, err)
	for _, want := range infos {
		got, err := p.Dialog(want.ID)
		must(t, err)
		if !reflect.DeepEqual(got.Summary, want.Summary) || got.Filename != want.Filename || got.Status != want.Status || !got.ModTime.Equal(want.ModTime) {
			t.Errorf("%+v, and in the list %+v", got, want)
		}
	}
	for _, id := range []string{"20260216-201100-none", "", "../x"} {
		if _, err := p.Dialog(id); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// A dialog whose status changes between the look at its name and the reading is listed
// as it is then.
func TestListFollowsARename(t *testing.T) {
	p := testProject(t)
	put(t, p, "quick", dialog.Done, 0, section(dialog.User, 1, "hello"))
	l := listed{found: found{name: "dialog-20260216-201100-quick-active.md", status: dialog.Active}, id: "20260216-201100-quick", sum: &Summary{}}
	p.readSummary(&l)
	if l.sum.Words != "hello" || l.status != dialog.Done || l.name != "dialog-20260216-201100-quick-done.md" {
		t.Errorf("%+v, %+v", l, *l.sum)
	}
	gone := listed{found: found{name: "dialog-20260216-201100-gone-active.md", status: dialog.Active}, id: "20260216-201100-gone", sum: &Summary{Needs: "none"}}
	p.readSummary(&gone)
	if gone.name == "" || gone.sum.Needs != "none" {
		t.Errorf("one that is gone: %+v", gone)
	}
}
