package turn

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vibey/provider"
)

// What a human did while a tried command ran stays, and is told before and behind the decision:
// that the effect waited does not make it what the command saw.
func TestTriedSavedWhileItRan(t *testing.T) {
	for what, do := range map[string]func(w *world){
		"a human's\n": func(w *world) { w.save("deed/a.txt", "a human's\n") },
		"(none)":      func(w *world) { os.Remove(filepath.Join(w.dir, "root/p/deed/a.txt")) },
	} {
		w := newLayeredWorld(t, &script{answers: [][]provider.Event{{command("c1", "cd deed && echo new >a.txt && echo b >b.txt && sleep 3")}, text("Done.")}})
		w.save("deed/a.txt", "old\n")
		sub, err := w.run.Start(context.Background(), Input{Project: w.p(), Provider: "claude", Model: "m", Slug: "x", Control: control("try run_command"), Prompt: &Prompt{Text: "go"}})
		if err != nil {
			t.Fatal(err)
		}
		for begun := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) { // until its layer has what it writes
			if wrote, _ := filepath.Glob(filepath.Join(filepath.Dir(w.dir), "*/*/layer-*/up/b.txt")); len(wrote) > 0 {
				break
			}
			if time.Now().After(begun) {
				t.Fatal("the command did not begin")
			}
		}
		if w.read("deed/a.txt") != "old\n" {
			t.Fatal(w.read("deed/a.txt"))
		}
		do(w)
		id := w.drain(sub)[0].DialogID
		v := w.view(id)
		if len(v.Pending) != 1 || v.Pending[0].Target == nil || len(v.Pending[0].Target.Conflicts) != 1 {
			t.Fatalf("%+v\n%s", v.Pending, v.Text)
		}
		w.put(Input{DialogID: id, Control: control("c1 approve effect:" + v.Pending[0].Effect.SHA256)})
		if r := result(w.view(id).Dialog, "c1"); w.read("deed/a.txt") != what || w.read("deed/b.txt") != "b\n" || !strings.Contains(r, `"conflicts":[{"path":"deed/a.txt"}]`) {
			t.Errorf("%s\nthe deed has %q", r, w.read("deed/a.txt"))
		}
	}
}
