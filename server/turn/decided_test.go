package turn

import (
	"context"
	"errors"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/provider"
)

// The stream of a decision begins with what the decision wrote.
func TestStreamBeginsWithTheAuthorization(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{
		{provider.Text{Piece: "May I?"}, write("c1", "deed/a.txt", "a")}, text("Thanks."),
	}})
	id, _ := w.start("go")
	_, sub, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Control: control("c1 approve")})
	if err != nil {
		t.Fatal(err)
	}
	es := w.drain(sub)
	const want = "section:Authorization section:Note section:Tool Result chunk section:Assistant done"
	if got := types(es); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if es[0].Section.Text() != "c1 approve sha256:"+grant.InputHash(w.view(id).Dialog.Sections[3].Text())+" write_file target:none" {
		t.Errorf("first %q", es[0].Section.Text())
	}
}

// A dialog that a human is done with is done: what was approved along with it
// runs, calls that wait are denied, and the model is not asked.
func TestDoneDeniesWhatIsUndecided(t *testing.T) {
	for name, c := range map[string]struct {
		in   Input
		ends string // the results of c1 and c2
	}{
		"one approved":            {Input{Control: control("c1 approve")}, "Tool Result/approved, Tool Result/denied"},
		"one denied":              {Input{Control: control("c1 deny")}, "Tool Result/denied, Tool Result/denied"},
		"nothing that is decided": {Input{Control: control("c9 approve")}, "Tool Result/denied, Tool Result/denied"},
		"continue":                {Input{Continue: true}, "Tool Result/denied, Tool Result/denied"},
		"alone":                   {Input{}, "Tool Result/denied, Tool Result/denied"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, &script{answers: [][]provider.Event{{write("c1", "deed/a.txt", "a"), write("c2", "deed/b.txt", "b")}, text("not asked")}})
			id, _ := w.start("go")
			c.in.Project, c.in.DialogID, c.in.Status = w.p(), id, dialog.Done
			st, sub, err := w.run.Put(context.Background(), c.in)
			if err != nil || sub != nil {
				t.Fatal(sub, err)
			}
			v := w.view(id)
			if st.Status != dialog.Done || v.Status != dialog.Done || len(v.Pending) > 0 || st.Needs != dialog.NeedsNone {
				t.Errorf("told %s, needs %s; on disk %s, %d pending", st.Status, st.Needs, v.Status, len(v.Pending))
			}
			if got := sections(v.Dialog); !strings.HasSuffix(strings.ReplaceAll(got, ", Note/started", ""), c.ends) || strings.Count(got, "Assistant") != 1 {
				t.Error(got)
			}
		})
	}
}

// A server that is stopping stores nothing of what it refuses. Where it began to
// stop after the decision was stored, the refusal says that it holds.
func TestRefusedDecision(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{write("c1", "deed/a.txt", "a")}, text("ok")}})
	id, _ := w.start("go")
	in := Input{Project: w.p(), DialogID: id, Control: control("c1 approve")}
	stop := func() {
		w.run.mu.Lock()
		w.run.stopping = true
		w.run.mu.Unlock()
	}
	stop()
	if _, _, err := w.run.Put(context.Background(), in); !errors.Is(err, ErrStopping) || !strings.Contains(err.Error(), "send this once more") {
		t.Errorf("%v", err)
	}
	if got := sections(w.view(id).Dialog); strings.Contains(got, "Authorization") {
		t.Errorf("stored all the same: %s", got)
	}

	w.restart()
	p, err := w.run.w.Store.Project("p")
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.OpenDialog(id)
	if err != nil {
		t.Fatal(err)
	}
	decided := w.run.turn(f, in)
	for _, pass := range gates {
		if err := pass(decided, context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	decided.todo = decided.in.stepsOf(decided.calls(), decided.decides)
	stop()
	_, err = decided.start(false)
	if !errors.Is(err, ErrStopping) || !strings.Contains(err.Error(), "Your decision is in the file and holds") || strings.Contains(err.Error(), "send this once more") || strings.Contains(err.Error(), "the message") {
		t.Errorf("%v", err)
	}
	w.restart()
	w.put(Input{DialogID: id, Continue: true})
	if w.read("deed/a.txt") != "a" {
		t.Error(result(w.view(id).Dialog, "c1"))
	}
}

// A rule alone begins no call: what was approved, and then not begun for the server
// was killed, waits for a human to go on.
func TestRuleBeginsNothing(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{write("c1", "deed/a.txt", "a")}, text("done")}})
	id, _ := w.start("go")
	p, err := w.run.w.Store.Project("p")
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.OpenDialog(id)
	if err != nil {
		t.Fatal(err)
	}
	approves := w.run.turn(f, Input{Project: w.p(), DialogID: id})
	if _, err := approves.control("c1 approve", ""); err != nil {
		t.Fatal(err)
	}
	f.Close()
	for _, rule := range []string{"ask write_file", "deny network", "allow network"} {
		_, sub, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Control: control(rule)})
		if err != nil || sub != nil {
			t.Fatalf("%s: a stream %v, %v", rule, sub != nil, err)
		}
		if got := sections(w.view(id).Dialog); strings.Contains(got, "Tool Result") {
			t.Fatalf("%s: %s", rule, got)
		}
	}
	_, sub, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Continue: true})
	if err != nil || sub == nil {
		t.Fatal(sub, err)
	}
	w.drain(sub)
	if got := sections(w.view(id).Dialog); !strings.Contains(got, "Tool Result/approved") {
		t.Error(got)
	}
}
