package turn

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
	"vibey/dialog/history"
	"vibey/provider"
	"vibey/server/hub"
)

const mib = 1 << 20

// pour is a text in pieces of 1 MiB, in whose middle characters stand.
func pour(mebibytes int) (events []provider.Event, text string) {
	piece := "\n## User\nəəə" + strings.Repeat("ə", mib/2-7)
	for range mebibytes {
		events = append(events, provider.Text{Piece: piece})
	}
	return events, strings.Repeat(piece, mebibytes)
}

// An answer without end stands in the file up to the bound, and behind that in a file that
// the section names. Neither watchers nor the next request get more, and the dialog goes on.
func TestEndlessAnswer(t *testing.T) {
	testenv.Slow(t)
	events, whole := pour(40)
	s := &script{answers: [][]provider.Event{events, text("And now?")}}
	w := newWorld(t, s)
	id, es := w.start("go")
	shown := 0
	for _, e := range es {
		if e.Type == hub.ChunkEvent {
			shown += len(e.Content)
		}
	}
	v := w.view(id)
	said := v.Dialog.Sections[v.Dialog.Find(dialog.Assistant, lastID(v.Dialog))].Text()
	if len(said) > 16*mib || shown > 16*mib {
		t.Fatalf("the section has %d bytes, and %d were shown", len(said), shown)
	}
	i := strings.LastIndexByte(said, '\n')
	at := strings.Index(said[i:], ".rest/")
	if at < 0 {
		t.Fatalf("it ends with %q", said[i:])
	}
	name, _, _ := strings.Cut(said[i+at:], " ")
	rest, err := os.ReadFile(filepath.Join(w.dir, "root/p", name))
	if err != nil || said[:i]+string(rest) != whole {
		t.Errorf("head and rest are not what the model said: %d and %d bytes, %v", i, len(rest), err)
	}
	if len(v.Dialog.Problems) > 0 || sections(v.Dialog) != "System, User, Assistant" {
		t.Errorf("%v, %v", sections(v.Dialog), v.Dialog.Problems)
	}
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "go on"}})
	if it := s.reqs[1].History.Items[1]; it.Text != said {
		t.Errorf("the next request has another text, of %d bytes", len(it.Text))
	}
}

func lastID(d *dialog.Dialog) string { return d.Sections[len(d.Sections)-1].ID }

// A kill in the middle of such an answer loses nothing of it, and its rest is named.
func TestEndlessAnswerIsStopped(t *testing.T) {
	events, whole := pour(20)
	s := &script{answers: [][]provider.Event{events}, fail: map[int]error{0: errors.New("the line broke")}}
	w := newWorld(t, s)
	id, _ := w.start("go")
	v := w.view(id)
	said := v.Dialog.Sections[2].Text()
	name, ok := dialog.RestOf(said)
	rest, err := os.ReadFile(filepath.Join(w.dir, "root/p", dialog.RestFolder, name))
	if !ok || strings.TrimSuffix(said, dialog.RestLine(name))+string(rest) != whole {
		t.Errorf("%q, %d bytes, %v", name, len(rest), err)
	}
}

// A call whose input is beyond the bound is no question to a human: it gets an error in
// words, and the turn goes on.
func TestLongInput(t *testing.T) {
	testenv.Slow(t)
	s := &script{answers: [][]provider.Event{
		{write("c1", "deed/a.txt", strings.Repeat("a", 20*mib)), provider.Call{ID: "c2", Name: "nosuch", Args: strings.Repeat("b", 20*mib)}},
		text("I see."),
	}}
	w := newWorld(t, s)
	id, _ := w.start("go")
	v := w.view(id)
	if len(v.Pending) > 0 {
		t.Fatalf("a human is asked about %s", v.Pending[0].Tool)
	}
	for i := range v.Dialog.Sections {
		if sec := &v.Dialog.Sections[i]; len(sec.Text()) > 16*mib {
			t.Errorf("%s has %d bytes", sec.Role, len(sec.Text()))
		}
	}
	for _, id := range []string{"c1", "c2"} {
		i := v.Dialog.Find(dialog.ToolResult, id)
		if i < 0 || !strings.Contains(v.Dialog.Sections[i].Text(), "16 MiB") {
			t.Errorf("%s: %v", id, sections(v.Dialog))
		}
	}
	if _, err := os.Stat(filepath.Join(w.dir, "root/p/deed/a.txt")); err == nil {
		t.Error("it was written")
	}
	var args []string
	for _, it := range s.reqs[len(s.reqs)-1].History.Items {
		if it.Kind == history.CallItem {
			args = append(args, it.Args)
		}
	}
	if strings.Join(args, " ") != "{} {}" {
		t.Errorf("the next request has arguments of %d bytes", len(strings.Join(args, " ")))
	}
}

// Reasoning goes back whole or not at all.
func TestLongReasoning(t *testing.T) {
	native := `{"type":"thinking","thinking":"` + strings.Repeat("a", 17*mib) + `"}`
	s := &script{answers: [][]provider.Event{
		{provider.Thinking{Piece: strings.Repeat("a", 17*mib)}, provider.Reasoning{Text: "", Native: native, Prefix: "p"}, provider.Text{Piece: "So."}},
	}}
	w := newWorld(t, s)
	id, _ := w.start("go")
	r := w.view(id).Dialog.Sections[2]
	if r.Role != dialog.Reasoning || len(r.Payloads) != 1 || len(r.Text()) > 16*mib || r.Meta.Has("Prefix") {
		t.Errorf("%s with %d payloads, the first of %d bytes", r.Role, len(r.Payloads), len(r.Text()))
	}
}

func TestLongPrompt(t *testing.T) {
	for _, in := range []Input{{Prompt: &Prompt{Text: strings.Repeat("a", 16*mib+1)}}, {Control: control(strings.Repeat("# a\n", mib))}} {
		if err := in.Check(); !errors.Is(err, ErrInput) {
			t.Errorf("%v", err)
		}
	}
	in := Input{Prompt: &Prompt{Text: strings.Repeat("a", 16*mib)}}
	if err := in.Check(); err != nil {
		t.Error(err)
	}
}
