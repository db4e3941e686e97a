package e2e

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vibey/dialog"
	"vibey/provider/providertest"
)

var olderProgram = flag.String("older", "", "NAME=PROGRAM: one of the builds of testdata/older; it opens again what today's has gone on with, and with -record it writes its folder anew")

// olderBuilds are those whose folder of projects and state dir lie in testdata/older.
var olderBuilds = []olderBuild{
	{name: "2026-11-21"},
	{name: "2026-11-22-morning"},
	{name: "2026-11-22-night", undo: true, plan: true},
	{name: "2026-11-23", undo: true, plan: true},
}

// olderBuild is a build, and what it could do.
type olderBuild struct {
	name       string
	undo, plan bool
}

// olderDialogs are the dialogs of project p, by what their ids end in, and how each stands.
var olderDialogs = map[string]struct{ status, needs string }{
	"work":   {"waiting", "reply"},
	"ask":    {"waiting", "approval"},
	"lead":   {"waiting", "reply"},
	"helper": {"done", "none"},
}

func (b olderBuild) script() (s providertest.Script) {
	one := func(name string, replies ...providertest.Reply) {
		s.Cases = append(s.Cases, providertest.Case{When: "please " + name, Replies: replies})
	}
	more := []providertest.Call{saves("three", "three.txt", "three")}
	if b.plan {
		more = append(more, tool("noted", "plan_decision_log", `{"kind":"decision","title":"Boats","choice":"ten","why":"there is room for ten"}`))
	}
	work := []providertest.Reply{
		does("A command and a file.", command("one", "echo one > deed/one.txt"), saves("two", "two.txt", "two")),
		does("One more.", more...),
		{Text: "One and three are there, two is not."},
	}
	for _, n := range []string{"four", "five", "six"} {
		work = append(work, does("", saves(n, n+".txt", n)), providertest.Reply{Text: "As you wished."})
	}
	one("work", work...)
	one("ask", does("May I?", command("asked", "echo asked > deed/asked.txt")), providertest.Reply{Text: "Thank you."}, providertest.Reply{Text: "Again."})
	one("lead", does("I start a helper.", tool("launch", "launch_agent", `{"provider":"claude","model":"mock-1","prompt":"please help","slug":"helper"}`)),
		providertest.Reply{Text: "It works by itself."}, providertest.Reply{Text: "It has ended."})
	one("help", providertest.Reply{Text: "I have helped."})
	one("stop", providertest.Reply{Text: strings.Repeat("half an answer ", 60), Chunk: 15, DelayMS: 20})
	return s
}

// writes lets the build work on a new place, and ends it by a kill in the middle of an answer.
func (b olderBuild) writes(t *testing.T, program string) *place {
	p := newPlace(t, b.script())
	p.program = program
	h := serve(t, p)
	h.make("p")
	h.make("cut")
	sets := "read"
	if b.plan {
		sets += " plan"
	}
	h.ask("POST", "/project/p/file/doc-main.md", body{"content": "# A harbour\n\nSmall, for ten boats.\n\nəəəproject/v1\ntools " + sets + "\nəəə\n"}).is(200)
	h.ask("POST", "/project/p/file/doc-boats.md", body{"content": "# Boats\n\n- one\n"}).is(200)
	start := func(name string) frame {
		return h.post(dialogPath, body{"provider": "claude", "slug": name, "prompt": "please " + name}).ends("tool_request")
	}
	f := start("work")
	end := h.put(dialogPath, body{"dialogId": f.data.DialogID, "control": approve(f.data.ToolCalls[0]) + "two deny\nallow write_file"}).last()
	if end.kind == "tool_request" { // the plan's
		end = h.put(dialogPath, body{"dialogId": f.data.DialogID, "control": approve(end.data.ToolCalls...)}).last()
	}
	if end.kind != "done" {
		t.Fatalf("it ended with %s", end.raw)
	}
	if b.undo {
		h.ask("POST", "/project/p/undo", body{"dialogId": f.data.DialogID, "id": "three"}).is(200)
	}
	start("ask")
	f = start("lead")
	h.put(dialogPath, body{"dialogId": f.data.DialogID, "control": approve(f.data.ToolCalls...)}).ends("done")
	h.settle("p")
	h.post("/project/cut/dialog", body{"provider": "claude", "slug": "cut", "prompt": "please stop"}).kind("chunk")
	h.kill(syscall.SIGKILL)
	return p
}

// TestRecordOlder writes the folder of an older build anew, as testdata/older/README.md says.
func TestRecordOlder(t *testing.T) {
	name, program, _ := strings.Cut(*olderProgram, "=")
	if !*record || program == "" {
		return
	}
	for _, b := range olderBuilds {
		if b.name != name {
			continue
		}
		p := b.writes(t, program)
		to := filepath.Join("testdata", "older", name)
		if err := os.RemoveAll(to); err != nil {
			t.Fatal(err)
		}
		for _, dir := range []string{p.dir, p.state} {
			copied(t, dir, filepath.Join(to, filepath.Base(dir)), time.Time{})
		}
		// What stood in the repositories of a deed is of the disk that it lay on.
		if err := os.RemoveAll(filepath.Join(to, "state", "git")); err != nil {
			t.Fatal(err)
		}
		for name, text := range contents(t, to) {
			if strings.Contains(text, filepath.Dir(p.dir)) {
				t.Errorf("%s has a path of this machine", name)
			}
		}
		return
	}
	t.Fatalf("there is no build %q", name)
}

// copied copies the files below a folder, for their owner alone, and with at as their times
// if that is not zero.
func copied(t *testing.T, from, to string, at time.Time) {
	t.Helper()
	var dirs []string
	err := filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		next := filepath.Join(to, name)
		switch {
		case err != nil:
			return err
		case e.IsDir():
			dirs = append(dirs, next)
			return os.MkdirAll(next, 0o700)
		case !e.Type().IsRegular():
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(next, b, 0o600); err != nil || at.IsZero() {
			return err
		}
		return os.Chtimes(next, at, at)
	})
	for _, d := range dirs {
		if err == nil && !at.IsZero() {
			err = os.Chtimes(d, at, at)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// stamped are all files and folders below a folder: their bytes, modes and times.
func stamped(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := contents(t, dir)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		name, _ := filepath.Rel(dir, path)
		all[name] += info.ModTime().String()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestOlderBuilds opens the folders that older builds have written: a start, a list and a
// look at each page and dialog change nothing but what a kill left; how each stands, what
// was allowed and what was not is as it was; and it goes on.
func TestOlderBuilds(t *testing.T) {
	t.Parallel()
	for _, b := range olderBuilds {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, b.script())
			from := filepath.Join("testdata", "older", b.name)
			at := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
			copied(t, filepath.Join(from, "root"), p.dir, at)
			copied(t, filepath.Join(from, "state"), p.state, at)
			before := stamped(t, p.dir)
			key := p.secret("key")

			p.isChecked()
			h := serve(t, p)
			ids := h.standsAsBefore()
			h.look("cut", h.cut(before))
			after := stamped(t, p.dir)
			for name, was := range before {
				if (name == "p" || strings.HasPrefix(name, "p/") || name == "cut/doc-main.md") && after[name] != was {
					t.Errorf("%s was\n%s\nand is\n%s", name, was, after[name])
				}
			}
			for name := range after {
				if _, was := before[name]; !was && strings.HasPrefix(name, "p/") {
					t.Errorf("%s came by a start", name)
				}
			}
			if !bytes.Equal(p.secret("key"), key) {
				t.Error("the install key is another")
			}

			h.goesOn(ids, "four")
			name, program, _ := strings.Cut(*olderProgram, "=")
			if name != b.name {
				return
			}
			h.kill(syscall.SIGTERM)
			p.program = program
			h = serve(t, p)
			h.standsAsBefore("ask")
			h.goesOn(ids, "five")
			h.kill(syscall.SIGTERM)
			p.program = ""
			h = serve(t, p)
			h.standsAsBefore("ask")
			h.goesOn(ids, "six")
			t.Log("the way back: it opens again what today's build has gone on with")
		})
	}
}

// secret is a file of the state dir.
func (p *place) secret(name string) []byte {
	p.t.Helper()
	b, err := os.ReadFile(filepath.Join(p.state, name))
	if err != nil {
		p.t.Fatal(err)
	}
	return b
}

// isChecked holds that `vibey check` finds no broken rule: sums were counted in another way
// on the first two days, which is a note.
func (p *place) isChecked() {
	p.t.Helper()
	out, log, code := p.vibey("check", "--state", p.state, filepath.Join(p.dir, "p"))
	for line := range strings.Lines(out) {
		if !strings.Contains(line, ": note: ") {
			p.t.Errorf("check: %s", line)
		}
	}
	if code != 0 {
		p.t.Errorf("check: exit code %d\n%s", code, log)
	}
}

// standsAsBefore reads the lists and all that is in them, and returns the ids of the dialogs
// of p by the ends of their names. What the dialogs answered need is the model's reply.
func (h *host) standsAsBefore(answered ...string) map[string]string {
	h.t.Helper()
	h.get("/projects?needs=1").is(200)
	var list []state
	h.get("/project/p/dialogs").is(200).into(&list)
	ids := map[string]string{}
	for _, st := range list {
		slug := st.DialogID[len("20261121-120000-"):]
		want, ok := olderDialogs[slug]
		if len(answered) > 0 && slug == answered[0] {
			want.needs = "reply"
		}
		if view := h.look("p", st.DialogID); !ok || st.Status != want.status || st.Needs != want.needs || view.Status != want.status || view.Needs != want.needs {
			h.t.Errorf("%s: listed as %s, needing %s; shown as %s, needing %s", st.DialogID, st.Status, st.Needs, view.Status, view.Needs)
		}
		ids[slug] = st.DialogID
	}
	if len(ids) != len(olderDialogs) {
		h.t.Errorf("listed: %v", ids)
	}
	var pages []string
	h.get("/project/p/files").is(200).into(&pages)
	for _, name := range pages {
		h.get("/project/p/file/" + name).is(200)
	}
	return ids
}

// cut holds that the dialog which a kill has cut waits, with what was seen of it, and
// returns its id.
func (h *host) cut(before map[string]string) string {
	h.t.Helper()
	var list []state
	h.get("/project/cut/dialogs").is(200).into(&list)
	if len(list) != 1 || list[0].Status != "waiting" || list[0].Needs != "continue" {
		h.t.Fatalf("the dialog that was cut is listed as %+v", list)
	}
	id := list[0].DialogID
	now := h.read("cut", dialog.Filename(id, dialog.Waiting))
	if _, was := before["cut/"+dialog.Filename(id, dialog.Active)]; !was || !strings.Contains(now, "\nhalf an answer ") || !strings.Contains(now, "\n> Stop: interrupted\n") {
		h.t.Errorf("of the dialog that was cut there is\n%s", now)
	}
	return id
}

// goesOn continues the dialogs: what was allowed still is, what was not is asked about.
func (h *host) goesOn(ids map[string]string, file string) {
	h.t.Helper()
	h.put(dialogPath, body{"dialogId": ids["work"], "prompt": "please go on"}).ends("done")
	if got := h.read("p", "deed", file+".txt"); got != file {
		h.t.Errorf("%s.txt: %q", file, got)
	}
	if st := h.look("p", ids["ask"]); len(st.Pending) == 1 {
		h.put(dialogPath, body{"dialogId": ids["ask"], "control": approve(st.Pending...)}).ends("done")
	}
	if got := h.read("p", "deed", "asked.txt"); got != "asked\n" {
		h.t.Errorf("asked.txt: %q", got)
	}
	for _, name := range []string{"one", "two", "three"} {
		if there := h.there("p", "deed", name+".txt"); there != (name == "one" || name == "three" && !strings.Contains(h.read("p", dialog.Filename(ids["work"], dialog.Waiting)), "> Kind: undo")) {
			h.t.Errorf("%s.txt is there: %v", name, there)
		}
	}
}
