package turn

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/provider"
	"vibey/server/project"
)

// A child takes no more rounds than the message that its parent works on, whatever the
// parent's model writes into its prompt.
func TestChildIntent(t *testing.T) {
	for own, want := range map[string][2]string{ // for "keep going until all tests pass", and for "status?"
		"small_fix":  {"small_fix", "status_check"},
		"autonomous": {"autonomous", "status_check"},
		"":           {"small_fix", "status_check"},
	} {
		w := newWorld(t, &script{})
		turn := w.run.turn(nil, Input{Project: w.p()})
		turn.f = w.open(own)
		for i, prompt := range []string{"keep going until all tests pass, on your own", "status?"} {
			if got, err := turn.childIntent(&Prompt{Text: prompt}); got != want[i] || err != nil {
				t.Errorf("%q of a %q: %q, %v", prompt, own, got, err)
			}
		}
		turn.f.Close()
	}
	w := newWorld(t, &script{})
	if _, err := w.p().WriteFile("doc-main.md", "əəəproject/v1\nbudget unclassified 9\nəəə\n", ""); err != nil {
		t.Fatal(err)
	}
	turn := w.run.turn(nil, Input{Project: w.p()})
	turn.f = w.open("")
	defer turn.f.Close()
	if got, err := turn.childIntent(&Prompt{Text: "keep going until all tests pass, on your own"}); got != "diagnose" || err != nil {
		t.Errorf("where an unknown one may take 9 rounds: %q, %v", got, err)
	}
}

// open makes a dialog with one message of that intent.
func (w *world) open(intent string) *project.DialogFile {
	w.t.Helper()
	meta := dialog.Fields{{Key: "By", Value: "human"}}.With("Intent", intent)
	f, err := w.p().NewDialog("d", w.now, dialog.Header{Provider: "claude", Model: "m", Status: dialog.Waiting}, []dialog.Section{{
		Role: dialog.User, ID: "u1", Time: dialog.Span(w.now, w.now), Meta: meta, Payloads: []dialog.Payload{{Type: dialog.InputMarkdown, Text: "x"}},
	}})
	if err != nil {
		w.t.Fatal(err)
	}
	return f
}

// What is not there is not launched, and the model reads what is.
func TestLaunchOfWhatIsNotThere(t *testing.T) {
	launch := func(id, provider, model string) (c provider.Call) {
		c.ID, c.Name, c.Args = id, "launch_agent", `{"provider":"`+provider+`","model":"`+model+`","prompt":"help","slug":"`+id+`"}`
		return c
	}
	w := newWorld(t, &script{answers: [][]provider.Event{{
		launch("c1", "nobody", "m"), launch("c2", "claude", "m-secnd"), launch("c3", "claude", "m-first-20260101"), launch("c4", "claude", "m"), launch("c5", "claude", ""),
	}, text("Done.")}})
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("allow launch_agent")})
	w.quiet()
	for call, want := range map[string]string{
		"c1": `{"success":false,"error":"no agent was started: there is no provider \"nobody\". Those that are there: claude, other"}`,
		"c2": `{"success":false,"error":"no agent was started: claude has no model \"m-secnd\". Those that it has: m-first"}`,
		"c3": `"success":true`, "c4": `"success":true`, "c5": `"success":true`,
	} {
		if got := w.result(id, call); !strings.Contains(got, want) {
			t.Errorf("%s: %s", call, got)
		}
	}
	all, err := w.p().Dialogs()
	if err != nil || len(all) != 4 {
		t.Errorf("%d dialogs, %v", len(all), err)
	}
}

// What ends a launched dialog reaches the one that launched it, and wakes it.
func TestErrorOfALaunchedDialog(t *testing.T) {
	for name, c := range map[string]struct {
		says []provider.Event
		err  error
		want string
	}{
		"at once":          {nil, &provider.Error{Kind: provider.KindCredit, Status: 402, Message: "Nothing left\nto spend."}, "It broke off with an error: Nothing left to spend."},
		"behind its words": {text("I began."), &provider.Error{Kind: provider.KindCut, Message: "The line broke."}, "It broke off with an error: The line broke.\n\nWhat it said last:\n\nI began."},
		"by a fault":       {nil, errors.New("index out of range"), "It broke off with an error: Its file"},
	} {
		w := newWorld(t, &script{answers: [][]provider.Event{{launchCall("c1", "child", "child")}, text("Begun."), text("Woken.")}})
		other := &script{answers: [][]provider.Event{c.says}, fail: map[int]error{0: c.err}}
		w.script.answers[0] = []provider.Event{provider.Call{ID: "c1", Name: "launch_agent", Args: `{"provider":"other","model":"","prompt":"child","slug":"child"}`}}
		w.run.w.Provider = func(name string) (provider.Provider, bool) {
			if name == "other" {
				return other, true
			}
			return w.script, true
		}
		id, _ := w.start("go")
		w.put(Input{DialogID: id, Control: control("c1 approve")})
		w.quiet()
		d := w.view(id).Dialog
		i := slices.IndexFunc(d.Sections, func(s dialog.Section) bool { return s.IsMail() })
		if i < 0 || !strings.Contains(d.Sections[i].Text(), c.want) || d.Sections[i].Meta.Get("End") != "waiting" {
			t.Errorf("%s: %s", name, w.view(id).Text)
		}
		// A child that is quick ends before its launch is told.
		if got := sections(d); !strings.HasSuffix(got, "Note/mail, Assistant") && !strings.HasSuffix(got, "Note/mail, Tool Result/approved, Assistant") {
			t.Errorf("%s: %s", name, got)
		}
		if r := w.script.reqs[len(w.script.reqs)-1]; !strings.Contains(items(r), c.want) {
			t.Errorf("%s: the model read %s", name, items(r))
		}
		legal(t, d)
	}
}

// Nothing is kept of the families of a project that was deleted.
func TestFamiliesOfADeletedProject(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{launchCall("c1", "child", "child")}, text("Done.")}})
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("c1 approve")})
	w.quiet()
	known := func() int { return reflect.ValueOf(&w.run.families).Elem().FieldByName("known").Len() }
	if known() != 1 {
		t.Fatal("nothing is known of a family that is there")
	}
	p := w.p()
	if err := w.run.w.Store.Delete("p", func() error { return w.run.StopProject(t.Context(), p) }); err != nil {
		t.Fatal(err)
	}
	if n := known(); n != 0 {
		t.Errorf("kept: %d", n)
	}
}
