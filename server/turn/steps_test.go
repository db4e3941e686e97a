package turn

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/provider"
)

var update = flag.Bool("update", false, "rewrite the expected files")

var stepWords = map[step]string{executeStep: "run", promptStep: "speak", continueStep: "nudge", askStep: "ask", denyStep: "deny", compactStep: "compact"}

func (a steps) words(err error) string {
	if errors.Is(err, ErrNothing) {
		return "refused"
	}
	words := []string{}
	for _, s := range a {
		words = append(words, stepWords[s])
	}
	if len(words) == 0 {
		return "-"
	}
	return strings.Join(words, ", ")
}

// What each request means to each dialog, over all combinations: the table in
// testdata/agenda.md is what is reviewed.
func TestAgenda(t *testing.T) {
	call := func(v grant.Verdict, started bool) grant.Call { return grant.Call{Verdict: v, Started: started} }
	run, wait, refused, started := call(grant.Run, false), call(grant.Wait, false), call(grant.Refused, false), call(grant.Run, true)
	tried := func(v grant.Verdict) grant.Call {
		return grant.Call{Verdict: v, Started: true, Tried: true, Effect: &grant.Tried{}}
	}
	open := []struct {
		name  string
		asked bool
		calls []grant.Call
	}{
		{"no message", false, nil},
		{"no call", true, nil},
		{"approved", true, []grant.Call{run}},
		{"denied", true, []grant.Call{refused}},
		{"started", true, []grant.Call{started}},
		{"waits", true, []grant.Call{wait}},
		{"approved, waits", true, []grant.Call{run, wait}},
		{"denied, waits", true, []grant.Call{refused, wait}},
		{"started, waits", true, []grant.Call{started, wait}},
		{"approved, denied", true, []grant.Call{run, refused}},
		{"effect waits", true, []grant.Call{tried(grant.Wait)}},
		{"effect approved", true, []grant.Call{tried(grant.Run)}},
		{"effect denied", true, []grant.Call{tried(grant.Refused)}},
		{"effect waits, approved", true, []grant.Call{tried(grant.Wait), run}},
	}
	control := "allow x"
	var b strings.Builder
	b.WriteString("What a request means (TestAgenda; -update rewrites this table): its steps, by the open calls that it finds.\n")
	b.WriteString("A control decides a call, or is only a rule; \"-\" leaves the dialog as it is, but for the status.\n\n| request |")
	for _, o := range open {
		b.WriteString(" " + o.name + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(open)) + "\n")
	for _, prompt := range []bool{false, true} {
		for _, ruled := range []string{"", "a rule", "a decision"} {
			for _, goOn := range []bool{false, true} {
				for _, st := range []dialog.Status{"", dialog.Done} {
					in := Input{Continue: goOn, Status: st}
					name := []string{}
					if prompt {
						in.Prompt, name = &Prompt{Text: "go"}, append(name, "prompt")
					}
					if ruled != "" {
						in.Control, name = &control, append(name, ruled)
					}
					if goOn {
						name = append(name, "continue")
					}
					if st != "" {
						name = append(name, string(st))
					}
					if len(name) == 0 {
						continue // refused before the file is opened
					}
					fmt.Fprintf(&b, "| %s |", strings.Join(name, ", "))
					for _, o := range open {
						var a steps
						err := in.canGoOn(o.calls, o.asked)
						if err == nil {
							a = in.stepsOf(o.calls, ruled == "a decision" && len(o.calls) > 0)
						}
						fmt.Fprintf(&b, " %s |", a.words(err))
						holds(t, in, o.calls, a, err)
					}
					b.WriteString("\n")
				}
			}
		}
	}
	const golden = "testdata/agenda.md"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || string(want) != b.String() {
		t.Errorf("%s is not what is made now (%v):\n%s", golden, err, b.String())
	}
}

// A control begins a turn if it decides what waits: also what a command did, whichever way.
func TestBegins(t *testing.T) {
	call := func(id string, v grant.Verdict, effect bool) grant.Call {
		c := grant.Call{ID: id, Verdict: v}
		if effect {
			c.Started, c.Tried, c.Effect = true, true, &grant.Tried{}
		}
		return c
	}
	for name, c := range map[string]struct {
		before, after []grant.Call
		want          bool
	}{
		"approved":              {[]grant.Call{call("c1", grant.Wait, false)}, []grant.Call{call("c1", grant.Run, false)}, true},
		"denied beside another": {[]grant.Call{call("c1", grant.Wait, false), call("c2", grant.Run, false)}, []grant.Call{call("c1", grant.Refused, false), call("c2", grant.Run, false)}, false},
		"a rule":                {[]grant.Call{call("c1", grant.Wait, true)}, []grant.Call{call("c1", grant.Wait, true)}, false},
		"an effect approved":    {[]grant.Call{call("c1", grant.Wait, true)}, []grant.Call{call("c1", grant.Run, true)}, true},
		"an effect denied":      {[]grant.Call{call("c1", grant.Wait, true), call("c2", grant.Run, false)}, []grant.Call{call("c1", grant.Refused, true), call("c2", grant.Run, false)}, true},
		"interrupted":           {[]grant.Call{{ID: "c1", Verdict: grant.Wait, Started: true}}, []grant.Call{{ID: "c1", Verdict: grant.Run, Started: true}}, false},
	} {
		if got := begins(c.before, c.after); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// holds is what must be so in every row.
func holds(t *testing.T, in Input, calls []grant.Call, a steps, err error) {
	t.Helper()
	at := func(s step) int {
		for i, x := range a {
			if x == s {
				return i
			}
		}
		return -1
	}
	waiting, what := false, fmt.Sprintf("%+v with %v: %v", in, calls, a)
	for _, c := range calls {
		waiting = waiting || c.Verdict == grant.Wait && !c.Interrupted()
	}
	if spoken := at(promptStep) >= 0; spoken != (in.Prompt != nil) {
		t.Error("a prompt is spoken once, and only a prompt: " + what)
	}
	if in.Prompt != nil && (at(askStep) < at(promptStep) || at(executeStep) >= 0 && at(executeStep) < at(promptStep)) {
		t.Error("something runs, or the model is asked, before the prompt stands there: " + what)
	}
	if waiting && in.Prompt == nil && a.streams() {
		t.Error("the model is asked while a call waits: " + what)
	}
	if !in.Continue && in.Prompt == nil && in.Control == nil && (a.streams() || at(executeStep) >= 0) {
		t.Error("a status runs something: " + what)
	}
	if at(denyStep) >= 0 && in.Status != dialog.Done {
		t.Error("a call is denied in a dialog that goes on: " + what)
	}
	if err != nil && (len(a) > 0 || !in.Continue) {
		t.Error("refused: " + what)
	}
}

// A prompt that came with approvals stands in the file, whatever ends the turn
// while the calls run that were approved with it.
func TestStoppedBeforeThePrompt(t *testing.T) {
	for name, stop := range map[string]func(w *world, id string){
		"stopped": func(w *world, id string) {
			if _, _, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Status: dialog.Waiting}); err != nil {
				t.Error(err)
			}
		},
		"the server stops": func(w *world, id string) {
			if err := w.run.Shutdown(context.Background()); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, &script{answers: [][]provider.Event{{provider.Text{Piece: "May I?"}, command("c1", "touch deed/began; sleep 60"), command("c2", "true")}, text("Thanks.")}})
			id, _ := w.start("go")
			_, sub, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Control: control("c1 approve\nc2 approve"), Prompt: &Prompt{Text: "MY PROMPT"}})
			if err != nil {
				t.Fatal(err)
			}
			defer sub.Close()
			w.until("deed/began")
			stop(w, id)
			v := w.view(id)
			const want = "System, User, Assistant, Tool Request, Tool Request, Authorization, User, Note/started, Tool Result/error"
			if got := sections(v.Dialog); got != want {
				t.Errorf("%s\n%s, want", got, want)
			}
			if got := v.Dialog.Sections[6].Text(); got != "MY PROMPT" || v.Status != dialog.Waiting || v.Needs != dialog.NeedsContinue {
				t.Errorf("%q, %s, needs %s", got, v.Status, v.Needs)
			}
		})
	}
}
