package e2e

import (
	"fmt"
	"strings"
	"testing"

	"vibey/provider/providertest"

	"vibey/cmd/tally/testenv"
)

// seen is what a watcher has of a dialog: whole sections, then open text.
type seen struct {
	sections []string
	open     string
}

// take adds frames as a client would.
func (v *seen) take(frames []frame) {
	for _, f := range frames {
		switch f.kind {
		case "reset":
			*v = seen{}
		case "chunk":
			v.open += f.data.Content
		case "section":
			text := f.data.Section.text()
			v.sections = append(v.sections, fmt.Sprintf("%s %s %.20q %.8s", f.data.Section.Role, f.data.Section.ID, text, sha(text)))
			v.open = ""
		}
	}
}

// TestResume cuts a watcher off behind each frame: with the id of the last one
// he gets what he lacks, no more and no less, while it runs and later.
func TestResume(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	h := serve(t, newPlace(t, providertest.Script{Replies: []providertest.Reply{
		{Reasoning: "hm", Text: "Grüße, one two three four.", Chunk: 3, DelayMS: 4, Calls: []providertest.Call{
			{ID: "w", Name: "write_file", Args: `{"path":"deed/a","content":"ə"}`}}},
		{Text: "əəəcontrol/v1\nallow run_command\nəəə\nnow five six", Chunk: 4, DelayMS: 4},
	}}))
	h.make("p")
	first := h.post(dialogPath, body{"provider": "claude", "prompt": "go"})
	id := first.kind("section").data.DialogID
	live := h.join("p", id, "") // late, while it runs
	first.ends("tool_request")
	live.ends("tool_request")
	second := h.put(dialogPath, body{"dialogId": id, "control": "w approve"})
	late := h.join("p", id, "")
	second.ends("done")
	late.ends("done")

	var want seen
	want.take(h.join("p", id, "").wait())
	st := h.look("p", id)
	if len(want.sections) != len(st.Sections) || want.open != "" {
		t.Errorf("an idle dialog's stream has %d sections of %d, open %q", len(want.sections), len(st.Sections), want.open)
	}
	var got seen
	if got.take(late.wait()); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("joined while it ran:\n%v\nthe file:\n%v", got, want)
	}
	if n := len(late.wait()); n <= len(want.sections) {
		t.Errorf("nothing was streamed to who joined late: %d frames", n)
	}
	for i, f := range late.wait() {
		if f.id == "" {
			t.Errorf("no id: %s", f.raw)
			continue
		}
		var v seen
		v.take(late.wait()[:i+1])
		v.take(h.join("p", id, f.id).wait())
		if fmt.Sprint(v) != fmt.Sprint(want) {
			t.Errorf("resumed behind %d %s:\n%v\nwant\n%v", i, f.id, v, want)
		}
	}
	for _, last := range []string{"99999999+0", "1+0", "nonsense", "-1+5", "0+0x"} {
		s := h.join("p", id, last)
		if f := s.wait()[0]; f.kind != "reset" || len(keys(f.raw)) != 1 {
			t.Errorf("Last-Event-ID %q: first frame %s", last, f.raw)
		}
		var v seen
		if v.take(s.wait()); fmt.Sprint(v) != fmt.Sprint(want) {
			t.Errorf("after a reset: %v", v)
		}
	}
}

// TestJoinOpenText: who joins in the middle of an answer gets it as one chunk.
func TestJoinOpenText(t *testing.T) {
	t.Parallel()
	h := serve(t, newPlace(t, providertest.Script{Replies: []providertest.Reply{
		{Text: strings.Repeat("word ", 100), Chunk: 5, DelayMS: 10}}}))
	h.make("p")
	first := h.post(dialogPath, body{"provider": "openai", "prompt": "go"})
	chunks := 0
	first.until(0, func(f frame) bool {
		if f.kind == "chunk" {
			chunks++
		}
		return chunks == 6
	})
	id := first.wait0().data.DialogID
	late := h.join("p", id, "")
	c, n := late.until(0, func(f frame) bool { return f.kind == "chunk" })
	if len(c.data.Content) < 30 {
		t.Errorf("the open text came as %q", c.data.Content)
	}
	late.until(n, func(f frame) bool { return f.kind == "chunk" })

	// A second prompt is refused; a closed window does not stop it; a stop does.
	h.ask("PUT", dialogPath, body{"dialogId": id, "prompt": "more"}).problem(409)
	h.ask("PUT", dialogPath, body{"dialogId": id, "control": "x approve"}).problem(409)
	name := h.look("p", id).Filename
	h.ask("POST", "/project/p/file/"+name, body{"content": "# Dialog\n"}).problem(409)
	h.ask("DELETE", "/project/p/file/"+name, nil).problem(409)
	first.close()
	st := h.ask("PUT", dialogPath, body{"dialogId": id, "status": "waiting"}).is(200).object()
	if st["status"] != "waiting" || st["needs"] != "continue" {
		t.Errorf("stopped: %v", st)
	}
	if f := late.ends("done"); f.data.Needs != "continue" {
		t.Errorf("the watcher is told %s", f.raw)
	}
	kept := lastAssistant(h.look("p", id))
	if kept.Meta["Stop"] != "interrupted" || kept.text() != late.text() || len(kept.text()) == 500 {
		t.Errorf("kept %+v; shown %q", kept, late.text())
	}
	for _, name := range h.names("p") {
		if strings.HasSuffix(name, ".open") {
			t.Errorf("%s is left", name)
		}
	}
}

// wait0 is the first frame.
func (s *stream) wait0() frame {
	f, _ := s.until(0, func(frame) bool { return true })
	return f
}
