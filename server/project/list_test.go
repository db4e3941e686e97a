package project

import (
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vibey/dialog"
)

// counted makes p count how often a dialog is read for its summary.
func counted(p *Project) *atomic.Int64 {
	n := new(atomic.Int64)
	old := p.store.o.Summarize
	p.store.o.Summarize = func(project, id, text string, st dialog.Status) Summary {
		n.Add(1)
		return old(project, id, text, st)
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
	if reads.Load() != 3 {
		t.Errorf("%d dialogs were read, want the 3 that wait", reads.Load())
	}
	again, err := p.Dialogs()
	must(t, err)
	if !slices.Equal(infos, again) || reads.Load() != 3 {
		t.Errorf("the second list differs, or read %d files", reads.Load()-3)
	}
	put(t, p, "asks", dialog.Waiting, 4, user, answer)
	must(t, os.Remove(p.path("dialog-20260216-201100-broken-off-waiting.md")))
	infos, err = p.Dialogs()
	must(t, err)
	if len(infos) != 4 || !strings.HasSuffix(infos[1].ID, "-asks") || infos[1].Needs != "reply" || reads.Load() != 4 {
		t.Errorf("after a change: %+v, %d reads", infos, reads.Load())
	}
	if c := *p.summaries.Load(); len(c) != 2 {
		t.Errorf("%d summaries are kept for 2 waiting dialogs", len(c))
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
	names, err := q.dir.names()
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
	names, err := p.dir.names()
	must(t, err)
	slices.Sort(names)
	if want := []string{young, idName, ".new", ".notes.newer", deedName, MainDoc}; !slices.Equal(names, want) {
		t.Errorf("left %v, want %v", names, want)
	}
}

// One dialog that breaks its summary is listed without it, and harms no other.
func TestListOutlivesASummaryThatPanics(t *testing.T) {
	var log strings.Builder
	s, err := Open(t.TempDir(), Options{Log: slog.New(slog.NewTextHandler(&log, nil)), Summarize: func(_, id, _ string, _ dialog.Status) Summary {
		if strings.HasSuffix(id, "-bad") {
			panic("no words for it")
		}
		return Summary{Needs: "reply", Line: "fine"}
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
		want := Summary{Needs: "reply", Line: "fine"}
		if strings.HasSuffix(i.ID, "-bad") {
			want = Summary{Needs: "none"}
		}
		if i.Summary != want {
			t.Errorf("%s: %+v", i.ID, i.Summary)
		}
	}
	if got := log.String(); strings.Count(got, "no words for it") == 0 || !strings.Contains(got, "list_test.go") {
		t.Errorf("log %s", got)
	}
}
