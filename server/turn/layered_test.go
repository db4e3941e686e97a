package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vibey/dialog"
	"vibey/dialog/effect"
	"vibey/provider"
	"vibey/tools/layer"
)

// inHome is the path of a file in the HOME of commands, where each side sees what the other
// writes while a command runs.
func (w *world) inHome(name string) string { return filepath.Join(w.dir, "home/false/p", name) }

// signals is a part of a command that waits for what a test does meanwhile.
const signals = "touch ~/began; while [ ! -e ~/go ]; do sleep 0.01; done; "

// meanwhile runs the call c1, and do once that has begun.
func (w *world) meanwhile(id string, do func()) {
	w.t.Helper()
	_, sub, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Control: control("c1 approve")})
	if err != nil {
		w.t.Fatal(err)
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(w.inHome("began")); err == nil {
			break
		}
		if time.Now().After(end) {
			w.t.Fatal("the command did not begin")
		}
	}
	do()
	if err := os.WriteFile(w.inHome("go"), nil, 0o644); err != nil {
		w.t.Fatal(err)
	}
	w.drain(sub)
}

// answer is the result of the call c1.
func (w *world) answer(id string) (a struct {
	Success            bool
	Error              string
	ExitCode           int
	Changed, Conflicts json.RawMessage
	Refused            []effect.Refused
}) {
	w.t.Helper()
	if err := json.Unmarshal([]byte(result(w.view(id).Dialog, "c1")), &a); err != nil {
		w.t.Fatal(err)
	}
	return a
}

// nothingApplying fails the test if a journal, or a layer, is left.
func (w *world) nothingApplying() {
	w.t.Helper()
	if left, _ := filepath.Glob(filepath.Join(w.dir, "state/applying/*.json*")); len(left) > 0 {
		w.t.Errorf("left: %v", left)
	}
}

// eachMaker runs a test with each maker of layers.
func eachMaker(t *testing.T, test func(t *testing.T, by layer.By)) {
	for _, by := range []layer.By{layer.Overlay, layer.Copy} {
		t.Run(string(by), func(t *testing.T) { test(t, by) })
	}
}

// What a command wrote is in the deed when it has ended, and told by its hashes. What others
// saved meanwhile stays and is not told as the command's, also where it changed the same file.
func TestCommandInALayer(t *testing.T) {
	eachMaker(t, func(t *testing.T, by layer.By) {
		w := newWorldBy(t, &script{answers: [][]provider.Event{
			{command("c1", "cd deed; "+signals+"printf new >a.txt; rm gone.txt; mkdir sub; printf x >sub/x; printf mine >>same.txt; touch as-it-was.txt; ls")}, text("Done."),
		}}, 20*time.Second, by)
		for _, name := range []string{"a.txt", "gone.txt", "same.txt", "other.txt", "as-it-was.txt"} {
			w.save("deed/"+name, "old")
		}
		id, _ := w.start("go")
		w.meanwhile(id, func() {
			w.save("deed/same.txt", "the human's")
			w.save("deed/other.txt", "the human's, too")
		})
		sha := dialog.SHA256[string]
		want := fmt.Sprintf(`[{"path":"deed/a.txt","sha256":%q,"replaced":%q},{"path":"deed/gone.txt","sha256":"","deleted":true,"replaced":%q},{"path":"deed/sub/x","sha256":%q,"replaced":""}]`,
			sha("new"), sha("old"), sha("old"), sha("x"))
		a := w.answer(id)
		if string(a.Changed) != want || string(a.Conflicts) != `[{"path":"deed/same.txt"}]` || a.Success || a.ExitCode != 0 || !strings.Contains(a.Error, "Somebody else changed") {
			t.Errorf("%s\nwant %s", result(w.view(id).Dialog, "c1"), want)
		}
		w.nothingApplying()
		for name, want := range map[string]string{"a.txt": "new", "gone.txt": "(none)", "sub/x": "x", "same.txt": "the human's", "other.txt": "the human's, too", "as-it-was.txt": "old"} {
			if got := w.read("deed/" + name); got != want {
				t.Errorf("%s is %q", name, got)
			}
		}
		if got := w.undoes(Undoing{DialogID: id, ID: "c1"}); w.read("deed/a.txt") != "old" || w.read("deed/gone.txt") != "old" || w.read("deed/same.txt") != "the human's" || strings.Contains(got, "same") {
			t.Error(got)
		}
	})
}

// The program is killed while it puts into the deed what a command changed: the dialog goes on
// with all of it there, with its result, and without running the command again.
func TestKilledWhileApplying(t *testing.T) {
	for _, after := range []int{0, 1} {
		eachMaker(t, func(t *testing.T, by layer.By) {
			w := newWorldBy(t, &script{answers: [][]provider.Event{
				{command("c1", "echo ran >>~/ran; cd deed; for i in $(seq 100 499); do printf new >$i; done")}, text("Done."),
			}}, 20*time.Second, by)
			for i := 100; i < 500; i++ {
				w.save(fmt.Sprintf("deed/%d", i), "old")
			}
			id, _ := w.start("go")
			killed := errors.New("killed")
			w.stands = func() error {
				journals, _ := filepath.Glob(filepath.Join(w.dir, "state/applying/*.json"))
				if len(journals) > 0 && (after == 0 || w.read("deed/100") == "new") {
					return killed
				}
				return nil
			}
			w.put(Input{DialogID: id, Control: control("c1 approve")})
			// A fast disk may have taken all of it before the second time that it is asked.
			if r := result(w.view(id).Dialog, "c1"); r != "(none)" || after == 0 && w.read("deed/499") != "old" {
				t.Fatalf("it was not killed: %s", r)
			}
			w.stands = nil
			w.run.Shutdown(context.Background())
			w.run.w.Store.Close()
			w.restart()
			w.put(Input{DialogID: id, Continue: true})
			a := w.answer(id)
			if ran, _ := os.ReadFile(w.inHome("ran")); !a.Success || string(ran) != "ran\n" || strings.Count(string(a.Changed), dialog.SHA256("new")) != 200 {
				t.Errorf("ran %q: %s", ran, result(w.view(id).Dialog, "c1"))
			}
			for i := 100; i < 500; i++ {
				if got := w.read(fmt.Sprintf("deed/%d", i)); got != "new" {
					t.Fatalf("%d is %q", i, got)
				}
			}
			w.nothingApplying()
		})
	}
}

// A command that is stopped leaves nothing in the deed.
func TestStoppedInALayer(t *testing.T) {
	eachMaker(t, func(t *testing.T, by layer.By) {
		w := newWorldBy(t, &script{answers: [][]provider.Event{{command("c1", "printf x >deed/x; rm deed/old; "+signals)}, text("Done.")}}, 20*time.Second, by)
		w.save("deed/old", "old")
		id, _ := w.start("go")
		w.meanwhile(id, func() {
			if _, _, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Status: dialog.Waiting}); err != nil {
				t.Error(err)
			}
		})
		if a := w.answer(id); !strings.Contains(a.Error, "stopped by user") || w.read("deed/x") != "(none)" || w.read("deed/old") != "old" {
			t.Errorf("%+v", a)
		}
	})
}

// What a command wrote until its time was over counts.
func TestTimedOutInALayer(t *testing.T) {
	eachMaker(t, func(t *testing.T, by layer.By) {
		w := newWorldBy(t, &script{answers: [][]provider.Event{{command("c1", "printf x >deed/x; sleep 60")}, text("Done.")}}, 2*time.Second, by)
		id, _ := w.start("go")
		w.put(Input{DialogID: id, Control: control("c1 approve")})
		if a := w.answer(id); a.Success || !strings.Contains(a.Error, "stopped after 2s") || !strings.Contains(string(a.Changed), dialog.SHA256("x")) || w.read("deed/x") != "x" {
			t.Errorf("%+v, %s", a, a.Changed)
		}
	})
}

// A command that writes more than a layer may hold is ended, and nothing of it counts.
func TestTooMuchForALayer(t *testing.T) {
	most := layer.MostFiles
	layer.MostFiles = 50
	defer func() { layer.MostFiles = most }()
	for _, after := range []string{"", "; sleep 60"} {
		eachMaker(t, func(t *testing.T, by layer.By) {
			w := newWorldBy(t, &script{answers: [][]provider.Event{{command("c1", "cd deed; printf new >old; for i in $(seq 100); do : >$i; done"+after)}, text("Done.")}}, 20*time.Second, by)
			w.save("deed/old", "old")
			id, _ := w.start("go")
			w.put(Input{DialogID: id, Control: control("c1 approve")})
			a := w.answer(id)
			if a.Success || string(a.Changed) != "[]" || !strings.Contains(a.Error, "nothing of it") || !strings.Contains(a.Error, "and may have 50 ") || after != "" && !strings.Contains(a.Error, "stopped") {
				t.Errorf("%+v, %s", a, a.Changed)
			}
			if entries, err := os.ReadDir(filepath.Join(w.dir, "root/p/deed")); len(entries) != 1 || w.read("deed/old") != "old" {
				t.Errorf("%v, %v", entries, err)
			}
		})
	}
}

// A hook of git never comes into the deed, and that is told.
func TestHookFromALayer(t *testing.T) {
	eachMaker(t, func(t *testing.T, by layer.By) {
		w := newWorldBy(t, &script{answers: [][]provider.Event{{command("c1", "cd deed; printf new >a.txt; echo echo >.git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit")}, text("Done.")}}, 20*time.Second, by)
		w.gitDeed(map[string]string{"a.txt": "old"})
		if err := os.MkdirAll(filepath.Join(w.dir, "root/p/deed/.git/hooks"), 0o755); err != nil {
			t.Fatal(err)
		}
		id, _ := w.start("go")
		w.put(Input{DialogID: id, Control: control("c1 approve")})
		a := w.answer(id)
		if !a.Success || len(a.Refused) != 1 || a.Refused[0].Path != "deed/.git/hooks/pre-commit" || a.Refused[0].Why == "" || w.read("deed/a.txt") != "new" || w.read("deed/.git/hooks/pre-commit") != "(none)" {
			t.Errorf("%s", result(w.view(id).Dialog, "c1"))
		}
	})
}
