package turn

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/dialog/history"
	"vibey/dialog/plan"
	"vibey/provider"
	"vibey/server/hub"
)

// planner is a script that answers the question for the plan with says.
type planner struct {
	*script
	says  string
	fail  error
	hold  chan struct{} // closed once it is asked; it answers nothing then, until the turn is stopped
	asked []provider.Request
}

func (p *planner) Stream(ctx context.Context, r *provider.Request) iter.Seq2[provider.Event, error] {
	if r.History.System != plan.Question {
		return p.script.Stream(ctx, r)
	}
	p.asked = append(p.asked, *r)
	return func(yield func(provider.Event, error) bool) {
		if p.hold != nil {
			close(p.hold)
			<-ctx.Done()
			yield(nil, ctx.Err())
			return
		}
		if p.fail != nil && r.Schema != "" {
			yield(nil, p.fail)
			return
		}
		if yield(provider.Text{Piece: p.says}, nil) {
			yield(provider.Finish{Stop: provider.StopEnd, Resources: dialog.Resources{In: 100, Out: 10, Total: 110}}, nil)
		}
	}
}

// planWorld is a project with the set plan, and a script that writes a file.
func planWorld(t *testing.T, says string) (*world, *planner) {
	s := &script{answers: [][]provider.Event{{write("c1", "deed/a.txt", "x")}, text("I wrote a.txt. We use SQLite, as you said."), text("Fine."), text("Bye.")}}
	w := newWorld(t, s)
	p := &planner{script: s, says: says}
	w.run.w.Provider = func(name string) (provider.Provider, bool) { return p, name == "claude" }
	if _, err := w.p().WriteFile("doc-main.md", "# Shop\n\nəəəproject/v1\ntools plan\nəəə\n", ""); err != nil {
		t.Fatal(err)
	}
	return w, p
}

func (w *world) planDoc() string {
	b, err := os.ReadFile(filepath.Join(w.dir, "root/p", plan.File))
	if err != nil {
		return ""
	}
	return string(b)
}

const oneDecision = `{"decisions":[{"title":"Database","choice":"SQLite","why":"one file"}],"tasks":[],"ideas":[]}`

// What a turn brought stands in the plan as tentative; the next message tells the model
// so, and that a human has confirmed it once they have.
func TestSeed000Fix9Extraction(t *testing.T) {
	w, p := planWorld(t, oneDecision)
	id, _ := w.start("write a.txt, with SQLite")
	if len(p.asked) > 0 {
		t.Error("asked before the turn was over")
	}
	w.put(Input{DialogID: id, Control: control("c1 approve")})
	if len(p.asked) != 1 || len(p.asked[0].History.Tools) > 0 || p.asked[0].Schema == "" || p.asked[0].Model != "m" ||
		!strings.Contains(p.asked[0].History.Items[0].Text, "with SQLite") || !strings.Contains(p.asked[0].History.Items[0].Text, "write_file") {
		t.Fatalf("asked %+v", p.asked)
	}
	line := "- **Database**: SQLite (why: one file) {confidence=auto source=extracted from=" + id + "}"
	if doc := w.planDoc(); !strings.Contains(doc, line) {
		t.Errorf("the plan is\n%s", doc)
	}
	v := w.view(id)
	last := v.Dialog.Sections[len(v.Dialog.Sections)-1]
	if last.Kind() != "plan" || last.Meta.Get("To") != "human" || last.Resources.In != 100 || v.Needs != dialog.NeedsReply {
		t.Errorf("needs %s, last %+v", v.Needs, last)
	}
	if got := v.Dialog.Cumulative().In; got != 120 {
		t.Errorf("in all %d tokens were read", got)
	}
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "and now?"}})
	h := w.script.last()
	if !strings.Contains(h, "[PLAN CHANGED]") || !strings.Contains(h, "tentative") || !strings.Contains(h, "- decision: Database: SQLite (why: one file)") || strings.Contains(h, "Confirmed by the human") {
		t.Errorf("the model is told\n%s", h)
	}
	if len(p.asked) != 1 {
		t.Error("a turn without calls was asked about")
	}
	confirmed := strings.Replace(w.planDoc(), "{confidence=auto", "{confidence=user", 1)
	if _, err := w.p().WriteFile(plan.File, confirmed, ""); err != nil {
		t.Fatal(err)
	}
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "go on"}})
	if h := w.script.last(); strings.Count(h, "[PLAN CHANGED]") != 2 || !strings.Contains(h, "Confirmed by the human (do not re-litigate):\n- decision: Database") {
		t.Errorf("the model is told\n%s", h)
	}
	// A new dialog has it in its system text.
	other, _ := w.start("hello you, write")
	if sys, _ := history.System(w.view(other).Dialog); !strings.Contains(sys, "Confirmed by the human (do not re-litigate):\n- decision: Database") {
		t.Errorf("the system text is\n%s", sys)
	}
}

// An answer that is not what was asked for changes nothing, and is told; a server that
// takes no schema is asked without one.
func TestExtractionFails(t *testing.T) {
	for name, c := range map[string]struct {
		says string
		fail error
		ok   bool
	}{
		"no JSON":      {says: "Sure! Here is what I found."},
		"other fields": {says: `{"decisions":[],"tasks":[],"ideas":[],"run":"rm"}`},
		"a list less":  {says: `{"decisions":[],"tasks":[]}`},
		"a part less":  {says: `{"decisions":[{"title":"x","choice":"y"}],"tasks":[],"ideas":[]}`},
		"two objects":  {says: oneDecision + oneDecision},
		"no schema":    {says: oneDecision, fail: &provider.Error{Kind: provider.KindRefused, Status: 400, Message: "no response_format"}, ok: true},
		"no credit":    {says: oneDecision, fail: &provider.Error{Kind: provider.KindCredit, Status: 402, Message: "Nothing left."}},
		"fenced":       {says: "```json\n" + oneDecision + "\n```", ok: true},
	} {
		t.Run(name, func(t *testing.T) {
			w, p := planWorld(t, c.says)
			p.fail = c.fail
			id, _ := w.start("write a.txt, with SQLite")
			w.put(Input{DialogID: id, Control: control("c1 approve")})
			v := w.view(id)
			note := v.Dialog.Sections[len(v.Dialog.Sections)-1].Text()
			if got := strings.Contains(w.planDoc(), "SQLite"); got != c.ok || v.Needs != dialog.NeedsReply {
				t.Errorf("needs %s, written %v: %s", v.Needs, got, note)
			}
			if !c.ok && !strings.Contains(note, "The plan could not be brought up to date") {
				t.Errorf("told %q", note)
			}
		})
	}
}

// A human who stops a dialog while it is asked what its turn brought stops it as at any
// other moment: nothing has failed, and the turn's answer stands.
func TestExtractionStopped(t *testing.T) {
	w, p := planWorld(t, oneDecision)
	p.hold = make(chan struct{})
	id, _ := w.start("write a.txt, with SQLite")
	_, sub, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Control: control("c1 approve")})
	if err != nil {
		t.Fatal(err)
	}
	<-p.hold
	st, _, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Status: dialog.Waiting})
	if err != nil || st.Needs != dialog.NeedsReply {
		t.Errorf("%+v, %v", st, err)
	}
	es := w.drain(sub)
	if end := es[len(es)-1]; end.Type != hub.DoneEvent {
		t.Errorf("the stream ends with %+v", end)
	}
	if w.planDoc() != "" {
		t.Error("the plan was written")
	}
}
