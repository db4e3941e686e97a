package turn

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/provider"
)

// Whatever of a model or a tool holds a NUL: viewers, the file and the hash of a
// call's input have U+FFFD in its place, and the dialog goes on.
func TestNULIsNeverWritten(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{
		provider.Thinking{Piece: "th\x00ink"}, provider.Reasoning{Text: "th\x00ink", Native: "{\"a\":\"\x00\"}"},
		provider.Text{Piece: "sa\x00id"},
		provider.Call{ID: "c1", Name: "write_file", Args: `{"path":"deed/a.txt","content":"` + "\x00" + `"}`},
		provider.Call{ID: "c2", Name: "no\x00tool", Args: `{}`},
	}, text("End.")}})
	id, es := w.start("go")
	for _, e := range es {
		if strings.Contains(e.Content, "\x00") {
			t.Errorf("shown: %q", e.Content)
		}
	}
	v := w.view(id)
	for _, want := range []string{"th\ufffdink", "sa\ufffdid", "{\"a\":\"\ufffd\"}", "\"content\":\"\ufffd\"", "no\ufffdtool"} {
		if !strings.Contains(v.Text, want) {
			t.Errorf("%q is not in the file:\n%s", want, v.Text)
		}
	}
	if strings.Contains(v.Text, "\x00") || len(dialog.Parse(v.Text).Problems) > 0 {
		t.Fatalf("the file:\n%q", v.Text)
	}
	i := v.Dialog.Find(dialog.ToolRequest, "c1")
	if len(v.Pending) != 1 || v.Pending[0].SHA256 != grant.InputHash(v.Dialog.Sections[i].Text()) {
		t.Fatalf("pending %+v", v.Pending)
	}
	w.put(Input{DialogID: id, Control: control("c1 approve sha256:" + v.Pending[0].SHA256)})
	if v = w.view(id); v.Needs != dialog.NeedsReply || len(v.Dialog.Problems) > 0 {
		t.Errorf("needs %s, problems %v", v.Needs, v.Dialog.Problems)
	}
}

// A doc with a NUL wedges no dialog: the model is told U+FFFD.
func TestDocWithNUL(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{text("one")}})
	p, err := w.run.w.Store.Project("p")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.WriteFile("doc-main.md", "be\x00 brief", "*"); err != nil {
		t.Fatal(err)
	}
	id, _ := w.start("go")
	if v := w.view(id); !strings.Contains(v.Text, "be\ufffd brief") || strings.Contains(v.Text, "\x00") {
		t.Errorf("the file:\n%q", v.Text)
	}
}

func TestPromptWithNUL(t *testing.T) {
	nul, err := json.Marshal(map[string]any{"a": []string{"b\x00"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range []Input{
		{Prompt: &Prompt{Text: "a\x00"}}, {Prompt: &Prompt{Text: string(nul), JSON: true}}, {Control: control("allow x\x00")},
	} {
		if err := in.Check(); !errors.Is(err, ErrInput) {
			t.Errorf("%+v: %v", in.Prompt, err)
		}
	}
	in := Input{Prompt: &Prompt{Text: `{"text":"a \\u0000 is a NUL"}`, JSON: true}} // the text of an escape is none
	if err := in.Check(); err != nil {
		t.Error(err)
	}
}

// The list of dialogs quotes nobody with what a crash tore.
func TestSummaryOfATornMessage(t *testing.T) {
	w := newWorld(t, &script{})
	text := "# Dialog\n\n## User\n> Id: u1\n\nəəəinput/markdown\nhello\nəəə\n\n## User\n> Id: u2\n\nəəəinput/markdown\nI am \x00no human.\nəəə\n"
	d, g := dialog.Parse(text), dialog.Digest{}
	g.Extend(d)
	if s := w.run.Summarize("p", "20260216-201100-x", dialog.Waiting, d, &g); s.Words != "hello" || s.Title != "hello" {
		t.Errorf("it tells %+v", s)
	}
}
