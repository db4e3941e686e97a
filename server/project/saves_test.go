package project

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/dialog/why"
)

// savesIn is what is noted of a doc.
func savesIn(t *testing.T, p *Project, name string) []why.Save {
	t.Helper()
	text, err := p.Saves(name)
	must(t, err)
	return why.ParseSaves(text, grant.Authority{Key: p.store.o.Key, Project: p.name}, name)
}

func saves(t *testing.T, p *Project, name, text string) {
	t.Helper()
	_, err := p.SaveFile(name, text, "")
	must(t, err)
}

// clocked is a project with a key, and the clock that it goes by.
func clocked(t *testing.T) (*Project, *time.Time) {
	p, now := testProject(t), then
	p.store.o.Key, p.store.o.Now = []byte("key"), func() time.Time { return now }
	return p, &now
}

// Each save of a human is a version, with what it replaced.
func TestSavesAreNoted(t *testing.T) {
	p, _ := clocked(t)
	texts := []string{"", "one\n", "two\n", "three\n"}
	for _, text := range texts[1:] {
		saves(t, p, "doc-a.md", text)
		saves(t, p, "doc-a.md", text) // changes nothing
	}
	all := savesIn(t, p, "doc-a.md")
	if len(all) != 3 {
		t.Fatalf("%v", all)
	}
	for i, s := range all {
		before := ""
		if i > 0 {
			before = dialog.SHA256(texts[i])
			if b, err := p.Kept(before); err != nil || string(b) != texts[i] {
				t.Errorf("%q is not kept: %v", texts[i], err)
			}
		}
		if s.Before != before || s.After != dialog.SHA256(texts[i+1]) || s.End != dialog.FormatTime(then) {
			t.Errorf("%d: %v", i, s)
		}
	}
	files, err := p.Files()
	if err != nil || strings.Contains(fmt.Sprint(files), "saves") {
		t.Errorf("%q, %v", files, err)
	}
}

// What is noted stays where it could not be read before the doc was written.
func TestSavesUnreadBefore(t *testing.T) {
	p, _ := clocked(t)
	saves(t, p, "doc-a.md", "one\n")
	saves(t, p, "doc-a.md", "two\n")
	at := p.path(savesName)
	must(t, os.Rename(at, at+"-away"))
	must(t, os.WriteFile(at, nil, 0o600))
	s := &saving{p: p, name: "doc-a.md", now: then, content: "three\n", after: dialog.SHA256("three\n")}
	old, err := os.Open(p.path("doc-a.md"))
	must(t, err)
	defer old.Close()
	if !s.keeps(old) {
		t.Error("what stands there would not be kept")
	}
	must(t, os.Remove(at))
	must(t, os.Rename(at+"-away", at))
	s.note()
	if all := savesIn(t, p, "doc-a.md"); len(all) != 3 || all[2].Before != dialog.SHA256("two\n") {
		t.Errorf("%v", all)
	}
}

// What another wrote meanwhile is kept, and is not the human's.
func TestSaveAfterAnother(t *testing.T) {
	p, _ := clocked(t)
	saves(t, p, "doc-a.md", "one\n")
	agentWrites(t, p, "doc-a.md", "agent\n")
	saves(t, p, "doc-a.md", "agent\none\n")
	must(t, os.WriteFile(p.path("doc-a.md"), []byte("editor\n"), 0o644))
	saves(t, p, "doc-a.md", "editor\ntwo\n")
	all := savesIn(t, p, "doc-a.md")
	if len(all) != 3 || all[1].Before != dialog.SHA256("agent\n") || all[2].Before != dialog.SHA256("editor\n") {
		t.Errorf("%v", all)
	}
	for _, text := range []string{"one\n", "agent\n", "editor\n"} {
		if _, err := p.Kept(dialog.SHA256(text)); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Of a thousand saves in a while a few are versions, and those in between go on with the last.
func TestManySavesAreFewVersions(t *testing.T) {
	p, now := clocked(t)
	for i := range 100 {
		saves(t, p, "doc-a.md", fmt.Sprint("text ", i, "\n"))
		*now = now.Add(time.Second)
	}
	all := savesIn(t, p, "doc-a.md")
	if len(all) != savesOften+1 || len(keptNames(t, p)) != savesOften {
		t.Fatalf("%d versions, %d kept", len(all), len(keptNames(t, p)))
	}
	if last := all[len(all)-1]; last.After != dialog.SHA256("text 99\n") || last.End <= last.Start {
		t.Errorf("%v", last)
	}
	*now = now.Add(savesWhile)
	saves(t, p, "doc-a.md", "later\n")
	if all := savesIn(t, p, "doc-a.md"); len(all) != savesOften+2 {
		t.Errorf("%d versions", len(all))
	}
	if _, err := p.Kept(dialog.SHA256("text 99\n")); err != nil {
		t.Error(err)
	}
}

// A save is a save also where it can't be noted; then nobody says that a human wrote it.
func TestSaveThatCanNotBeNoted(t *testing.T) {
	p, _ := clocked(t)
	must(t, os.WriteFile(p.path(savesName), []byte("a file"), 0o644))
	saves(t, p, "doc-a.md", "one\n")
	if f, err := p.ReadFile("doc-a.md"); err != nil || f.Content != "one\n" {
		t.Errorf("%q, %v", f.Content, err)
	}
}

// A save that is refused, one without a key, a dialog's, and what the program itself writes
// note nothing.
func TestWhatIsNotNoted(t *testing.T) {
	p, _ := clocked(t)
	if _, err := p.SaveFile("doc-a.md", "one", dialog.SHA256("other")); err == nil {
		t.Error("it is not there")
	}
	if _, err := p.SaveFile("doc-a.md", "\xff", ""); err == nil {
		t.Error("it is no text")
	}
	if _, err := p.WriteFile("doc-a.md", "one", ""); err != nil {
		t.Error(err)
	}
	saves(t, p, "dialog-20260216-201100-x-waiting.md", "# Dialog\n")
	p.store.o.Key = nil
	saves(t, p, "doc-a.md", "two")
	if _, err := os.Stat(p.path(savesName)); !os.IsNotExist(err) {
		t.Error(err)
	}
}

func TestSavesAtOnce(t *testing.T) {
	p, _ := clocked(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() { p.SaveFile("doc-a.md", fmt.Sprint(i, "\n"), "") })
	}
	all.Wait()
	noted := savesIn(t, p, "doc-a.md")
	if len(noted) != 8 {
		t.Fatalf("%v", noted)
	}
	for i := range noted[1:] {
		if noted[i].After != noted[i+1].Before {
			t.Errorf("%v", noted)
		}
	}
}
