package turn

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/provider"
	"vibey/server/hub"
	"vibey/server/view"
	"vibey/tools/disk"
)

func edit(id, path, from, to string) provider.Call {
	return provider.Call{ID: id, Name: "edit_file", Args: `{"path":"` + path + `","old_string":"` + from + `","new_string":"` + to + `"}`}
}

// save is a human's save, of a doc or by another program.
func (w *world) save(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, "root/p", name), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) read(name string) string {
	b, err := os.ReadFile(filepath.Join(w.dir, "root/p", name))
	if err != nil {
		return "(none)"
	}
	return string(b)
}

// result is what a call was answered with.
func result(d *dialog.Dialog, id string) string {
	if i := d.Find(dialog.ToolResult, id); i >= 0 {
		return d.Sections[i].Text()
	}
	return "(none)"
}

// waits is a command that has begun when deed/began is there, and ends when
// deed/go is.
const waits = "touch deed/began; while [ ! -e deed/go ]; do sleep 0.01; done"

// A save that comes between the yes and the write is not lost.
func TestApprovedWriteSparesANewerSave(t *testing.T) {
	for name, c := range map[string]struct {
		before string // of doc-a.md, "(none)" for none
		call   provider.Call
		during func(w *world)
		after  string
		says   string
	}{
		"write over a newer save": {"old", write("c1", "doc-a.md", "agent's"), func(w *world) { w.save("doc-a.md", "human's") }, "human's", "doc-a.md is not as it was when the human approved this call: somebody outside of this dialog changed it"},
		"write over a new file":   {"(none)", write("c1", "doc-a.md", "agent's"), func(w *world) { w.save("doc-a.md", "human's") }, "human's", "doc-a.md did not exist when the human approved this call, and does now: somebody outside of this dialog changed it"},
		"write over one deleted": {"old", write("c1", "doc-a.md", "agent's"), func(w *world) {
			if err := os.Remove(filepath.Join(w.dir, "root/p/doc-a.md")); err != nil {
				w.t.Fatal(err)
			}
		}, "(none)", "doc-a.md is gone since the human approved this call"},
		"edit of a newer save":   {"old text", edit("c1", "doc-a.md", "old", "new"), func(w *world) { w.save("doc-a.md", "old text, more") }, "old text, more", "is not as it was"},
		"same bytes saved again": {"old", write("c1", "doc-a.md", "agent's"), func(w *world) { w.save("doc-a.md", "old") }, "agent's", `"success":true`},
		"another file saved":     {"old", write("c1", "doc-a.md", "agent's"), func(w *world) { w.save("doc-b.md", "x") }, "agent's", `"success":true`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, &script{answers: [][]provider.Event{{command("c0", waits), c.call}, text("ok")}})
			if c.before != "(none)" {
				w.save("doc-a.md", c.before)
			}
			id, _ := w.start("go")
			_, sub, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Control: control("c0 approve\nc1 approve")})
			if err != nil {
				t.Fatal(err)
			}
			until(t, sub, hub.SectionEvent) // the decision is in the file
			c.during(w)
			w.save("deed/go", "")
			w.drain(sub)
			d := w.view(id).Dialog
			if got := result(d, "c1"); !strings.Contains(got, c.says) {
				t.Errorf("result %s", got)
			}
			if got := w.read("doc-a.md"); got != c.after {
				t.Errorf("doc-a.md holds %q", got)
			}
		})
	}
}

// What a call itself brought about is told as such, and a refused one can go on:
// its result names what stands there now.
func TestRefusedWriteNamesWhatIsThere(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{
		{command("c0", "echo from the command > deed/x"), write("c1", "deed/x", "agent's")},
		{write("c2", "deed/x", "agent's, again")}, text("ok"),
	}})
	w.save("deed/x", "old")
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("c0 approve\nc1 approve")})
	v := w.view(id)
	got := result(v.Dialog, "c1")
	if !strings.Contains(got, "deed/x is not as it was when the human approved this call: the call c0 of this dialog left it so. Nothing was written. Read it again, then send the call anew") ||
		!strings.Contains(got, `"current":{"path":"deed/x","sha256":"`+grant.InputHash("from the command\n")+`"}`) || w.read("deed/x") != "from the command\n" {
		t.Errorf("result %s", got)
	}
	if len(v.Pending) != 1 || v.Pending[0].Target == nil || v.Pending[0].Target.SHA256 != grant.InputHash("from the command\n") {
		t.Fatalf("pending %+v", v.Pending)
	}
	w.put(Input{DialogID: id, Control: control("c2 approve sha256:" + v.Pending[0].SHA256 + " target:" + v.Pending[0].Target.SHA256)})
	if w.read("deed/x") != "agent's, again" {
		t.Errorf("deed/x holds %q: %s", w.read("deed/x"), result(w.view(id).Dialog, "c2"))
	}
}

// Calls that one human's word released together may build on each other; two
// words may not.
func TestApprovedTogether(t *testing.T) {
	calls := []provider.Event{edit("c1", "doc-a.md", "one", "ONE"), edit("c2", "doc-a.md", "two", "TWO"), write("c3", "deed/n", "new"), edit("c4", "deed/n", "new", "newer")}
	w := newWorld(t, &script{answers: [][]provider.Event{calls, text("ok")}})
	w.save("doc-a.md", "one two")
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("c1 approve\nc2 approve\nc3 approve\nc4 approve")})
	if w.read("doc-a.md") != "ONE TWO" || w.read("deed/n") != "newer" {
		t.Errorf("%q, %q", w.read("doc-a.md"), w.read("deed/n"))
	}

	// The same by a blanket for all that wait.
	w = newWorld(t, &script{answers: [][]provider.Event{calls[:2], text("ok")}})
	w.save("doc-a.md", "one two")
	id, _ = w.start("go")
	w.put(Input{DialogID: id, Control: control("allow edit_file")})
	d := w.view(id).Dialog
	if shown := " target:" + grant.InputHash("one two"); w.read("doc-a.md") != "ONE TWO" || strings.Count(decided(d), shown) != 2 {
		t.Errorf("%q: %s", w.read("doc-a.md"), sections(d))
	}

	// Approved with what stood there, and then another word changes it.
	w = newWorld(t, &script{answers: [][]provider.Event{{command("c0", waits), calls[0], calls[1]}, text("ok")}})
	w.save("doc-a.md", "one two")
	id, _ = w.start("go")
	stored := w.approveOnly(id, "c2 approve")
	if !strings.Contains(stored, "target:"+grant.InputHash("one two")) {
		t.Errorf("stored %q", stored)
	}
	w.save("deed/go", "")
	w.put(Input{DialogID: id, Control: control("c0 deny\nc1 approve")})
	if got := result(w.view(id).Dialog, "c2"); w.read("doc-a.md") != "ONE two" || !strings.Contains(got, "the call c1 of this dialog left it so") {
		t.Errorf("%q: %s", w.read("doc-a.md"), got)
	}
}

// approveOnly stores a decision as a process that is killed right behind it
// leaves it, and returns the control text.
func (w *world) approveOnly(id, text string) string {
	w.t.Helper()
	p, err := w.run.w.Store.Project("p")
	if err != nil {
		w.t.Fatal(err)
	}
	f, err := p.OpenDialog(id)
	if err != nil {
		w.t.Fatal(err)
	}
	defer f.Close()
	t := w.run.turn(f, Input{Project: w.p(), DialogID: id})
	if _, err := t.control(text, ""); err != nil {
		w.t.Fatal(err)
	}
	return decided(f.Dialog())
}

// decided is the control text of the last Authorization.
func decided(d *dialog.Dialog) string {
	for i := len(d.Sections) - 1; i >= 0; i-- {
		if d.Sections[i].Role == dialog.Authorization {
			return d.Sections[i].Text()
		}
	}
	return "(none)"
}

// A decision that was made over another file than stands there is none.
func TestDecisionOverAnotherFile(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{write("c1", "doc-a.md", "agent's"), write("c2", "deed/new", "x")}, text("ok")}})
	w.save("doc-a.md", "old")
	id, _ := w.start("go")
	v := w.view(id)
	if len(v.Pending) != 2 || !reflect.DeepEqual(*v.Pending[0].Target, grant.Target{Path: "doc-a.md", SHA256: grant.InputHash("old"), Exists: true, Bytes: 3}) || !reflect.DeepEqual(*v.Pending[1].Target, grant.Target{Path: "deed/new"}) {
		t.Fatalf("pending %+v", v.Pending)
	}
	w.save("doc-a.md", "human's")
	for _, c := range []string{
		"c1 approve sha256:" + v.Pending[0].SHA256 + " target:" + v.Pending[0].Target.SHA256,
		"c1 approve target:none",
		"c2 approve target:" + v.Pending[0].Target.SHA256,
		"c2 approve target:none\nc1 approve target:none",
	} {
		_, _, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Control: control(c)})
		if !errors.Is(err, ErrMoved) || !strings.Contains(err.Error(), "Look at what stands there now") {
			t.Errorf("%s: %v", c, err)
		}
	}
	if got := sections(w.view(id).Dialog); strings.Contains(got, "Authorization") {
		t.Fatalf("sections %s", got)
	}
	// Without a word about it, it is what stands there when it is decided.
	w.put(Input{DialogID: id, Control: control("c1 approve\nc2 approve target:none")})
	d := w.view(id).Dialog
	if got := decided(d); !strings.Contains(got, "write_file target:"+grant.InputHash("human's")) || !strings.Contains(got, "write_file target:none") {
		t.Errorf("stored %q", got)
	}
	if w.read("doc-a.md") != "agent's" || w.read("deed/new") != "x" {
		t.Errorf("%q %q", w.read("doc-a.md"), w.read("deed/new"))
	}
}

// An approval that says where the file lay that its human was shown is for that place: one
// to which a folder leads elsewhere by then, which holds the same, is another file. A path
// without a link is said so, too.
func TestApprovalOfShownPlace(t *testing.T) {
	for name, c := range map[string]struct {
		before, after string // where deed/folder leads, "" where it is a folder
		want          string // the file that is written, "" where the approval is refused
	}{
		"a folder":         {"", "", "deed/folder/a"},
		"a link":           {"one", "one", "deed/one/a"},
		"becomes a link":   {"", "one", ""},
		"leads elsewhere":  {"one", "two", ""},
		"becomes a folder": {"one", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, &script{answers: [][]provider.Event{{write("c1", "deed/folder/a", "agent's")}, text("ok")}})
			set := func(to string) {
				deed := filepath.Join(w.dir, "root/p/deed")
				if err := os.RemoveAll(filepath.Join(deed, "folder")); err != nil {
					t.Fatal(err)
				}
				if to != "" {
					w.link("deed/folder", to)
				}
				for _, folder := range []string{"one", "two", "folder"} {
					if err := os.MkdirAll(filepath.Join(deed, folder), 0o755); err != nil {
						t.Fatal(err)
					}
					w.save("deed/"+folder+"/a", "same")
				}
			}
			set("") // which makes the folders
			set(c.before)
			id, _ := w.start("go")
			shown := w.view(id).Pending[0].Target
			set(c.after)
			said := grant.Line{ID: "c1", Verb: grant.Approve, Target: shown.Word(), Path: shown.Place()}.String()
			_, sub, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Control: &said})
			if c.want == "" {
				if !errors.Is(err, ErrMoved) || !strings.Contains(err.Error(), "lies elsewhere") || strings.Contains(sections(w.view(id).Dialog), "Authorization") {
					t.Errorf("%q: %v", said, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			w.drain(sub)
			if got := w.read(c.want); got != "agent's" {
				t.Errorf("%s: %q\n%s", c.want, got, result(w.view(id).Dialog, "c1"))
			}
		})
	}
}

// Of a file that a link leads to outside nothing is told, not even a hash.
func TestTargetOutsideIsNotTold(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{write("c1", "deed/out", "x"), write("c2", "../secret", "x")}, text("ok")}})
	w.save("../secret", "secret")
	if err := os.Symlink("../../secret", filepath.Join(w.dir, "root/p/deed/out")); err != nil {
		t.Fatal(err)
	}
	id, _ := w.start("go")
	v := w.view(id)
	if len(v.Pending) != 2 || v.Pending[0].Target != nil || v.Pending[1].Target != nil {
		t.Fatalf("pending %+v", v.Pending)
	}
	if _, _, ok, err := view.TargetOf(w.p(), id, "c1"); ok || err != nil {
		t.Errorf("told: %v", err)
	}
	w.put(Input{DialogID: id, Control: control("c1 approve\nc2 approve")})
	if got := result(w.view(id).Dialog, "c1"); w.read("../secret") != "secret" || !strings.Contains(got, "PATH_OUTSIDE_PROJECT") {
		t.Errorf("%s", got)
	}
}

// An approval of an older version, which names no file, holds where nothing can
// be lost by it, and nowhere else.
func TestApprovalWithoutTarget(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{write("c1", "doc-a.md", "agent's"), write("c2", "deed/new", "x")}, text("ok")}})
	w.save("doc-a.md", "human's")
	id, _ := w.start("go")
	p, err := w.run.w.Store.Project("p")
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.OpenDialog(id)
	if err != nil {
		t.Fatal(err)
	}
	tn := w.run.turn(f, Input{Project: w.p(), DialogID: id})
	var lines []string
	for _, c := range tn.calls() {
		lines = append(lines, c.ID+" approve sha256:"+c.SHA256+" "+c.Tool)
	}
	if err := f.Append(tn.authorization("dialog", strings.Join(lines, "\n"))); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	w.restart()
	w.put(Input{DialogID: id, Continue: true})
	got := result(w.view(id).Dialog, "c1")
	if w.read("doc-a.md") != "human's" || w.read("deed/new") != "x" || !strings.Contains(got, "the approval of this call does not say that the human was shown it") || !strings.Contains(got, `"current":{"path":"doc-a.md"`) {
		t.Errorf("doc-a.md %q, deed/new %q: %s", w.read("doc-a.md"), w.read("deed/new"), got)
	}
}

// Another dialog of the project that wrote the file is named.
func TestRefusalNamesTheOtherDialog(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{command("c0", waits), write("c1", "doc-a.md", "first")}, text("ok")}})
	id, _ := w.start("go")
	_, sub, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Control: control("c0 approve\nc1 approve")})
	if err != nil {
		t.Fatal(err)
	}
	until(t, sub, hub.SectionEvent)
	w.script.answers = [][]provider.Event{{write("k1", "doc-a.md", "second")}, text("ok")}
	other, _ := w.start("go too")
	w.put(Input{DialogID: other, Control: control("k1 approve")})
	w.save("deed/go", "")
	w.drain(sub)
	if got := result(w.view(id).Dialog, "c1"); !strings.Contains(got, "the dialog "+other+" of this project left it so, with its call k1") || w.read("doc-a.md") != "second" {
		t.Errorf("%q: %s", w.read("doc-a.md"), got)
	}
}

// What an allow line runs unasked is guarded as before: by what the dialog knows.
func TestBlanketIsGuardedByWhatIsKnown(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{
		{write("c1", "doc-a.md", "first")}, text("ok"), {write("c2", "doc-a.md", "second"), write("c3", "doc-b.md", "mine")}, text("ok"),
	}})
	w.save("doc-b.md", "there before")
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("allow write_file")})
	w.save("doc-a.md", "human's")
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "more"}})
	if got := result(w.view(id).Dialog, "c2"); !strings.Contains(got, "doc-a.md has changed since you last saw it") || w.read("doc-a.md") != "human's" || w.read("doc-b.md") != "mine" {
		t.Errorf("doc-a.md %q, doc-b.md %q: %s", w.read("doc-a.md"), w.read("doc-b.md"), got)
	}
}

// on is the passage of a doc as it stands, named by its words.
func (w *world) on(name, words string) On {
	w.t.Helper()
	text := w.read(name)
	from := strings.Index(text, words)
	if from < 0 {
		w.t.Fatalf("%q does not stand in %s: %q", words, name, text)
	}
	return On{{File: name, SHA256: dialog.SHA256(text), From: from, To: from + len(words)}}
}

// A message about a passage shows the model the file as it stands: an edit that is made for
// that is written, although a result named another hash before.
func TestAPassageNamesItsFile(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{
		{edit("c1", "doc-a.md", "one", "ONE")}, text("ok"), {edit("c2", "doc-a.md", "two", "TWO")}, text("ok"), {edit("c3", "doc-a.md", "three", "THREE")}, text("ok"),
	}})
	w.save("doc-a.md", "one two three")
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("c1 approve")})
	w.save("doc-a.md", w.read("doc-a.md")+" and a human's")
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "more"}, On: w.on("doc-a.md", "two")})
	w.put(Input{DialogID: id, Control: control("c2 approve")})
	if got := w.read("doc-a.md"); got != "ONE TWO three and a human's" {
		t.Errorf("%q: %s", got, result(w.view(id).Dialog, "c2"))
	}
	// The words that came with it are newer than the message.
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "and more"}})
	w.save("doc-a.md", w.read("doc-a.md")+", once more")
	w.put(Input{DialogID: id, Control: control("c3 approve")})
	if got := result(w.view(id).Dialog, "c3"); !strings.Contains(got, "has changed since you last saw it") {
		t.Error(got)
	}
}

// That a call would be refused, since its file has changed since the dialog was last told of
// it, is told while it waits, also by the event that asks.
func TestAStaleTargetIsTold(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{
		{edit("c1", "doc-a.md", "one", "ONE"), write("c2", "doc-a.md", "all"), write("c3", "doc-b.md", "new")}, {write("c4", "doc-a.md", "anew")},
	}})
	w.save("doc-a.md", "one")
	stale := func(calls []hub.Pending) (ids string) {
		for _, c := range calls {
			if c.Target.Stale {
				ids += c.ID + " "
			}
		}
		return ids
	}
	id, evs := w.start("go")
	if got := stale(evs[len(evs)-1].Calls); got != "" {
		t.Errorf("stale at once: %s", got)
	}
	if _, _, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Control: control("c1 approve")}); err != nil {
		t.Fatal(err)
	}
	if got := stale(w.view(id).Pending); got != "" {
		t.Errorf("stale by the dialog's own change: %s", got)
	}
	w.save("doc-a.md", "a human's")
	if got := stale(w.view(id).Pending); got != "c2 " {
		t.Errorf("stale: %q", got)
	}
	if err := os.Remove(filepath.Join(w.dir, "root/p/doc-a.md")); err != nil {
		t.Fatal(err)
	}
	if got := stale(w.view(id).Pending); got != "c2 " {
		t.Errorf("stale where it is gone: %q", got)
	}
	w.save("doc-a.md", "a human's")
	evs = w.put(Input{DialogID: id, Control: control("c2 deny\nc3 approve")})
	if got := stale(evs[len(evs)-1].Calls); got != "c4 " {
		t.Errorf("told as stale: %q", got)
	}
}

// A message about a passage guards no file that no result named: what a human writes
// elsewhere in it while the answer comes does not refuse what they allow then.
func TestAPassageAloneGuardsNothing(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{text("hello"), {edit("c2", "doc-a.md", "one", "ONE")}, text("ok")}})
	w.save("doc-a.md", "one two")
	id, _ := w.start("hello")
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "change it"}, On: w.on("doc-a.md", "one")})
	w.save("doc-a.md", "one two three")
	w.put(Input{DialogID: id, Control: control("c2 approve")})
	if got := w.read("doc-a.md"); got != "ONE two three" {
		t.Errorf("%q: %s", got, result(w.view(id).Dialog, "c2"))
	}
}

// The lock under which a call compares and writes is the one of a human's save,
// and of other processes of ours: that of the project.
func TestCallsTakeTheProjectsLock(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{write("c1", "doc-a.md", "x")}}})
	id, _ := w.start("go")
	p, err := w.run.w.Store.Project("p")
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.OpenDialog(id)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tn := w.run.turn(f, Input{Project: w.p(), DialogID: id})
	env, err := tn.env(&tn.calls()[0])
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(filepath.Join(w.dir, "root"))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	locks := disk.Locks{Dir: root}
	_, err = env.Write(p.Root(), "doc-b.md", func(*os.File) ([]byte, error) {
		if _, err := locks.Try("p"); !errors.As(err, new(*disk.HeldError)) {
			t.Errorf("the lock is free: %v", err)
		}
		return nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := locks.Try("p"); err != nil {
		t.Errorf("the lock stays held: %v", err)
	}
}
