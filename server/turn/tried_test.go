package turn

import (
	"context"
	"errors"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/provider"
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
