package turn

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/dialog/history"
	"vibey/provider"
)

// sixTurns is a script in which the first turn writes a file, and a dialog of six.
func sixTurns(t *testing.T) (*world, string) {
	answers := [][]provider.Event{{write("c1", "deed/a.txt", "hello")}, text("I wrote `deed/a.txt`.")}
	for n := range 9 {
		answers = append(answers, text(fmt.Sprintf("answer %d", n+2)))
	}
	w := newWorld(t, &script{answers: answers})
	id, _ := w.start("write a.txt")
	w.put(Input{DialogID: id, Control: control("allow write_file")})
	for n := range 5 {
		w.put(Input{DialogID: id, Prompt: &Prompt{Text: fmt.Sprintf("message %d of it", n+2)}})
	}
	return w, id
}

// last is the history of the last request, as text.
func (s *script) last() string {
	r := s.reqs[len(s.reqs)-1]
	var b strings.Builder
	for _, it := range r.History.Items {
		fmt.Fprintf(&b, "%d %s%s%s\n", it.Kind, it.Tool, it.Args, it.Text)
	}
	return b.String()
}

// TestCompact: a Summary stands for all turns but the last four, carries what was run
// and the ledger, keeps every word in the file, and can be undone and edited.
func TestCompact(t *testing.T) {
	w, id := sixTurns(t)
	before := w.view(id)
	st, sub, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Compact: true})
	if err != nil || sub != nil || st.Needs != dialog.NeedsReply {
		t.Fatalf("%+v %v", st, err)
	}
	v := w.view(id)
	if !strings.HasPrefix(v.Text, strings.Replace(before.Text, "\n> Status: ", "\n> Status: ", 1)) {
		t.Error("something earlier was changed")
	}
	sum := v.Dialog.Sections[len(v.Dialog.Sections)-1]
	if sum.Role != dialog.Summary || !strings.HasSuffix(sum.Meta.Get("Covers"), "_a3") || !strings.HasPrefix(sum.Meta.Get("Covers"), "msg_20260216_201100_u1 - ") {
		t.Fatalf("%s covers %q", sum.Role, sum.Meta.Get("Covers"))
	}
	for _, want := range []string{
		"turns 1 to 2", "User: write a.txt", "[tools executed this turn:\n - write_file({\"path\":\"deed/a.txt\",\"content\":\"hello\"}) → ok bytes=5 sha=2cf24dba",
		"## Files Read\n\n- none", "## Files Modified\n\n- deed/a.txt (sha256 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824)",
	} {
		if !strings.Contains(sum.Text(), want) {
			t.Errorf("%q is not in the Summary:\n%s", want, sum.Text())
		}
	}
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "and now?"}})
	h := w.script.last()
	if !strings.Contains(h, "[SUMMARY]") || strings.Contains(h, "write_file{") || strings.Contains(h, "\nmessage 2") || strings.Contains(h, "1 message 2") || !strings.Contains(h, "message 3 of it") || !strings.Contains(h, "answer 3") {
		t.Errorf("the history is\n%s", h)
	}
	if s := w.script.reqs[len(w.script.reqs)-1].History.System; s != w.script.reqs[0].History.System {
		t.Error("the system text is another one")
	}
	// The same after a restart.
	w.restart()
	if got := history.Build(w.view(id).Dialog); len(got.Items) == 0 || !strings.HasPrefix(got.Items[0].Text, "[SUMMARY]") {
		t.Error("after a restart the history begins otherwise")
	}
	if _, err := w.run.Undo(context.Background(), w.p(), Undoing{DialogID: id, ID: sum.ID}); err != nil {
		t.Fatal(err)
	}
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "once more"}})
	if h := w.script.last(); strings.Contains(h, "[SUMMARY]") || !strings.Contains(h, "message 2 of it") || !strings.Contains(h, "write_file{") {
		t.Errorf("after the undo the history is\n%s", h)
	}
	for again, want := range map[string]error{sum.ID: ErrNothing, "nothing": fs.ErrNotExist, "msg_20260216_201100_u1": ErrNothing} {
		if _, err := w.run.Undo(context.Background(), w.p(), Undoing{DialogID: id, ID: again}); !errors.Is(err, want) {
			t.Errorf("undo of %s: %v", again, err)
		}
	}
}

// TestCompactNothing: the last four turns stay whole, and what is summed up is not
// summed up again.
func TestCompactNothing(t *testing.T) {
	w, id := sixTurns(t)
	compact := Input{Project: w.p(), DialogID: id, Compact: true}
	if _, _, err := w.run.Put(context.Background(), compact); err != nil {
		t.Fatal(err)
	}
	size := len(w.view(id).Text)
	if _, _, err := w.run.Put(context.Background(), compact); !errors.Is(err, ErrNothing) || len(w.view(id).Text) != size {
		t.Errorf("again: %v", err)
	}
	short, _ := w.start("hello there, write")
	compact.DialogID = short
	if _, _, err := w.run.Put(context.Background(), compact); !errors.Is(err, ErrNothing) {
		t.Errorf("one turn: %v", err)
	}
}

// TestCompactBehindResult: a turn that ended with a result, here that of a call which
// the human denied by going on, is summed up with it, and once.
func TestCompactBehindResult(t *testing.T) {
	answers := [][]provider.Event{{write("c1", "deed/a.txt", "hello")}}
	for range 9 {
		answers = append(answers, text("yes"))
	}
	w := newWorld(t, &script{answers: answers})
	id, _ := w.start("write a.txt")
	for range 4 {
		w.put(Input{DialogID: id, Prompt: &Prompt{Text: "write on"}})
	}
	compact := Input{Project: w.p(), DialogID: id, Compact: true}
	if _, _, err := w.run.Put(context.Background(), compact); err != nil {
		t.Fatal(err)
	}
	d := w.view(id).Dialog
	if c := history.Covers(d); len(c) != 1 || d.Sections[c[0].To].Role != dialog.ToolResult || d.Sections[c[0].To+1].Role != dialog.User {
		t.Errorf("%+v of %s", c, sections(d))
	}
	if _, _, err := w.run.Put(context.Background(), compact); !errors.Is(err, ErrNothing) {
		t.Errorf("again: %v, %s", err, sections(w.view(id).Dialog))
	}
}

// TestCompactWhenFull: where the last request took 80 % of the window the earlier turns
// are summed up before the next one, once.
func TestCompactWhenFull(t *testing.T) {
	w, id := sixTurns(t)
	if _, err := w.p().WriteFile("doc-main.md", "# Main\n\nəəəproject/v1\nwindow 15\nəəə\n", ""); err != nil {
		t.Fatal(err)
	}
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "it gets long"}}) // the script counts 10 in, 2 out
	d := w.view(id).Dialog
	if got := sections(d); !strings.HasSuffix(got, "Note/doc-change, User, Summary, Assistant") {
		t.Errorf("sections %s", got)
	}
	if h := w.script.last(); !strings.HasPrefix(h, "1 [SUMMARY]") {
		t.Errorf("the history is\n%s", h)
	}
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "and longer"}})
	if d := w.view(id).Dialog; d.Count(dialog.Summary) != 2 || !strings.HasPrefix(d.Sections[len(d.Sections)-2].Meta.Get("Covers"), "msg_20260216_201100_u1 - ") {
		t.Errorf("sections %s", sections(d))
	}
	if h := w.script.last(); strings.Count(h, "[SUMMARY]") != 1 {
		t.Errorf("the history is\n%s", h)
	}
}
