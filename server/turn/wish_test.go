package turn

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/provider"
)

// What doc-main.md wishes holds in a new dialog once a human confirmed it.
func TestConfirmedWish(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{write("c1", "deed/a.txt", "1")}, text("ok")}})
	p, _ := w.run.w.Store.Project("p")
	doc := "# Main\n\nəəəcontrol/v1\nallow write_file\nəəə\n"
	if _, err := p.WriteFile("doc-main.md", doc, ""); err != nil {
		t.Fatal(err)
	}
	id, _ := w.start("go")
	if n := w.view(id).Needs; n != dialog.NeedsApproval {
		t.Errorf("an unconfirmed wish was honoured: needs %s", n)
	}
	if _, err := w.run.Confirm(w.p(), "0000"); !errors.Is(err, ErrStale) {
		t.Errorf("confirmed what was not shown: %v", err)
	}
	f, err := p.ReadFile("doc-main.md")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.run.Confirm(w.p(), f.ETag); err != nil {
		t.Fatal(err)
	}
	id, _ = w.start("go")
	if got, want := sections(w.view(id).Dialog), "System, Authorization, User, Assistant, Tool Request, Note/started, Tool Result/approved, Assistant"; got != want {
		t.Errorf("sections %s", got)
	}
}

const wishDoc = "# Main\n\nəəəcontrol/v1\nallow write_file\nəəə\n"

// confirmed makes doc-main.md's wish confirmed, and returns the doc and its mark.
func (w *world) confirmed(doc string) (text, mark string) {
	w.t.Helper()
	w.save("doc-main.md", doc)
	p, err := w.run.w.Store.Project("p")
	if err != nil {
		w.t.Fatal(err)
	}
	f, err := p.ReadFile("doc-main.md")
	if err != nil {
		w.t.Fatal(err)
	}
	if f, err = w.run.Confirm(w.p(), f.ETag); err != nil {
		w.t.Fatal(err)
	}
	found, ok := grant.FindWish(f.Content)
	if !ok || found.Mac == "" {
		w.t.Fatalf("not confirmed: %s", f.Content)
	}
	return f.Content, found.Mac
}

// grants reports whether a new dialog begins with what the wish allows.
func (w *world) grants() bool {
	w.t.Helper()
	before := w.script.answers
	w.script.answers = [][]provider.Event{text("ok")}
	id, _ := w.start("go")
	w.script.answers = before
	return strings.HasPrefix(sections(w.view(id).Dialog), "System, Authorization, User")
}

func writeDoc(id, content string) provider.Call {
	b, _ := json.Marshal(map[string]string{"path": "doc-main.md", "content": content})
	return provider.Call{ID: id, Name: "write_file", Args: string(b)}
}

// A confirmation counts for the project in which, and for the text for which, a
// human gave it; and not when a file tool brings it.
func TestConfirmedWishDoesNotReplay(t *testing.T) {
	approved := func(w *world, c provider.Call) {
		w.t.Helper()
		w.script.answers = [][]provider.Event{{c}, text("ok")}
		id, _ := w.start("go")
		if got := sections(w.view(id).Dialog); !strings.HasSuffix(got, "Assistant, Tool Request") {
			w.t.Fatalf("it did not ask: %s", got)
		}
		w.put(Input{DialogID: id, Control: control(c.ID + " approve")})
		if got := result(w.view(id).Dialog, c.ID); !strings.Contains(got, `"success":true`) {
			w.t.Fatalf("result %s", got)
		}
	}
	for name, c := range map[string]struct {
		then  func(w *world, doc string) (after string) // what doc-main.md must hold then
		holds bool
	}{
		"as confirmed": {func(w *world, doc string) string { return doc }, true},
		"the old bytes come back by an edit": {func(w *world, doc string) string {
			w.save("doc-main.md", strings.Replace(doc, "allow write_file", "deny write_file", 1))
			approved(w, edit("e1", "doc-main.md", "deny write_file", "allow write_file"))
			return doc
		}, false},
		"the same text is written whole, mark and all": {func(w *world, doc string) string {
			approved(w, writeDoc("w1", doc))
			return doc
		}, false},
		"a mark is written into another doc first": {func(w *world, doc string) string {
			w.save("doc-main.md", "# Main\n")
			c := writeDoc("w1", doc)
			c.Args = strings.Replace(c.Args, "doc-main.md", "doc-b.md", 1)
			approved(w, c)
			w.save("doc-main.md", w.read("doc-b.md")) // as if a human took it over
			return doc
		}, false},
		"a block before it is taken away": {func(w *world, doc string) string {
			w.save("doc-main.md", "əəəcontrol/v1\ndeny x\nəəə\n"+doc)
			approved(w, edit("e1", "doc-main.md", `əəəcontrol/v1\ndeny x\nəəə\n`, ""))
			return doc
		}, false},
		"an edit elsewhere": {func(w *world, doc string) string {
			approved(w, edit("e1", "doc-main.md", "# Main", "# Title"))
			return strings.Replace(doc, "# Main", "# Title", 1)
		}, true},
		"a human's save that keeps it": {func(w *world, doc string) string {
			p, _ := w.run.w.Store.Project("p")
			if _, err := p.WriteFile("doc-main.md", doc+"\nMore.\n", ""); err != nil {
				w.t.Fatal(err)
			}
			return doc + "\nMore.\n"
		}, true},
		"a human's save that changes it": {func(w *world, doc string) string {
			after := strings.Replace(doc, "allow write_file", "allow edit_file", 1)
			w.save("doc-main.md", after)
			return after
		}, false},
		"a new project of that name": {func(w *world, doc string) string {
			if err := w.run.w.Store.Delete("p", func() error { return nil }); err != nil {
				w.t.Fatal(err)
			}
			if err := w.run.w.Store.Create("p", ""); err != nil {
				w.t.Fatal(err)
			}
			w.save("doc-main.md", doc)
			return doc
		}, false},
		"a folder without an id": {func(w *world, doc string) string {
			if err := os.Remove(filepath.Join(w.dir, "root/p/.id")); err != nil {
				w.t.Fatal(err)
			}
			return doc
		}, false},
		"after a restart": {func(w *world, doc string) string { w.restart(); return doc }, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, &script{})
			doc, _ := w.confirmed(wishDoc)
			after := c.then(w, doc)
			if got := w.read("doc-main.md"); got != after {
				t.Fatalf("doc-main.md is\n%s\nwant\n%s", got, after)
			}
			if got := w.grants(); got != c.holds {
				t.Errorf("a new dialog is granted: %v", got)
			}
			if c.holds {
				return
			}
			// Confirmed once more, it holds again, whatever was void before.
			if found, _ := grant.FindWish(after); found.Text == "allow write_file" {
				w.confirmed(after)
				if !w.grants() {
					t.Error("it can't be confirmed any more")
				}
			}
		})
	}
}

// No model reads the mark: not at its start, nor in a note of a changed doc, nor
// in a result, nor as a launched agent.
func TestMarkIsShownToNoModel(t *testing.T) {
	s := &script{}
	w := newWorld(t, s)
	doc, mark := w.confirmed(strings.Replace(wishDoc, "write_file", "launch_agent", 1))
	s.answers = [][]provider.Event{
		{command("c1", "cat doc-main.md; base64 -w0 doc-main.md; cp doc-main.md deed/copy; cat deed/copy >&2"), edit("c2", "doc-main.md", "# Main", "# M")},
		{provider.Call{ID: "c3", Name: "launch_agent", Args: `{"provider":"claude","model":"m","prompt":"look","slug":"kid"}`}, command("c4", "cat deed/copy")},
		text("ok"), text("ok"), text("ok"),
	}
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("c1 approve\nc2 approve")})
	// The mark that is in no doc any more, but in a file that a command kept.
	w.save("doc-main.md", "# Main\n")
	w.put(Input{DialogID: id, Control: control("c4 approve")})
	w.save("doc-main.md", doc+"\nAnew.\n")
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "more"}})
	w.run.wg.Wait()
	infos, err := w.p().Dialogs()
	if err != nil || len(infos) != 2 {
		t.Fatalf("%d dialogs, %v", len(infos), err)
	}
	for _, i := range infos {
		if v := w.view(i.ID); strings.Contains(v.Text, mark) {
			t.Errorf("%s holds the mark:\n%s", i.ID, v.Text)
		}
	}
	for _, r := range s.reqs {
		all := r.History.System
		for _, it := range r.History.Items {
			all += it.Text + it.Args
		}
		if strings.Contains(all, mark) || strings.Contains(all, base64.StdEncoding.EncodeToString([]byte(doc))) {
			t.Errorf("a model was shown the mark: %s", all)
		}
	}
	d := w.view(id).Dialog
	if !strings.Contains(d.Sections[0].Text(), "allow launch_agent") || !strings.Contains(sections(d), "Note/doc-change") {
		t.Errorf("the wish itself, or its change, was not told: %s", sections(d))
	}
}

// What a human's confirmation changes in the doc is not told: it is nothing that
// a model was shown.
func TestConfirmationIsNoChangeToAModel(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{text("ok"), text("ok")}})
	w.save("doc-main.md", wishDoc)
	id, _ := w.start("go")
	w.confirmed(wishDoc)
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "more"}})
	if got := sections(w.view(id).Dialog); strings.Contains(got, "doc-change") {
		t.Errorf("sections %s", got)
	}
}
