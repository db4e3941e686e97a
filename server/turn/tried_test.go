package turn

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
	"vibey/dialog/effect"
	"vibey/provider"
	"vibey/server/project"
)

// tries is a world in which commands are tried first, and a dialog that has called one.
func tries(t *testing.T, command string) (w *world, id string) {
	w = newLayeredWorld(t, &script{answers: [][]provider.Event{{provider.Call{ID: "c1", Name: "run_command", Args: `{"command":` + quoted(command) + `}`}}, text("Done.")}})
	w.save("deed/a.txt", "old\n")
	sub, err := w.run.Start(context.Background(), Input{Project: w.p(), Provider: "claude", Model: "m", Slug: "x", Control: control("try run_command"), Prompt: &Prompt{Text: "go"}})
	if err != nil {
		t.Fatal(err)
	}
	return w, w.drain(sub)[0].DialogID
}

func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// What a tried command changed waits, and counts once exactly that is allowed.
func TestTried(t *testing.T) {
	w, id := tries(t, "cd deed && printf 'new\n' >a.txt && mkdir d && echo x >d/x && ln -s a.txt l; echo said; echo wrong >&2; echo home >$HOME/h; exit 3")
	v := w.view(id)
	if v.Needs != "approval" || len(v.Pending) != 1 || v.Pending[0].Effect == nil {
		t.Fatalf("%+v\n%s", v.State, v.Text)
	}
	e := v.Pending[0].Effect
	if w.read("deed/a.txt") != "old\n" || e.ExitCode != 3 || e.Stdout != "said\n" || e.Stderr != "wrong\n" || len(e.Changes) != 4 {
		t.Errorf("%+v, the deed has %q", e, w.read("deed/a.txt"))
	}
	for _, stale := range []string{"c1 approve", "c1 approve effect:" + strings.Repeat("0", 64)} {
		if _, _, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Control: control(stale)}); !errors.Is(err, ErrStale) {
			t.Errorf("%s is taken", stale)
		}
	}
	w.put(Input{DialogID: id, Control: control("c1 approve sha256:" + v.Pending[0].SHA256 + " effect:" + e.SHA256)})
	r := result(w.view(id).Dialog, "c1")
	if w.read("deed/a.txt") != "new\n" || w.read("deed/d/x") != "x\n" || !strings.Contains(r, `"tried":true`) || !strings.Contains(r, dialog.SHA256("old\n")) || !strings.Contains(r, closedWords) {
		t.Errorf("%s\n%q", r, w.read("deed/a.txt"))
	}
	if got := w.undoes(Undoing{DialogID: id, ID: "c1"}); w.read("deed/a.txt") != "old\n" {
		t.Errorf("undone: %s", got)
	}
}

const closedWords = `closed: ask with run_command`

// What a human does not want is gone, and so is what changes nothing asked of nobody.
func TestTriedDenied(t *testing.T) {
	w, id := tries(t, "echo new >deed/a.txt; echo h >$HOME/h")
	w.put(Input{DialogID: id, Control: control("c1 deny")})
	if r := result(w.view(id).Dialog, "c1"); r != `{"success":false,"error":"Denied by user","tried":true}` || w.read("deed/a.txt") != "old\n" {
		t.Errorf("%s\n%q", r, w.read("deed/a.txt"))
	}
	w, id = tries(t, "cat deed/a.txt; echo old >deed/a.txt")
	if v := w.view(id); len(v.Pending) > 0 || !strings.Contains(result(v.Dialog, "c1"), `"changed":[]`) {
		t.Errorf("%s", v.Text)
	}
}

// An effect waits over a restart, with other calls behind it.
func TestTriedRestarted(t *testing.T) {
	w, id := tries(t, "echo new >deed/a.txt; for i in $(seq 300); do echo $i >deed/n$i; done")
	w.restart()
	v := w.view(id)
	if len(v.Pending) != 1 || v.Pending[0].Effect == nil || !v.Pending[0].Effect.Held {
		t.Fatalf("%s", v.Text)
	}
	w.put(Input{DialogID: id, Control: control("c1 approve effect:" + v.Pending[0].Effect.SHA256)})
	if r := result(w.view(id).Dialog, "c1"); w.read("deed/a.txt") != "new\n" || w.read("deed/n300") != "300\n" || !strings.Contains(r, `"changedMore":101`) {
		t.Errorf("%s", r)
	}
}

// What a tried command wrote to its HOME counts if what it changed does, or if that is nothing.
func TestTriedHome(t *testing.T) {
	testenv.Slow(t)
	for _, c := range []struct {
		command, verb string
		stays         bool
	}{{"echo h >$HOME/h; echo new >deed/a.txt", "approve", true}, {"echo h >$HOME/h; echo new >deed/a.txt", "deny", false}, {"echo h >$HOME/h", "", true}} {
		w, id := tries(t, c.command)
		if v := w.view(id); c.verb == "approve" {
			w.put(Input{DialogID: id, Control: control("c1 approve effect:" + v.Pending[0].Effect.SHA256)})
		} else if c.verb != "" {
			w.put(Input{DialogID: id, Control: control("c1 deny")})
		}
		if _, err := os.Stat(filepath.Join(w.dir, "home/false/p/h")); (err == nil) != c.stays {
			t.Errorf("%s, %s: %v", c.command, c.verb, err)
		}
	}
}

// Without the state dir, as on another machine, what lies in the project counts, and what
// does not can't.
func TestTriedElsewhere(t *testing.T) {
	testenv.Slow(t)
	for command, moves := range map[string]bool{"echo new >deed/a.txt": true, "echo new >deed/a.txt; for i in $(seq 300); do echo $i >deed/n$i; done": false} {
		w, id := tries(t, command)
		if err := os.RemoveAll(filepath.Join(w.dir, "state")); err != nil {
			t.Fatal(err)
		}
		w.restart()
		w.put(Input{DialogID: id, Control: control("c1 approve effect:" + w.view(id).Pending[0].Effect.SHA256)})
		if r := result(w.view(id).Dialog, "c1"); (w.read("deed/a.txt") == "new\n") != moves || strings.Contains(r, "another machine") == moves || moves && w.read("deed/n1") != "(none)" {
			t.Errorf("%s\n%q", r, w.read("deed/a.txt"))
		}
	}
}

// While an effect waits nothing else of the dialog runs. What others changed below it stays,
// which is told before and behind the decision; the rest counts.
func TestTriedConflicts(t *testing.T) {
	for _, many := range []string{"", " && for i in $(seq 300); do echo $i >n$i; done"} {
		testTriedConflicts(t, many)
	}
}

func testTriedConflicts(t *testing.T, many string) {
	w := newLayeredWorld(t, &script{answers: [][]provider.Event{{
		provider.Call{ID: "c1", Name: "run_command", Args: `{"command":"cd deed && echo new >a.txt && echo new >b.txt` + many + `"}`},
		provider.Call{ID: "c2", Name: "run_command", Args: `{"command":"cat deed/b.txt"}`},
	}, text("Done.")}})
	w.save("deed/a.txt", "old\n")
	w.save("deed/b.txt", "old\n")
	sub, err := w.run.Start(context.Background(), Input{Project: w.p(), Provider: "claude", Model: "m", Slug: "x", Control: control("try run_command"), Prompt: &Prompt{Text: "go"}})
	if err != nil {
		t.Fatal(err)
	}
	id := w.drain(sub)[0].DialogID
	w.save("deed/a.txt", "a human's\n")
	v := w.view(id)
	if len(v.Pending) != 1 || v.Dialog.Started("c2") || v.Pending[0].Target == nil || len(v.Pending[0].Target.Conflicts) != 1 || v.Pending[0].Target.Conflicts[0].Path != "deed/a.txt" {
		t.Fatalf("%+v\n%s", v.Pending, v.Text)
	}
	w.put(Input{DialogID: id, Control: control("c1 approve effect:" + v.Pending[0].Effect.SHA256)})
	d := w.view(id).Dialog
	if r := result(d, "c1"); !strings.Contains(r, `"success":false`) || !strings.Contains(r, "after it began") || !strings.Contains(r, `"conflicts":[{"path":"deed/a.txt"}]`) || w.read("deed/a.txt") != "a human's\n" || w.read("deed/b.txt") != "new\n" {
		t.Errorf("%s\n%q", r, w.read("deed/a.txt"))
	}
	if r := result(d, "c2"); !strings.Contains(r, `"stdout":"new\n"`) {
		t.Error(r)
	}
}

// Before the checkpoint a tried command runs, and what it changed is refused,
// before a human, or a rule of theirs, is asked.
func TestTriedInRecon(t *testing.T) {
	w := newLayeredWorld(t, &script{answers: [][]provider.Event{{
		provider.Call{ID: "c1", Name: "run_command", Args: `{"command":"cat deed/a.txt"}`},
		provider.Call{ID: "c2", Name: "run_command", Args: `{"command":"echo new >deed/a.txt"}`},
	}, text("Done.")}})
	w.save("deed/a.txt", "old\n")
	w.save("doc-main.md", "# p\n\nəəəproject/v1\nphases on\nəəə\n")
	sub, err := w.run.Start(context.Background(), Input{Project: w.p(), Provider: "claude", Model: "m", Slug: "x", Control: control("try run_command\nallow run_command deed/"), Intent: "feature_build", Prompt: &Prompt{Text: "Build it"}})
	if err != nil {
		t.Fatal(err)
	}
	d := w.view(w.drain(sub)[0].DialogID).Dialog
	i := d.Find(dialog.ToolResult, "c2")
	if r := result(d, "c1"); !strings.Contains(r, `"stdout":"old\n"`) || i < 0 || d.Sections[i].Meta.Get("Refused") != "phase" || w.read("deed/a.txt") != "old\n" {
		t.Errorf("%s\n%s", r, dialog.Format(d))
	}
}

// What lies in a git folder counts and is not listed; a hook never counts, and the result
// goes by the exit code.
func TestLayerOfGit(t *testing.T) {
	w := newLayeredWorld(t, &script{answers: [][]provider.Event{{provider.Call{ID: "c1", Name: "run_command", Args: `{"command":"cd deed && git init -q r && echo x >r/.git/hooks/pre-commit && echo y >r/f"}`}}, text("Done.")}})
	sub, err := w.run.Start(context.Background(), Input{Project: w.p(), Provider: "claude", Model: "m", Slug: "x", Control: control("allow run_command"), Prompt: &Prompt{Text: "go"}})
	if err != nil {
		t.Fatal(err)
	}
	r := result(w.view(w.drain(sub)[0].DialogID).Dialog, "c1")
	if !strings.Contains(r, `"success":true`) || strings.Count(r, `"sha256"`) != 1 || !strings.Contains(r, `"refused":[{"path":"deed/r/.git/hooks/pre-commit"`) || w.read("deed/r/.git/hooks/pre-commit") != "(none)" || !strings.HasPrefix(w.read("deed/r/.git/HEAD"), "ref: ") || w.read("deed/r/f") != "y\n" {
		t.Error(r)
	}
}

// Of a command that its time limit ends it is asked what it changed until then.
func TestTriedTimedOut(t *testing.T) {
	testenv.Slow(t)
	w := newLayeredWorld(t, &script{answers: [][]provider.Event{{provider.Call{ID: "c1", Name: "run_command", Args: `{"command":"echo new >deed/a.txt; sleep 60"}`}}, text("Done.")}})
	w.save("doc-main.md", "# p\n\nəəəproject/v1\nlimit 1\nəəə\n")
	sub, err := w.run.Start(context.Background(), Input{Project: w.p(), Provider: "claude", Model: "m", Slug: "x", Control: control("try run_command"), Prompt: &Prompt{Text: "go"}})
	if err != nil {
		t.Fatal(err)
	}
	id := w.drain(sub)[0].DialogID
	v := w.view(id)
	if len(v.Pending) != 1 || v.Pending[0].Effect == nil || v.Pending[0].Effect.ExitCode == 0 || w.read("deed/a.txt") != "(none)" {
		t.Fatalf("%+v\n%s", v.Pending, v.Text)
	}
	w.put(Input{DialogID: id, Control: control("c1 approve effect:" + v.Pending[0].Effect.SHA256)})
	if r := result(w.view(id).Dialog, "c1"); w.read("deed/a.txt") != "new\n" || !strings.Contains(r, `"success":false`) || !strings.Contains(r, "stopped after 1s") {
		t.Errorf("%s\n%q", r, w.read("deed/a.txt"))
	}
}

// What a tried command wrote to its HOME counts also where a kill came while its effect was put
// into the deed, and the human then goes on with other words.
func TestTriedHomeBehindKill(t *testing.T) {
	w, id := tries(t, "echo new >deed/a.txt; echo h >$HOME/h")
	e := w.view(id).Pending[0].Effect
	deed := filepath.Join(w.dir, "root", w.p().Name(), "deed")
	if err := cmp.Or(os.Rename(deed, deed+".away"), os.WriteFile(deed, nil, 0o600)); err != nil { // it is allowed, and can't be applied
		t.Fatal(err)
	}
	if _, sub, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Control: control("c1 approve effect:" + e.SHA256)}); err == nil {
		w.drain(sub)
	}
	if err := cmp.Or(os.Remove(deed), os.Rename(deed+".away", deed)); err != nil {
		t.Fatal(err)
	}
	call := project.Call{Dialog: id, ID: "c1", Say: []byte("{}")}
	l, r, err := w.p().Held(t.Context(), effect.Of(e.Changes), call, false)
	if err == nil {
		_, err = w.p().Apply(t.Context(), l, r, call)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "go on"}})
	home, err := w.run.w.Home(w.p().Name(), false)
	if b, _ := os.ReadFile(filepath.Join(home, "h")); err != nil || string(b) != "h\n" || w.read("deed/a.txt") != "new\n" {
		t.Errorf("%q %v\n%s", b, err, w.view(id).Text)
	}
}
