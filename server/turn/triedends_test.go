package turn

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
	"vibey/provider"
	"vibey/tools/layer"
)

// A stop drops what a tried command did: nobody is asked, nothing of it counts or is left.
func TestTriedStopped(t *testing.T) {
	eachMaker(t, func(t *testing.T, by layer.By) {
		w := newWorldBy(t, &script{answers: [][]provider.Event{{command("c1", "echo new >deed/a.txt; echo h >$HOME/h; echo b >deed/b.txt; sleep 60")}, text("Done.")}}, 90*time.Second, by)
		w.save("deed/a.txt", "old\n")
		sub, err := w.run.Start(context.Background(), Input{Project: w.p(), Provider: "claude", Model: "m", Slug: "x", Control: control("try run_command"), Prompt: &Prompt{Text: "go"}})
		if err != nil {
			t.Fatal(err)
		}
		layers := func() []string {
			all, _ := filepath.Glob(filepath.Join(w.walls.Leases, "*/layer-*/up/b.txt"))
			return all
		}
		for begun := time.Now().Add(20 * time.Second); len(layers()) == 0; time.Sleep(time.Millisecond) {
			if time.Now().After(begun) {
				t.Fatal("the command did not begin")
			}
		}
		all, err := w.p().Dialogs()
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		id := all[0].ID
		if _, _, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Status: dialog.Waiting}); err != nil {
			t.Fatal(err)
		}
		w.drain(sub)
		v := w.view(id)
		if r := result(v.Dialog, "c1"); len(v.Pending) > 0 || !strings.Contains(r, dialog.StoppedByUser) || w.read("deed/a.txt") != "old\n" || w.read("deed/b.txt") != "(none)" {
			t.Errorf("%s\n%s", r, v.Text)
		}
		if _, err := os.Stat(w.inHome("h")); err == nil {
			t.Error("its HOME counts")
		}
		w.run.w.Sandbox.End()
		if left := layers(); len(left) > 0 {
			t.Error(left)
		}
	})
}

// Where a deed turns out to have no layer, a tried command does not run, its result says why,
// and the next one is asked about, runs without, and says so.
func TestTriedWithoutLayer(t *testing.T) {
	testenv.Long(t)
	again := func(id string) []provider.Event { return []provider.Event{command(id, "echo new >deed/a.txt")} }
	w := newWorldBy(t, &script{answers: [][]provider.Event{again("c1"), again("c2"), text("Done.")}}, 20*time.Second, layer.Copy)
	many := filepath.Join(w.dir, "root/p/deed/many")
	if err := cmp.Or(os.MkdirAll(many, 0o755), os.WriteFile(many+"/0", nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	for i := range 20_000 {
		if err := os.Link(many+"/0", fmt.Sprint(many, "/", i+1)); err != nil {
			t.Fatal(err)
		}
	}
	sub, err := w.run.Start(context.Background(), Input{Project: w.p(), Provider: "claude", Model: "m", Slug: "x", Control: control("try run_command"), Prompt: &Prompt{Text: "go"}})
	if err != nil {
		t.Fatal(err)
	}
	id := w.drain(sub)[0].DialogID
	v := w.view(id)
	if r := result(v.Dialog, "c1"); !strings.Contains(r, "the command was not run") || !strings.Contains(r, "20001 files") || v.Dialog.Started("c2") || len(v.Pending) != 1 || v.Pending[0].ID != "c2" || v.Pending[0].Effect != nil || w.read("deed/a.txt") != "(none)" {
		t.Fatalf("%s\n%+v", r, v.Pending)
	}
	w.put(Input{DialogID: id, Control: control("c2 approve")})
	if r := result(w.view(id).Dialog, "c2"); !strings.Contains(r, `"noLayer":"`) || w.read("deed/a.txt") != "new\n" {
		t.Error(r)
	}
}

// A tried command that is the declared verify verifies what the turn changed before, also where
// its own effect was asked about.
func TestTriedVerifies(t *testing.T) {
	for check, asks := range map[string]bool{"test -s deed/a.txt": false, "cp deed/a.txt deed/built": true, "": false} {
		calls := [][]provider.Event{{write("c0", "deed/a.txt", "x")}, {command("c1", check)}, text("It is built."), text("Still."), text("Still.")}
		if check == "" {
			calls = append(calls[:1], calls[2:]...)
		}
		w := newLayeredWorld(t, &script{answers: calls})
		w.save("doc-main.md", "# p\n\nəəəproject/v1\nverify "+check+"\nəəə\n")
		if check == "" {
			w.save("doc-main.md", "# p\n\nəəəproject/v1\nverify true\nəəə\n")
		}
		sub, err := w.run.Start(context.Background(), Input{Project: w.p(), Provider: "claude", Model: "m", Slug: "x", Control: control("allow write_file\ntry run_command"), Prompt: &Prompt{Text: "go"}})
		if err != nil {
			t.Fatal(err)
		}
		id := w.drain(sub)[0].DialogID
		if v := w.view(id); len(v.Pending) > 0 != asks {
			t.Fatalf("%s: %+v", check, v.Pending)
		} else if asks {
			w.put(Input{DialogID: id, Control: control("c1 approve effect:" + v.Pending[0].Effect.SHA256)})
		}
		if sent := strings.Contains(w.view(id).Text, "> Kind: gate"); sent != (check == "") {
			t.Errorf("%q: sent back to verify: %t\n%s", check, sent, w.view(id).Text)
		}
	}
}
