package turn

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/dialog/change"
	"vibey/dialog/grant"
	"vibey/provider"
)

func part(path string, from, to int) *change.Part {
	return &change.Part{Path: path, From: from, To: to}
}

// hunks are what Changes lists, in short: "call path from-to" of what stands, with "back" behind
// what is taken back, or why there are none.
func (w *world) hunks(id, of string) string {
	w.t.Helper()
	all, err := w.run.Changes(context.Background(), w.p(), id, of)
	if err != nil {
		w.t.Fatal(err)
	}
	var out []string
	for _, c := range all {
		if c.Why != "" {
			out = append(out, c.Call+" "+c.Path+": "+c.Why)
		}
		for _, h := range c.Hunks {
			line := c.Call + " " + c.Path + " " + (&change.Part{From: h.From, To: h.To}).Lines()
			if h.Taken+c.Taken != "" {
				line += " back"
			}
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// poem is a dialog whose one turn changed deed/poem.txt, five lines, in its second and its
// fourth line, and took one out of doc-b.md.
func poem(t *testing.T) (*world, string) {
	w := newWorld(t, &script{answers: [][]provider.Event{
		{write("c1", "deed/poem.txt", `one\nTWO\nthree\nFOUR\nfive\n`), edit("c2", "doc-b.md", `b\n`, "")}, text("Done."), text("I see."),
	}})
	w.save("deed/poem.txt", "one\ntwo\nthree\nfour\nfive\n")
	w.save("doc-b.md", "a\nb\nc\n")
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("allow write_file\nallow edit_file")})
	return w, id
}

// One hunk is taken back, and its Note can be undone; the call's others stay, also in the
// dialog. It is told to the model with the hash that holds then.
func TestUndoOfAHunk(t *testing.T) {
	w, id := poem(t)
	user := w.view(id).Dialog.Sections[1].ID
	if got := w.hunks(id, user); got != "c1 deed/poem.txt 2-2\nc1 deed/poem.txt 4-4\nc2 doc-b.md 2-1" {
		t.Fatal(got)
	}
	half := "one\nTWO\nthree\nfour\nfive\n"
	if got := w.undoes(Undoing{DialogID: id, ID: "c1", Hunk: part("deed/poem.txt", 4, 4)}); got != "deed/poem.txt "+dialog.SHA256(half) || w.read("deed/poem.txt") != half {
		t.Errorf("%q: %q", got, w.read("deed/poem.txt"))
	}
	n := w.lastNote(id)
	if n.Kind() != "undo" || n.Meta.Get("Parent") != "c1" || n.Meta.Get("Hunk") != "deed/poem.txt 4-4" || n.Meta.Get("To") != "model" || n.Meta.Get("By") != "human" ||
		!strings.Contains(n.Text(), "line 4 of deed/poem.txt") || !strings.Contains(n.Text(), dialog.SHA256(half)) {
		t.Errorf("%+v", n)
	}
	if got := w.hunks(id, "c1"); got != "c1 deed/poem.txt 2-2\nc1 deed/poem.txt 4-4 back" {
		t.Error(got)
	}
	size := len(w.view(id).Text)
	if got := w.undoes(Undoing{DialogID: id, ID: "c1", Hunk: part("deed/poem.txt", 4, 4)}); got != "deed/poem.txt: it was taken back already, by the undo "+n.ID || len(w.view(id).Text) != size {
		t.Error(got)
	}
	// Lines that were only taken out.
	if got := w.undoes(Undoing{DialogID: id, ID: "c2", Hunk: part("doc-b.md", 2, 1)}); got != "doc-b.md "+dialog.SHA256("a\nb\nc\n") || w.read("doc-b.md") != "a\nb\nc\n" {
		t.Error(got)
	}
	if n := w.lastNote(id); n.Meta.Get("Hunk") != "doc-b.md 2-1" || !strings.Contains(n.Text(), "above line 2 of doc-b.md") {
		t.Errorf("%+v", n)
	}
	// That was all of the call.
	if got := w.undoes(Undoing{DialogID: id, ID: "c2"}); got != "doc-b.md: it was taken back already, by the undo "+w.lastNote(id).ID {
		t.Error(got)
	}
	// An undo of the hunk's undo.
	w.restart()
	whole := "one\nTWO\nthree\nFOUR\nfive\n"
	if got := w.undoes(Undoing{DialogID: id, ID: n.ID}); got != "deed/poem.txt "+dialog.SHA256(whole) || w.read("deed/poem.txt") != whole {
		t.Error(got)
	}
	if got := w.hunks(id, "c1"); got != "c1 deed/poem.txt 2-2\nc1 deed/poem.txt 4-4" {
		t.Error(got)
	}
	if got := w.undoes(Undoing{DialogID: id, ID: "c1", Hunk: part("deed/poem.txt", 4, 4)}); got != "deed/poem.txt "+dialog.SHA256(half) {
		t.Error(got)
	}
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "and now?"}})
	if h := w.script.last(); strings.Count(h, "[UNDO]") != 4 {
		t.Error(h)
	}
	// What the hunk's undo left is known: the model may write on without reading it again.
	if sha := dialog.SHA256(half); !strings.Contains(w.script.last(), sha) {
		t.Error("the hash is not told")
	}
}

// Two hunks one after the other lead back to what stood there before, and are the whole
// call then; after one of them the whole call, or the turn, is still taken back, and a redo
// brings back what stood there then.
func TestUndoOfHunksAndOfAll(t *testing.T) {
	before, after, half := "one\ntwo\nthree\nfour\nfive\n", "one\nTWO\nthree\nFOUR\nfive\n", "one\ntwo\nthree\nFOUR\nfive\n"
	w, id := poem(t)
	w.undoes(Undoing{DialogID: id, ID: "c1", Hunk: part("deed/poem.txt", 2, 2)})
	if w.read("deed/poem.txt") != half {
		t.Fatal(w.read("deed/poem.txt"))
	}
	w.undoes(Undoing{DialogID: id, ID: "c1", Hunk: part("deed/poem.txt", 4, 4)})
	second := w.lastNote(id).ID
	if w.read("deed/poem.txt") != before {
		t.Fatal(w.read("deed/poem.txt"))
	}
	for _, u := range []Undoing{{ID: "c1"}, {ID: "c1", Hunk: part("deed/poem.txt", 2, 2)}} {
		u.DialogID = id
		if got := w.undoes(u); got != "deed/poem.txt: it was taken back already, by the undo "+second {
			t.Error(got)
		}
	}
	// The second is undone: what was whole is half again, and can be taken back as a whole.
	if got := w.undoes(Undoing{DialogID: id, ID: second}); got != "deed/poem.txt "+dialog.SHA256(half) {
		t.Error(got)
	}
	for _, kept := range []bool{true, false} {
		for _, u := range []Undoing{{ID: "c1"}, {Turn: w.view(id).Dialog.Sections[1].ID}} {
			if !kept {
				// Without what stood between, the text before is reached all the same.
				if err := os.Remove(filepath.Join(w.dir, "root/p/.kept", dialog.SHA256(after))); err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Fatal(err)
				}
			}
			u.DialogID = id
			if got := w.undoes(u); !strings.Contains(got, "deed/poem.txt "+dialog.SHA256(before)) || w.read("deed/poem.txt") != before {
				t.Errorf("%+v: %s", u, got)
			}
			whole := w.lastNote(id).ID
			if got := w.hunks(id, "c1"); got != "c1 deed/poem.txt 2-2 back\nc1 deed/poem.txt 4-4 back" {
				t.Error(got)
			}
			if got := w.undoes(Undoing{DialogID: id, ID: "c1", Hunk: part("deed/poem.txt", 4, 4)}); got != "deed/poem.txt: it was taken back already, by the undo "+whole {
				t.Error(got)
			}
			if got := w.undoes(Undoing{DialogID: id, ID: whole}); !strings.Contains(got, "deed/poem.txt "+dialog.SHA256(half)) || w.read("deed/poem.txt") != half {
				t.Error(got)
			}
		}
	}
}

// An undo of the whole never ends at what an undo of a hunk replaced: that would put the
// hunk in again.
func TestUndoOfAllStopsShort(t *testing.T) {
	w, id := poem(t)
	w.save("deed/poem.txt", "zero\none\nTWO\nthree\nFOUR\nfive\n") // between the call and the hunk
	w.undoes(Undoing{DialogID: id, ID: "c1", Hunk: part("deed/poem.txt", 2, 2)})
	now := "zero\none\ntwo\nthree\nFOUR\nfive\n"
	if w.read("deed/poem.txt") != now {
		t.Fatal(w.read("deed/poem.txt"))
	}
	note := w.lastNote(id).ID
	if got := w.undoes(Undoing{DialogID: id, ID: "c1"}); got != "deed/poem.txt: it was changed since: the undo "+note+" of this dialog left it so" || w.read("deed/poem.txt") != now {
		t.Errorf("%s: %q", got, w.read("deed/poem.txt"))
	}
	w, id = poem(t)
	w.undoes(Undoing{DialogID: id, ID: "c1", Hunk: part("deed/poem.txt", 2, 2)})
	if err := os.Remove(filepath.Join(w.dir, "root/p/.kept", dialog.SHA256("one\ntwo\nthree\nfour\nfive\n"))); err != nil {
		t.Fatal(err)
	}
	if got := w.undoes(Undoing{DialogID: id, ID: "c1"}); !strings.Contains(got, "not kept any more") || w.read("deed/poem.txt") != "one\ntwo\nthree\nFOUR\nfive\n" {
		t.Errorf("%s: %q", got, w.read("deed/poem.txt"))
	}
}

// Only the hunk's own lines matter, wherever they stand by now.
func TestUndoOfAHunkWhereItStands(t *testing.T) {
	for _, c := range []struct{ now, want string }{
		{"zero\none\nTWO\nthree\nFOUR\nfive\n", "zero\none\ntwo\nthree\nFOUR\nfive\n"},
		{"one\nTWO\nthree\nagain\nfive\n", "one\ntwo\nthree\nagain\nfive\n"},
		{"one\nthree\nFOUR\nfive\nTWO\n", "one\nthree\nFOUR\nfive\ntwo\n"},
		{"one\nTOO\nthree\nFOUR\nfive\n", ""},
		{"", ""},
	} {
		w, id := poem(t)
		w.save("deed/poem.txt", c.now)
		got, want := w.undoes(Undoing{DialogID: id, ID: "c1", Hunk: part("deed/poem.txt", 2, 2)}), "deed/poem.txt "+dialog.SHA256(c.want)
		if c.want == "" {
			c.want, want = c.now, "deed/poem.txt: these lines were changed since"
			w.refusal(id, "c1", "these lines were changed since")
		}
		if got != want || w.read("deed/poem.txt") != c.want {
			t.Errorf("%q: %s, %q", c.now, got, w.read("deed/poem.txt"))
		}
	}
	w, id := poem(t) // a kill between the file and the Note
	w.save("deed/poem.txt", "one\ntwo\nthree\nFOUR\nfive\n")
	if got := w.undoes(Undoing{DialogID: id, ID: "c1", Hunk: part("deed/poem.txt", 2, 2)}); !strings.Contains(got, "already as they were before") {
		t.Error(got)
	}
	if err := os.Remove(filepath.Join(w.dir, "root/p/deed/poem.txt")); err != nil {
		t.Fatal(err)
	}
	if got := w.undoes(Undoing{DialogID: id, ID: "c1", Hunk: part("deed/poem.txt", 2, 2)}); got != "deed/poem.txt: these lines were changed since" || w.read("deed/poem.txt") != "(none)" {
		t.Error(got)
	}
}

// What is no hunk is refused as a bad request; an id that is not there is not found.
func TestUndoOfNoHunk(t *testing.T) {
	w, id := poem(t)
	size := len(w.view(id).Text)
	user := w.view(id).Dialog.Sections[1].ID
	for _, c := range []struct {
		id   string
		part *change.Part
		want error
	}{
		{"c1", part("deed/poem.txt", 1, 1), ErrInput}, {"c1", part("deed/poem.txt", 2, 4), ErrInput}, {"c1", part("deed/poem.txt", 2, 1), ErrInput},
		{"c1", part("deed/poem.txt", 99, 99), ErrInput}, {"c1", part("deed/other.txt", 2, 2), ErrInput}, {"c1", part("../x", 2, 2), ErrInput},
		{"c1", part("deed/poem.txt\n> Mac: x", 2, 2), ErrInput}, {"c2", part("doc-b.md", 1, 3), ErrInput},
		{user, part("deed/poem.txt", 2, 2), ErrInput}, {"nothing", part("deed/poem.txt", 2, 2), fs.ErrNotExist}, {"", part("deed/poem.txt", 2, 2), fs.ErrNotExist},
	} {
		if _, err := w.run.Undo(context.Background(), w.p(), Undoing{DialogID: id, ID: c.id, Hunk: c.part}); !errors.Is(err, c.want) {
			t.Errorf("%q %+v: %v", c.id, c.part, err)
		}
	}
	if v := w.view(id); len(v.Text) != size || w.read("deed/poem.txt") != "one\nTWO\nthree\nFOUR\nfive\n" {
		t.Error("something was done")
	}
	w.undoes(Undoing{DialogID: id, ID: "c1"})
	if _, err := w.run.Undo(context.Background(), w.p(), Undoing{DialogID: id, ID: w.lastNote(id).ID, Hunk: part("deed/poem.txt", 2, 2)}); !errors.Is(err, ErrInput) {
		t.Error(err)
	}
	if _, err := w.run.Changes(context.Background(), w.p(), id, "nothing"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// A new file goes with its one hunk, a binary file has none, and CR LF stays.
func TestUndoOfHunksOfOtherFiles(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{
		write("n1", "deed/new.txt", `a\nb`), write("n2", "deed/crlf.txt", `a\r\nB\r\nc\r\n`), write("n3", "deed/bin", `a\u0000b`), write("n4", "deed/one.txt", "now"), write("n5", "doc-empty.md", ""),
	}, text("Done.")}})
	w.save("deed/crlf.txt", "a\r\nb\r\nc\r\n")
	w.save("deed/bin", "x\x00y")
	w.save("deed/one.txt", "then")
	w.save("doc-empty.md", "full\n")
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("allow write_file")})
	if got := w.hunks(id, w.view(id).Dialog.Sections[1].ID); got != "n1 deed/new.txt 1-2\nn2 deed/crlf.txt 2-2\nn3 deed/bin: it is no text, so that it has no lines\nn4 deed/one.txt 1-1\nn5 doc-empty.md 1-0" {
		t.Fatal(got)
	}
	for _, c := range []struct {
		id   string
		part *change.Part
		want string
	}{
		{"n1", part("deed/new.txt", 1, 2), "(none)"}, {"n2", part("deed/crlf.txt", 2, 2), "a\r\nb\r\nc\r\n"},
		{"n4", part("deed/one.txt", 1, 1), "then"}, {"n5", part("doc-empty.md", 1, 0), "full\n"},
	} {
		got := w.undoes(Undoing{DialogID: id, ID: c.id, Hunk: c.part})
		if strings.Contains(got, ":") || w.read(c.part.Path) != c.want {
			t.Errorf("%s: %s %q", c.id, got, w.read(c.part.Path))
		}
	}
	if _, err := w.run.Undo(context.Background(), w.p(), Undoing{DialogID: id, ID: "n3", Hunk: part("deed/bin", 1, 1)}); !errors.Is(err, ErrInput) {
		t.Error(err)
	}
	// The new file comes back with its Note's undo.
	d := w.view(id).Dialog
	for _, s := range d.Forward() {
		if s.Kind() == dialog.UndoNote && s.Meta.Get("Parent") == "n1" {
			if got := w.undoes(Undoing{DialogID: id, ID: s.ID}); got != "deed/new.txt "+dialog.SHA256("a\nb") || w.read("deed/new.txt") != "a\nb" {
				t.Error(got)
			}
			break
		}
	}
}

// A command's change is taken back hunk by hunk from what is kept, permissions too.
func TestUndoOfAHunkOfACommand(t *testing.T) {
	w := newLayeredWorld(t, &script{answers: [][]provider.Event{
		{command("c1", `sed -i -e s/two/TWO/ -e s/four/FOUR/ deed/poem.txt; rm deed/old.txt; echo new >deed/new.txt`)}, text("Done."),
	}})
	w.save("deed/poem.txt", "one\ntwo\nthree\nfour\n")
	w.save("deed/old.txt", "old\n")
	if err := os.Chmod(filepath.Join(w.dir, "root/p/deed/old.txt"), 0o755); err != nil {
		t.Fatal(err)
	}
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("c1 approve")})
	if got := w.hunks(id, "c1"); got != "c1 deed/new.txt 1-1\nc1 deed/old.txt 1-0\nc1 deed/poem.txt 2-2\nc1 deed/poem.txt 4-4" {
		t.Fatal(got)
	}
	for _, p := range []*change.Part{part("deed/poem.txt", 2, 2), part("deed/old.txt", 1, 0), part("deed/new.txt", 1, 1)} {
		w.undoes(Undoing{DialogID: id, ID: "c1", Hunk: p})
	}
	if w.read("deed/poem.txt") != "one\ntwo\nthree\nFOUR\n" || w.read("deed/old.txt") != "old\n" || w.read("deed/new.txt") != "(none)" || w.perm("deed/old.txt") != "755" {
		t.Errorf("%q %q %q %s", w.read("deed/poem.txt"), w.read("deed/old.txt"), w.read("deed/new.txt"), w.perm("deed/old.txt"))
	}
	// The rest of it, with the next undo.
	if got := w.undoes(Undoing{DialogID: id, ID: "c1"}); !strings.Contains(got, "deed/poem.txt "+dialog.SHA256("one\ntwo\nthree\nfour\n")) || strings.Count(got, "taken back already") != 2 {
		t.Error(got)
	}
}

// A confirmed wish of doc-main.md that a hunk would bring back is void, as with each undo.
func TestUndoOfAHunkConfirmsNothing(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{edit("c1", "doc-main.md", "allow run_command", "ask run_command")}, text("Done.")}})
	doc := "# p\n\nəəəcontrol/v1\nallow run_command\nəəə\n"
	w.confirmed(doc)
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("c1 approve")})
	all, err := w.run.Changes(context.Background(), w.p(), id, "c1")
	if err != nil || len(all) != 1 || len(all[0].Hunks) == 0 {
		t.Fatalf("%+v %v", all, err)
	}
	for _, h := range all[0].Hunks {
		w.undoes(Undoing{DialogID: id, ID: "c1", Hunk: part("doc-main.md", h.From, h.To)})
	}
	if found, ok := grant.FindWish(w.read("doc-main.md")); !ok || !strings.Contains(found.Text, "allow run_command") || w.grants() {
		t.Errorf("confirmed, or not there: %s", w.read("doc-main.md"))
	}
}

// Of a fork what was done before it is taken back where it was done.
func TestUndoOfAHunkElsewhere(t *testing.T) {
	w, id := poem(t)
	fork := w.forks(id, "c2")
	u := Undoing{DialogID: fork, ID: "c1", Hunk: part("deed/poem.txt", 2, 2)}
	if _, err := w.run.Undo(context.Background(), w.p(), u); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
	all, err := w.run.Changes(context.Background(), w.p(), fork, "c1")
	if err != nil || len(all) != 1 || !strings.Contains(all[0].Stays, id) || len(all[0].Hunks) != 2 {
		t.Errorf("%+v %v", all, err)
	}
}

// The hunks are those of the call, whatever the file has become: another text, a folder, a
// link, or nothing.
func TestHunksOfWhatChangedSince(t *testing.T) {
	for what, change := range map[string]func(name string) error{
		"another text": func(name string) error { return os.WriteFile(name, []byte("other\n"), 0o600) },
		"a folder":     func(name string) error { return errors.Join(os.Remove(name), os.Mkdir(name, 0o700)) },
		"a link":       func(name string) error { return errors.Join(os.Remove(name), os.Symlink("elsewhere", name)) },
		"nothing":      os.Remove,
	} {
		w, id := poem(t)
		if err := change(filepath.Join(w.dir, "root/p/deed/poem.txt")); err != nil {
			t.Fatal(err)
		}
		if got := w.hunks(id, "c1"); got != "c1 deed/poem.txt 2-2\nc1 deed/poem.txt 4-4" {
			t.Errorf("%s: %q", what, got)
		}
		if got := w.undoes(Undoing{DialogID: id, ID: "c1", Hunk: part("deed/poem.txt", 2, 2)}); !strings.HasPrefix(got, "deed/poem.txt: ") {
			t.Errorf("%s: %q is not refused", what, got)
		}
	}
}
