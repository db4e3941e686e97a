package turn

import (
	"context"
	"errors"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/provider"
	"vibey/server/hub"
	"vibey/server/project"
)

// edit replaces text in a dialog's file, as a hand or damage would.
func (w *world) edit(id, old, new string) {
	w.t.Helper()
	v, err := w.run.View(w.p(), id)
	if err != nil || !strings.Contains(v.Text, old) {
		w.t.Fatalf("no %q in\n%s\n%v", old, v.Text, err)
	}
	p, err := w.run.w.Store.Project("p")
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := p.WriteFile(v.Filename, strings.Replace(v.Text, old, new, 1), ""); err != nil {
		w.t.Fatal(err)
	}
}

// Damage to the tools, or to the text, that the model was told is mended by
// telling it anew: with a message, and with Continue.
func TestToldAnew(t *testing.T) {
	for _, c := range []struct{ name, old, new, system string }{
		{"a lost key", `"name":"run_command",`, "", "kept"},
		{"a type that is none", `"type":"string"`, `"type":"strinh"`, "kept"},
		{"no text", "You are an agent in Vibey", "", "kept"},
		{"the text's type", "əəəsystem/markdown", "əəəsystem/markdowm", "new"},
		{"the tools' type", "əəətools/json", "əəətools/jsom", "kept"},
	} {
		for _, go_on := range []Input{{Prompt: &Prompt{Text: "and now?"}}, {Continue: true}} {
			w := newWorld(t, &script{answers: [][]provider.Event{{write("c1", "deed/a.txt", "1")}, text("ok"), text("well")}})
			id, _ := w.start("go")
			w.put(Input{DialogID: id, Control: control("c1 deny")})
			first := w.script.reqs[0].History
			w.edit(id, c.old, c.new)
			go_on.DialogID = id
			w.put(go_on)
			got := w.script.reqs[len(w.script.reqs)-1].History
			if len(got.Tools) != len(first.Tools) || got.Tools[0] != first.Tools[0] {
				t.Errorf("%s: told %d tools of %d", c.name, len(got.Tools), len(first.Tools))
			}
			if want := strings.Replace(first.System, c.old, c.new, 1); c.system == "kept" && got.System != want || got.System == "" {
				t.Errorf("%s: the system text is\n%s", c.name, got.System)
			}
			if n := strings.Count(w.view(id).Text, "\n## System\n"); n > 2 {
				t.Errorf("%s: %d System sections", c.name, n)
			}
		}
	}
}

// A wish is the first word in a dialog. It is not said again behind a human's no
// when the System section is.
func TestWishIsNotToldAnew(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{text("hello"), {write("c1", "deed/a.txt", "1")}}})
	p, _ := w.run.w.Store.Project("p")
	f, err := p.WriteFile(project.MainDoc, "# p\n\nəəəcontrol/v1\nallow write_file\nəəə\n", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.run.Confirm(w.p(), f.ETag); err != nil {
		t.Fatal(err)
	}
	id, _ := w.start("go")
	w.tell(id, "ask write_file")
	w.edit(id, "əəətools/json", "əəətools/jsom")
	es := w.put(Input{DialogID: id, Prompt: &Prompt{Text: "write"}})
	if last := es[len(es)-1]; last.Type != hub.ToolEvent {
		t.Errorf("ends with %s", types(es))
	}
	if n := w.view(id).Dialog.Count(dialog.Authorization); n != 2 {
		t.Errorf("%d Authorizations", n)
	}
}

// Where the file no longer says where it goes, a message that does is enough.
func TestLostTarget(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{text("one"), text("two"), text("three")}})
	id, _ := w.start("go")
	w.edit(id, "\n> Model: m\n", "\n")
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "on"}})
	if r := w.script.reqs[1]; r.Model != "m-first" || r.Provider != "claude" {
		t.Errorf("asked %q of %q", r.Model, r.Provider)
	}
	w.edit(id, "> Provider: claude\n", "> Provider: clau\u2028de\n")
	w.edit(id, "> Provider: claude\n", "") // what the message above named
	_, _, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Prompt: &Prompt{Text: "on"}})
	if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "no longer says which provider") {
		t.Errorf("without a provider: %v", err)
	}
	w.put(Input{DialogID: id, Provider: "other", Prompt: &Prompt{Text: "on"}})
	if r := w.script.reqs[2]; r.Model != "m-first" || r.Provider != "other" {
		t.Errorf("asked %q of %q", r.Model, r.Provider)
	}
}
