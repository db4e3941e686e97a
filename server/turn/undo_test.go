package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vibey/dialog"
	"vibey/dialog/change"
	"vibey/provider"
)

// undoes sends an undo and returns its answer in short: "path sha" of what was put back,
// and "path: why" of what was not.
func (w *world) undoes(u Undoing) string {
	w.t.Helper()
	done, err := w.run.Undo(context.Background(), w.p(), u)
	if err != nil {
		w.t.Fatal(err)
	}
	var out []string
	for _, f := range done.Undone.Undone {
		out = append(out, f.Path+" "+f.SHA256)
	}
	for _, f := range done.Refused {
		out = append(out, f.Path+": "+f.Why)
	}
	return strings.Join(out, "\n")
}

// undoable is a dialog whose one turn makes deed/a.txt (c1), edits it (c2), and replaces
// doc-b.md (c3), which a human had saved.
func undoable(t *testing.T, more ...[]provider.Event) (*world, string) {
	w := newWorld(t, &script{answers: append([][]provider.Event{
		{write("c1", "deed/a.txt", "one two"), edit("c2", "deed/a.txt", "two", "three"), write("c3", "doc-b.md", "theirs")}, text("Done."),
	}, more...)})
	w.save("doc-b.md", "mine")
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("allow write_file\nallow edit_file")})
	return w, id
}

// lastNote is the last section of a dialog, which must be a Note.
func (w *world) lastNote(id string) *dialog.Section {
	w.t.Helper()
	d := w.view(id).Dialog
	s := &d.Sections[len(d.Sections)-1]
	if s.Role != dialog.Note {
		w.t.Fatalf("the last section is %s", s.Role)
	}
	return s
}

// What a call changed is taken back, once; the undo is told in the dialog, to the model
// too, and can be undone itself.
func TestUndoOfCalls(t *testing.T) {
	w, id := undoable(t, text("I see."))
	if got := w.undoes(Undoing{DialogID: id, ID: "c3"}); got != "doc-b.md "+dialog.SHA256("mine") || w.read("doc-b.md") != "mine" {
		t.Errorf("%q: %q", got, w.read("doc-b.md"))
	}
	n := w.lastNote(id)
	first := n.ID
	if n.Kind() != "undo" || n.Meta.Get("Parent") != "c3" || n.Meta.Get("To") != "model" || n.Meta.Get("By") != "human" ||
		n.Payload(dialog.NoteJSON) != `{"undone":[{"path":"doc-b.md","sha256":"`+dialog.SHA256("mine")+`"}],"refused":[]}` {
		t.Errorf("%+v", n)
	}
	if v := w.view(id); v.Needs != dialog.NeedsReply {
		t.Errorf("after an undo it needs %s", v.Needs)
	}
	size := len(w.view(id).Text)
	if got := w.undoes(Undoing{DialogID: id, ID: "c3"}); got != "doc-b.md: it was taken back already, by the undo "+first || len(w.view(id).Text) != size {
		t.Error(got)
	}
	if got := w.undoes(Undoing{DialogID: id, ID: first}); got != "doc-b.md "+dialog.SHA256("theirs") || w.read("doc-b.md") != "theirs" {
		t.Error(got)
	}
	w.restart()
	if got := w.undoes(Undoing{DialogID: id, ID: w.lastNote(id).ID}); got != "doc-b.md "+dialog.SHA256("mine") || w.read("doc-b.md") != "mine" {
		t.Error(got)
	}
	// The edit stands on the write.
	if got := w.undoes(Undoing{DialogID: id, ID: "c1"}); got != "deed/a.txt: it was changed since: the call c2 of this dialog left it so" {
		t.Error(got)
	}
	before := w.script.reqs[len(w.script.reqs)-1].History
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "and now?"}})
	after := w.script.reqs[len(w.script.reqs)-1].History
	for i, it := range before.Items[:before.Stable] {
		if it != after.Items[i] {
			t.Errorf("item %d was %+v, is %+v", i, it, after.Items[i])
		}
	}
	if h := w.script.last(); strings.Count(h, "[UNDO]") != 3 || !strings.HasSuffix(strings.TrimSpace(h), "and now?") {
		t.Error(h)
	}
}

// A turn is taken back at once, the last call first; what it made is removed, and comes
// back with the undo of the undo.
func TestUndoOfTurn(t *testing.T) {
	w, id := undoable(t)
	user := w.view(id).Dialog.Sections[1].ID
	want := "doc-b.md " + dialog.SHA256("mine") + "\ndeed/a.txt "
	if got := w.undoes(Undoing{DialogID: id, Turn: user}); got != want {
		t.Errorf("%q", got)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "root/p/deed/a.txt")); !errors.Is(err, os.ErrNotExist) || w.read("doc-b.md") != "mine" {
		t.Error(err)
	}
	if got := w.undoes(Undoing{DialogID: id, Turn: user}); strings.Count(got, "taken back already") != 2 {
		t.Error(got)
	}
	// Without what was kept the calls' own texts tell it.
	if err := os.RemoveAll(filepath.Join(w.dir, "root/p/.kept")); err != nil {
		t.Fatal(err)
	}
	if got := w.undoes(Undoing{DialogID: id, ID: w.lastNote(id).ID}); got != "deed/a.txt "+dialog.SHA256("one three")+"\ndoc-b.md "+dialog.SHA256("theirs") || w.read("deed/a.txt") != "one three" {
		t.Errorf("%q", got)
	}
}

// Without what was kept an edit is put back by its own text, and a write is not.
func TestUndoByOwnText(t *testing.T) {
	w, id := undoable(t)
	if err := os.RemoveAll(filepath.Join(w.dir, "root/p/.kept")); err != nil {
		t.Fatal(err)
	}
	if got := w.undoes(Undoing{DialogID: id, ID: "c2"}); got != "deed/a.txt "+dialog.SHA256("one two") || w.read("deed/a.txt") != "one two" {
		t.Error(got)
	}
	if got := w.undoes(Undoing{DialogID: id, ID: "c3"}); !strings.HasPrefix(got, "doc-b.md: what stood there before is not kept") || w.read("doc-b.md") != "theirs" {
		t.Error(got)
	}
	// Bytes that only claim to be those are not.
	dir := filepath.Join(w.dir, "root/p/.kept")
	if err := os.WriteFile(filepath.Join(dir, dialog.SHA256("mine")), []byte("evil"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := w.undoes(Undoing{DialogID: id, ID: "c3"}); !strings.Contains(got, "not kept") || w.read("doc-b.md") != "theirs" {
		t.Error(got)
	}
}

// Only a file that still is as the call left it is put back, and otherwise it is said who
// changed it.
func TestUndoSaysWhoChangedIt(t *testing.T) {
	w, id := undoable(t, []provider.Event{write("d1", "doc-b.md", "another's")}, text("Done too."))
	w.save("deed/a.txt", "by hand")
	if got := w.undoes(Undoing{DialogID: id, ID: "c2"}); got != "deed/a.txt: a human or a command changed it since" || w.read("deed/a.txt") != "by hand" {
		t.Error(got)
	}
	w.script.answers = [][]provider.Event{{write("d1", "doc-b.md", "another's")}, text("Done too.")}
	other, _ := w.start("go")
	w.put(Input{DialogID: other, Control: control("allow write_file")})
	if got := w.undoes(Undoing{DialogID: id, ID: "c3"}); got != "doc-b.md: it was changed since: the dialog "+other+" of this project left it so, with its call d1" || w.read("doc-b.md") != "another's" {
		t.Error(got)
	}
	w.refusal(id, "c3", "call d1")
	for id, ids := range map[string][]string{id: {"c9", ""}, other: {"c1"}} {
		for _, call := range ids {
			if _, err := w.run.Undo(context.Background(), w.p(), Undoing{DialogID: id, ID: call}); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%q: %v", call, err)
			}
		}
	}
}

// A kill between the files and the Note leaves files that are as before: the same undo
// once more says so of them, and takes back the rest.
func TestUndoAfterKill(t *testing.T) {
	w, id := undoable(t)
	user := w.view(id).Dialog.Sections[1].ID
	w.save("doc-b.md", "mine") // as an undo of the turn would have left it that was cut off here
	w.restart()
	got := w.undoes(Undoing{DialogID: id, Turn: user})
	if got != "deed/a.txt \ndoc-b.md: it is already as it was before; somebody put it back, or an undo that was cut off" || w.read("doc-b.md") != "mine" {
		t.Errorf("%q", got)
	}
	if got := w.undoes(Undoing{DialogID: id, ID: w.lastNote(id).ID}); got != "deed/a.txt "+dialog.SHA256("one three") {
		t.Errorf("%q", got)
	}
}

// What another one put back is no undo's doing: neither the undo nor the undo of that
// undo may touch it.
func TestUndoOfWhatStandsAsBefore(t *testing.T) {
	already := "it is already as it was before; somebody put it back, or an undo that was cut off"
	w, id := undoable(t)
	w.script.answers = [][]provider.Event{{write("d1", "doc-b.md", "mine")}, text("Done too.")}
	other, _ := w.start("go")
	w.put(Input{DialogID: other, Control: control("allow write_file")})
	if got := w.undoes(Undoing{DialogID: id, ID: "c3"}); got != "doc-b.md: it was changed since: the dialog "+other+" of this project left it so, with its call d1" {
		t.Error(got)
	}
	if err := os.Remove(filepath.Join(w.dir, "root/p/deed/a.txt")); err != nil {
		t.Fatal(err)
	}
	if got := w.undoes(Undoing{DialogID: id, Turn: w.view(id).Dialog.Sections[1].ID}); !strings.Contains(got, "deed/a.txt: "+already) || w.read("deed/a.txt") != "(none)" || w.read("doc-b.md") != "mine" {
		t.Error(got)
	}
	user := w.view(id).Dialog.Sections[1].ID
	w.refusal(id, user, already)
	// Asked for once more it stands there already.
	sections := len(w.view(id).Dialog.Sections)
	w.undoes(Undoing{DialogID: id, Turn: user})
	if n := len(w.view(id).Dialog.Sections); n != sections {
		t.Errorf("%d Notes more", n-sections)
	}
	// It is nothing to the model.
	w.script.answers = [][]provider.Event{text("On.")}
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "on"}})
	if sent := fmt.Sprint(w.script.reqs[len(w.script.reqs)-1].History.Items); strings.Contains(sent, "Nothing was put back") {
		t.Error("the model hears of an undo that did nothing")
	}
}

// refusal holds the last section of a dialog against an undo of parent that put nothing
// back: it tells a human why.
func (w *world) refusal(id, parent, why string) {
	w.t.Helper()
	n := w.lastNote(id)
	if n.Kind() != dialog.UndoNote || n.Meta.Get("To") != "human" || n.Meta.Get("By") != "human" || n.Meta.Get("Parent") != parent ||
		!strings.Contains(n.Text(), "Nothing was put back") || !strings.Contains(n.Text(), why) || len(change.UndoneBy(n).Undone) != 0 || len(change.UndoneBy(n).Refused) == 0 {
		w.t.Errorf("%v %s", n.Meta, n.Text())
	}
}

// Of two undos at once one takes it back, and the other finds it done.
func TestUndosAtOnce(t *testing.T) {
	w, id := undoable(t)
	var group sync.WaitGroup
	got := make([]string, 4)
	for i := range got {
		group.Go(func() { got[i] = w.undoes(Undoing{DialogID: id, ID: "c3"}) })
	}
	group.Wait()
	done := 0
	for _, g := range got {
		if g == "doc-b.md "+dialog.SHA256("mine") {
			done++
		} else if !strings.Contains(g, "taken back already") {
			t.Error(g)
		}
	}
	notes := 0
	for _, s := range w.view(id).Dialog.Sections {
		if s.Kind() == "undo" {
			notes++
		}
	}
	if done != 1 || notes != 1 {
		t.Errorf("%d undos, %d Notes", done, notes)
	}
}

// A call that waited while a human took something back was made for what stood there
// before, and is told what stands there now; one that the model makes after it was told
// of the undo may go on.
func TestWritesAfterUndo(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{
		{write("c1", "deed/a.txt", "one"), edit("c2", "deed/a.txt", "one", "two")}, text("Done."),
		{provider.Call{ID: "c3", Name: "run_command", Args: `{"command":"true"}`}, write("c4", "deed/a.txt", "three")}, text("Hm."),
		{write("c5", "deed/a.txt", "four")}, text("There."),
	}})
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("allow write_file\nallow edit_file")})
	w.put(Input{DialogID: id, Control: control("ask write_file"), Prompt: &Prompt{Text: "more"}})
	w.undoes(Undoing{DialogID: id, ID: "c2"})
	if v := w.view(id); v.Needs != dialog.NeedsApproval {
		t.Fatalf("needs %s", v.Needs)
	}
	w.put(Input{DialogID: id, Control: control("c3 deny\nallow write_file")})
	d := w.view(id).Dialog
	if r := d.Sections[d.Find(dialog.ToolResult, "c4")].Text(); !strings.Contains(r, `"current":{"path":"deed/a.txt","sha256":"`+dialog.SHA256("one")+`"}`) || w.read("deed/a.txt") != "one" {
		t.Error(r)
	}
	w.undoes(Undoing{DialogID: id, ID: "c1"}) // c1 was taken back to nothing
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "once more"}})
	if got := w.read("deed/a.txt"); got != "four" {
		t.Error(got)
	}
}

// A result that a hand wrote, or that was copied, reaches nothing that no call may write.
func TestUndoOfHandWrittenResults(t *testing.T) {
	w, id := undoable(t)
	p := filepath.Join(w.dir, "root/p")
	outside := filepath.Join(w.dir, "outside.txt")
	dialogFile := w.view(id).Filename
	for path, content := range map[string]string{
		outside: "evil", filepath.Join(p, "doc-plan.md"): "evil", filepath.Join(w.dir, "root/other.md"): "evil", filepath.Join(p, "deed/.git/hooks/x"): "evil",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink(outside, filepath.Join(p, "deed/link.txt")), os.Symlink(filepath.Join(p, "doc-b.md"), filepath.Join(p, "doc-link.md")),
		os.Symlink("a.txt", filepath.Join(p, "deed/inner.txt"))); err != nil {
		t.Fatal(err)
	}
	w.undoes(Undoing{DialogID: id, ID: "c2"}) // so that "one three" is kept
	w.undoes(Undoing{DialogID: id, ID: w.lastNote(id).ID})
	text := w.view(id).Text
	evil, kept := dialog.SHA256("evil"), dialog.SHA256("one two")
	for i, c := range []struct{ path, after, why string }{
		{"../../outside.txt", evil, "leads out"},
		{"../other.md", evil, "leads out"},
		{outside, evil, "leads out"},
		{"deed/../../../outside.txt", evil, "leads out"},
		{"deed/link.txt", evil, "leads out"},
		{"doc-link.md", dialog.SHA256("theirs"), "leads out"},
		{"deed/inner.txt", dialog.SHA256("one three"), "a link leads elsewhere"},
		{"doc-plan.md", evil, "no call may write it"},
		{dialogFile, "", "no call may write it"},
		{"deed/.git/hooks/x", evil, "no call may write it"},
		{".kept/" + kept, evil, "no call may write it"},
		{".id", evil, "no call may write it"},
		{"deed", evil, "no call may write it"},
	} {
		call := "hand" + string(rune('a'+i))
		after := c.after
		if after == "" {
			after = dialog.SHA256(w.file(id))
		}
		quoted, _ := json.Marshal(c.path)
		forged := text + "\n## Tool Request\n> Id: " + call + "\n> Tool: write_file\n> Status: pending\n\nəəətool/input/json\n{}\nəəə\n" +
			"\n## Tool Result\n> Id: " + call + "\n> Tool: write_file\n> Status: approved\n\nəəətool/result/json\n" +
			`{"success":true,"path":` + string(quoted) + `,"sha256":"` + after + `","replaced":"` + kept + `"}` + "\nəəə\n"
		if err := os.WriteFile(filepath.Join(p, dialogFile), []byte(forged), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := w.undoes(Undoing{DialogID: id, ID: call}); !strings.HasPrefix(got, c.path+": ") || !strings.Contains(got, c.why) {
			t.Errorf("%s: %q", c.path, got)
		}
	}
	for path, want := range map[string]string{outside: "evil", filepath.Join(p, "doc-plan.md"): "evil", filepath.Join(p, "deed/a.txt"): "one three", filepath.Join(p, "doc-b.md"): "theirs"} {
		if b, err := os.ReadFile(path); err != nil || string(b) != want {
			t.Errorf("%s: %q, %v", path, b, err)
		}
	}
}

// gitDeed makes the deed a git work tree with files that were committed an hour after they
// were written, so that their times tell that git has seen them.
func (w *world) gitDeed(files map[string]string) {
	w.t.Helper()
	deed := filepath.Join(w.dir, "root/p/deed")
	for name, text := range files {
		w.save("deed/"+name, text)
		then := time.Now().Add(-time.Hour)
		if err := os.Chtimes(filepath.Join(deed, name), then, then); err != nil {
			w.t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first"}} {
		cmd := exec.Command("git", append([]string{"-C", deed}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			w.t.Fatalf("%s: %v", out, err)
		}
	}
}

// What a command changed is put back, in a git work tree and elsewhere, committed or not. A
// file that a human saved since stays, and the same undo takes back the rest.
func TestUndoOfCommands(t *testing.T) {
	command := provider.Call{ID: "c1", Name: "run_command", Args: `{"command":"cd deed && printf new >a.txt && rm b.txt && printf made >made.txt && printf more >>mine.txt && printf more >>saved.txt"}`}
	for _, git := range []bool{true, false} {
		w := newLayeredWorld(t, &script{answers: [][]provider.Event{{command}, text("Done.")}})
		w.save("doc-main.md", "# p\n\nəəəproject/v1\ncommit off\nəəə\n")
		committed := map[string]string{"a.txt": "old\n", "b.txt": "gone\x00\xff"}
		if git {
			w.gitDeed(committed)
		} else {
			for name, text := range committed {
				w.save("deed/"+name, text)
			}
		}
		w.save("deed/mine.txt", "not committed")
		w.save("deed/saved.txt", "")
		id, _ := w.start("go")
		w.put(Input{DialogID: id, Control: control("c1 approve")})
		w.save("deed/saved.txt", "by hand")
		got := w.undoes(Undoing{DialogID: id, ID: "c1"})
		for _, want := range []string{
			"deed/a.txt " + dialog.SHA256("old\n"), "deed/b.txt " + dialog.SHA256("gone\x00\xff"), "deed/made.txt \n",
			"deed/mine.txt " + dialog.SHA256("not committed"), "deed/saved.txt: a human or a command changed it since",
		} {
			if !strings.Contains(got+"\n", want) {
				t.Errorf("no %q in\n%s\nof %s", want, got, result(w.view(id).Dialog, "c1"))
			}
		}
		if w.read("deed/a.txt") != "old\n" || w.read("deed/b.txt") != "gone\x00\xff" || w.read("deed/made.txt") != "(none)" || w.read("deed/mine.txt") != "not committed" || w.read("deed/saved.txt") != "by hand" {
			t.Error(got)
		}
		if got := w.undoes(Undoing{DialogID: id, ID: w.lastNote(id).ID}); strings.Count(got, "\n") != 3 || w.read("deed/a.txt") != "new" || w.read("deed/b.txt") != "(none)" || w.read("deed/made.txt") != "made" || w.read("deed/mine.txt") != "not committedmore" {
			t.Error(got)
		}
	}
}

// Links that a command made, led elsewhere, removed or replaced stay as they are, and are
// told; all else is taken back.
func TestUndoLeavesLinks(t *testing.T) {
	w := newLayeredWorld(t, &script{answers: [][]provider.Event{{command("c1", "cd deed && ln -s a.txt new && ln -sfn b.txt led && rm gone && rm file && printf x >file && printf new >a.txt")}, text("Done.")}})
	w.save("deed/a.txt", "old")
	deed := filepath.Join(w.dir, "root/p/deed")
	for _, name := range []string{"led", "gone", "file"} {
		if err := os.Symlink("a.txt", filepath.Join(deed, name)); err != nil {
			t.Fatal(err)
		}
	}
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("c1 approve")})
	got := w.undoes(Undoing{DialogID: id, ID: "c1"})
	for _, want := range []string{"deed/a.txt " + dialog.SHA256("old"), "deed/new: a command made it a link", "deed/led: a command made it a link", "deed/gone: a command removed or replaced the link that it was", "deed/file: a command removed or"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s\nof %s", want, got, result(w.view(id).Dialog, "c1"))
		}
	}
	if _, err := os.Lstat(filepath.Join(deed, "gone")); !errors.Is(err, fs.ErrNotExist) || w.read("deed/file") != "x" || w.read("deed/a.txt") != "old" {
		t.Errorf("%v, %s", err, got)
	}
}

// Without a layer it is not known what stood there before a command, whatever git knows.
func TestUndoOfCommandsWithoutLayer(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{command("c1", "cd deed && printf new >a.txt && printf made >made.txt")}, text("Done.")}})
	w.save("doc-main.md", "# p\n\nəəəproject/v1\ncommit off\nəəə\n")
	w.gitDeed(map[string]string{"a.txt": "old\n"})
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("c1 approve")})
	r := result(w.view(id).Dialog, "c1")
	if got := w.undoes(Undoing{DialogID: id, ID: "c1"}); strings.Count(got, "is not certain") != 1 || w.read("deed/a.txt") != "new" || w.read("deed/made.txt") != "(none)" || !strings.Contains(r, `"noLayer":"`) {
		t.Errorf("%s\n%s", got, r)
	}
}

// A human who put an earlier text back is not mistaken for the call that wrote it.
func TestUndoAfterEarlierText(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{write("c1", "deed/a.txt", "1"), write("c2", "deed/a.txt", "2"), write("c3", "deed/a.txt", "3")}, text("Done.")}})
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("allow write_file")})
	w.save("deed/a.txt", "1")
	if got := w.undoes(Undoing{DialogID: id, ID: "c3"}); got != "deed/a.txt: a human or a command changed it since" {
		t.Error(got)
	}
	// What lies between two calls of a turn is not skipped.
	w.save("deed/a.txt", "3")
	w.edit(id, `"sha256":"`+dialog.SHA256("2")+`"`, `"sha256":"`+dialog.SHA256("by hand")+`"`)
	user := w.view(id).Dialog.Sections[1].ID
	if got := w.undoes(Undoing{DialogID: id, Turn: user}); got != "deed/a.txt "+dialog.SHA256("2")+"\ndeed/a.txt: before c3, a human or a command changed it since" || w.read("deed/a.txt") != "2" {
		t.Error(got)
	}
}

// A Summary tells of an undo, and its ledger has the hash that holds since.
func TestUndoInSummary(t *testing.T) {
	answers := [][]provider.Event{{write("c1", "deed/a.txt", "hello"), write("c2", "deed/a.txt", "hello you")}}
	for range 6 {
		answers = append(answers, text("Yes."))
	}
	w := newWorld(t, &script{answers: answers})
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("allow write_file")})
	w.undoes(Undoing{DialogID: id, ID: "c2"})
	for range 5 {
		w.put(Input{DialogID: id, Prompt: &Prompt{Text: "more"}})
	}
	if _, _, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Compact: true}); err != nil {
		t.Fatal(err)
	}
	d := w.view(id).Dialog
	for _, want := range []string{"[UNDO] A human took back what the call c2 did", "## Files Modified\n\n- deed/a.txt (sha256 " + dialog.SHA256("hello") + ")"} {
		if sum := d.Sections[len(d.Sections)-1].Text(); !strings.Contains(sum, want) {
			t.Errorf("no %q in\n%s", want, sum)
		}
	}
}

// A turn of several commands is taken back as a whole, and again after the next one.
func TestUndoOfCommandsInTurn(t *testing.T) {
	run := func(id, command string) provider.Call {
		return provider.Call{ID: id, Name: "run_command", Args: `{"command":"cd deed && ` + command + `"}`}
	}
	w := newLayeredWorld(t, &script{answers: [][]provider.Event{
		{run("c1", "printf 1 >a.txt"), run("c2", "printf 2 >a.txt && printf 1 >made.txt"), write("c3", "deed/b.txt", "1"), run("c4", "printf 2 >>b.txt && printf 2 >>made.txt")}, text("Done."),
		{run("c5", "printf 5 >a.txt && printf 5 >b.txt")}, text("Done."),
	}})
	w.save("doc-main.md", "# p\n\nəəəproject/v1\ncommit off\nəəə\n")
	w.gitDeed(map[string]string{"a.txt": "old"})
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("c1 approve\nc2 approve\nc3 approve\nc4 approve")})
	before := func() {
		t.Helper()
		if w.read("deed/a.txt") != "old" || w.read("deed/b.txt") != "(none)" || w.read("deed/made.txt") != "(none)" {
			t.Errorf("a %q, b %q, made %q", w.read("deed/a.txt"), w.read("deed/b.txt"), w.read("deed/made.txt"))
		}
	}
	if got := w.undoes(Undoing{DialogID: id, Turn: w.view(id).Dialog.Sections[1].ID}); strings.Contains(got, ":") {
		t.Error(got)
	}
	before()
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "Once more."}})
	w.put(Input{DialogID: id, Control: control("c5 approve")})
	if w.read("deed/a.txt") != "5" {
		t.Fatal(w.read("deed/a.txt"))
	}
	if got := w.undoes(Undoing{DialogID: id, ID: "c5"}); strings.Contains(got, ":") {
		t.Error(got)
	}
	before()
}

// What was taken back in the middle of a turn is no part of its commit, and is not told as
// left out of it.
func TestUndoBeforeCommit(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{
		{write("c1", "deed/new.txt", "new"), write("c3", "deed/a.txt", "new"), write("c4", "deed/b.txt", "1"), write("c5", "deed/b.txt", "2"), provider.Call{ID: "c2", Name: "run_command", Args: `{"command":"true"}`}}, text("Done."),
	}})
	w.gitDeed(map[string]string{"a.txt": "old"})
	w.save("deed/a.txt", "a human's, not committed")
	id, _ := w.start("go")
	if st, _, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Control: control("c1 approve\nc3 approve\nc4 approve\nc5 approve")}); err != nil || len(st.Pending) != 1 {
		t.Fatalf("%+v, %v", st, err)
	}
	for _, call := range []string{"c1", "c3", "c5"} {
		w.undoes(Undoing{DialogID: id, ID: call})
	}
	w.put(Input{DialogID: id, Control: control("c2 deny")})
	out, err := exec.Command("git", "-C", filepath.Join(w.dir, "root/p/deed"), "show", "--format=", "--name-only").CombinedOutput()
	if n := w.lastNote(id); err != nil || string(out) != "b.txt\n" || n.Kind() != "commit" || strings.Contains(n.Text(), "Not in it") || w.read("deed/b.txt") != "1" {
		t.Errorf("%s, %v: %s", out, err, n.Text())
	}
}

// What a command moved is put back where it was.
func TestUndoOfMove(t *testing.T) {
	w := newLayeredWorld(t, &script{answers: [][]provider.Event{{command("c1", "cd deed && mkdir data && mv mine.txt data && printf new >a.txt")}, text("Done.")}})
	w.save("deed/a.txt", "old\n")
	w.save("deed/mine.txt", "the only copy")
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("c1 approve")})
	got := w.undoes(Undoing{DialogID: id, ID: "c1"})
	if _, err := os.Stat(filepath.Join(w.dir, "root/p/deed/data")); !errors.Is(err, fs.ErrNotExist) || w.read("deed/mine.txt") != "the only copy" || w.read("deed/a.txt") != "old\n" {
		t.Error(got, err)
	}
}

// The folders that a command made go with an undo, unless somebody put a file there; others
// stay, also if they are empty then.
func TestUndoOfFolders(t *testing.T) {
	w := newLayeredWorld(t, &script{answers: [][]provider.Event{{command("c1", "cd deed && mkdir -p a/b/c a/d stood/new full/x && echo x | tee a/b/c/x stood/new/y full/x/z; ln -s . a/link")}, text("Done.")}})
	deed := filepath.Join(w.dir, "root/p/deed")
	if err := os.Mkdir(filepath.Join(deed, "stood"), 0o755); err != nil {
		t.Fatal(err)
	}
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("c1 approve")})
	if r := result(w.view(id).Dialog, "c1"); !strings.Contains(r, `"madeFolders":["deed/a","deed/full","deed/stood/new"]`) {
		t.Error(r)
	}
	w.save("deed/full/x/mine", "the human's")
	if err := os.Remove(filepath.Join(deed, "a/link")); err != nil {
		t.Fatal(err)
	}
	w.undoes(Undoing{DialogID: id, ID: "c1"})
	out, err := exec.Command("find", deed, "-mindepth", "1", "-printf", "%P\n").Output()
	names := strings.Fields(string(out))
	slices.Sort(names)
	if got := strings.Join(names, " "); err != nil || got != "full full/x full/x/mine stood" {
		t.Errorf("%v: %s", err, got)
	}
	// They are made again by the undo of the undo.
	if got := w.undoes(Undoing{DialogID: id, ID: w.lastNote(id).ID}); w.read("deed/a/b/c/x") != "x\n" || w.read("deed/stood/new/y") != "x\n" {
		t.Error(got)
	}
}

// What it moved from where its result lists nothing any more stays.
func TestUndoLeavesWhatMayHaveBeenMoved(t *testing.T) {
	w := newLayeredWorld(t, &script{answers: [][]provider.Event{{command("c1", "cd deed && mv z a")}, text("Done.")}})
	if err := os.Mkdir(filepath.Join(w.dir, "root/p/deed/z"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range 201 {
		w.save(fmt.Sprintf("deed/z/%03d", i), "the only copy")
	}
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("c1 approve")})
	if got := w.undoes(Undoing{DialogID: id, ID: "c1"}); w.read("deed/a/000") != "the only copy" {
		t.Error(got)
	}
}

// perm is the permissions of a file of the project, in octal.
func (w *world) perm(name string) string {
	info, err := os.Stat(filepath.Join(w.dir, "root/p", name))
	if err != nil {
		return err.Error()
	}
	return change.Octal(uint32(info.Mode().Perm()))
}

// The permissions that a command changed, and those of files that it removed or made, come
// back too, there and back again; those that a human gave since stay.
func TestUndoOfPermissions(t *testing.T) {
	command := provider.Call{ID: "c1", Name: "run_command", Args: `{"command":"cd deed && chmod 755 mode.sh other.sh && rm gone.sh && printf new >made.sh && chmod 700 made.sh && printf new >both.sh && chmod 400 both.sh && touch time.sh"}`}
	w := newLayeredWorld(t, &script{answers: [][]provider.Event{{command}, text("Done.")}})
	w.save("doc-main.md", "# p\n\nəəəproject/v1\ncommit off\nəəə\n")
	deed := filepath.Join(w.dir, "root/p/deed")
	w.save("deed/gone.sh", "gone")
	if err := os.Chmod(filepath.Join(deed, "gone.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.gitDeed(map[string]string{"mode.sh": "mode", "other.sh": "other", "both.sh": "both", "time.sh": "time", "gone.sh": "gone"})
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("c1 approve")})
	perms := func() string {
		return strings.Join([]string{w.perm("deed/mode.sh"), w.perm("deed/gone.sh"), w.perm("deed/both.sh"), w.perm("deed/other.sh")}, " ")
	}
	if got := w.perm("deed/made.sh"); got != "700" {
		t.Fatalf("%s: %s", got, result(w.view(id).Dialog, "c1"))
	}
	if err := os.Chmod(filepath.Join(deed, "other.sh"), 0o711); err != nil {
		t.Fatal(err)
	}
	got := w.undoes(Undoing{DialogID: id, ID: "c1"})
	if perms() != "644 755 644 711" || !strings.Contains(got, "other.sh: its permissions were changed since") || strings.Contains(got, "time.sh") {
		t.Errorf("after the undo: %s\n%s\nof %s", perms(), got, result(w.view(id).Dialog, "c1"))
	}
	got = w.undoes(Undoing{DialogID: id, ID: w.lastNote(id).ID})
	if made := w.perm("deed/made.sh"); w.perm("deed/mode.sh") != "755" || w.perm("deed/both.sh") != "400" || made != "700" || w.read("deed/gone.sh") != "(none)" {
		t.Errorf("after the undo of the undo: %s %s\n%s", perms(), made, got)
	}
	if got = w.undoes(Undoing{DialogID: id, ID: w.lastNote(id).ID}); perms() != "644 755 644 711" || w.read("deed/made.sh") != "(none)" {
		t.Errorf("after the third: %s\n%s", perms(), got)
	}
}

// A file that an undo removed comes back with the permissions that it had then.
func TestUndoOfRemovalKeepsPermissions(t *testing.T) {
	w, id := undoable(t)
	path := filepath.Join(w.dir, "root/p/deed/a.txt")
	if err := os.Chmod(path, 0o750); err != nil {
		t.Fatal(err)
	}
	w.undoes(Undoing{DialogID: id, Turn: w.view(id).Dialog.Sections[1].ID})
	if got := w.undoes(Undoing{DialogID: id, ID: w.lastNote(id).ID}); w.perm("deed/a.txt") != "750" {
		t.Errorf("%s\n%s", w.perm("deed/a.txt"), got)
	}
}

// Where the deed can't be reached nothing is put back or told: its files only look as if
// they were gone. Docs are put back.
func TestUndoWithoutDeed(t *testing.T) {
	w, id := undoable(t)
	user, size := w.view(id).Dialog.Sections[1].ID, len(w.view(id).Text)
	deed := filepath.Join(w.dir, "root/p/deed")
	if err := errors.Join(os.Rename(deed, filepath.Join(w.dir, "away")), os.Symlink(filepath.Join(w.dir, "unmounted"), deed)); err != nil {
		t.Fatal(err)
	}
	for _, u := range []Undoing{{DialogID: id, Turn: user}, {DialogID: id, ID: "c2"}} {
		if done, err := w.run.Undo(context.Background(), w.p(), u); !errors.Is(err, ErrDeed) || len(w.view(id).Text) != size || w.read("doc-b.md") != "theirs" {
			t.Errorf("%+v: %+v, %v", u, done, err)
		}
	}
	if got := w.undoes(Undoing{DialogID: id, ID: "c3"}); got != "doc-b.md "+dialog.SHA256("mine") {
		t.Error(got)
	}
}
