package turn

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vibey/dialog"
	"vibey/provider"
	"vibey/server/project"
)

// Each ceiling of a family lets the last one in and not one more, for the program that
// counted all along and for one that has just started, whatever the dialogs' states are,
// and whatever another family does. A launched dialog that no longer says whose it is
// counts.
func TestFamilyBounds(t *testing.T) {
	type kin struct {
		n      int
		status dialog.Status
		tokens int64  // of each
		header string // "Family" as it names it: "ours" for the root, "" for none
	}
	const all = dialog.AgentsMost
	for what, c := range map[string]struct {
		kins []kin
		most int
		want string // of the refusal; "" for none
	}{
		"31 that are done":                  {[]kin{{all - 2, dialog.Done, 1, "ours"}}, familyLive, ""},
		"32 that are done":                  {[]kin{{all - 1, dialog.Done, 1, "ours"}}, familyLive, "has 32 dialogs"},
		"32 in three states":                {[]kin{{10, dialog.Done, 1, "ours"}, {20, dialog.Waiting, 1, "ours"}, {1, dialog.Active, 1, "ours"}}, familyLive, "has 32 dialogs"},
		"40, of which 31 are ours":          {[]kin{{all - 2, dialog.Done, 1, "ours"}, {9, dialog.Done, 1, "20200101-000000-other"}}, familyLive, ""},
		"32 with one of no family":          {[]kin{{all - 2, dialog.Done, 1, "ours"}, {1, dialog.Done, 1, "?"}}, familyLive, "has 32 dialogs"},
		"3 at work":                         {[]kin{{familyLive - 1, dialog.Active, 1, "ours"}}, familyLive, ""},
		"4 at work":                         {[]kin{{familyLive, dialog.Active, 1, "ours"}}, familyLive, "4 dialogs of this family work"},
		"4 at work of another":              {[]kin{{familyLive, dialog.Active, 1, "20200101-000000-other"}}, familyLive, ""},
		"4 at work, of humans":              {[]kin{{familyLive, dialog.Active, 1, ""}}, familyLive, ""},
		"4 at work, 20 waiting":             {[]kin{{familyLive, dialog.Active, 1, "ours"}, {20, dialog.Waiting, 1, "ours"}}, familyLive, "4 dialogs of this family work"},
		"1 at work, where 1 may":            {[]kin{{1, dialog.Active, 1, "ours"}}, 1, "1 dialogs of this family work"},
		"4 at work, where 5 may":            {[]kin{{4, dialog.Active, 1, "ours"}}, 5, ""},
		"31 at work, where 32 may":          {[]kin{{all - 1, dialog.Active, 1, "ours"}}, all, "has 32 dialogs"},
		"a token below":                     {[]kin{{1, dialog.Done, familyTokens - 2, "ours"}}, familyLive, ""},
		"the last token":                    {[]kin{{1, dialog.Done, familyTokens - 1, "ours"}}, familyLive, "20000000 tokens"},
		"the last token, in many":           {[]kin{{19, dialog.Waiting, 1_000_000, "ours"}, {1, dialog.Active, 999_999, "ours"}}, familyLive, "20000000 tokens"},
		"as many as a number holds":         {[]kin{{2, dialog.Done, 1<<63 - 1, "ours"}}, familyLive, "the most it may"},
		"the last token, of another family": {[]kin{{1, dialog.Done, familyTokens - 1, "20200101-000000-other"}}, familyLive, ""},
	} {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t, &script{})
			made := 0
			add := func(k kin, meta dialog.Fields) string {
				t.Helper()
				made++
				span := dialog.Span(w.now, w.now)
				f, err := w.p().NewDialog("d"+strconv.Itoa(made), w.now, dialog.Header{Provider: "m", Model: "x", Status: k.status, Meta: meta}, []dialog.Section{{
					Role: dialog.Assistant, ID: "msg_1", Time: span, Resources: dialog.Resources{Out: k.tokens, Total: k.tokens}, Payloads: []dialog.Payload{{Type: dialog.OutputMarkdown, Text: "spent"}},
				}})
				if err != nil {
					t.Fatal(err)
				}
				if k.status == dialog.Active {
					t.Cleanup(func() { f.Close() }) // one that is not held works no more
				} else {
					f.Close()
				}
				return f.ID()
			}
			root := add(kin{status: dialog.Done, tokens: 1}, nil)
			running := &w.run.families
			for _, k := range c.kins {
				for range k.n {
					var meta dialog.Fields
					switch k.header {
					case "":
					case "?":
						meta = dialog.Fields{{Key: "From", Value: root}, {Key: "Family", Value: "no id"}, {Key: "Depth", Value: "1"}}
					default:
						meta = dialog.Fields{{Key: "From", Value: root}, {Key: "Family", Value: strings.Replace(k.header, "ours", root, 1)}, {Key: "Depth", Value: "1"}}
					}
					add(k, meta)
				}
				if _, err := running.count(w.p(), root); err != nil { // so that it has counted before
					t.Fatal(err)
				}
			}
			for when, x := range map[string]*families{"all along": running, "started anew": new(families)} {
				err := x.room(w.p(), root, c.most)
				if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
					t.Errorf("%s: %v, want %q", when, err, c.want)
				}
			}
		})
	}
}

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

// Where every intent may take more rounds than its parent's message, a child gets the one
// that may take the fewest.
func TestWidest(t *testing.T) {
	rules := dialog.Rules{Budgets: map[string]int{"": 1, "conversational": 50, "status_check": 3}}
	for most, want := range map[int]string{1: "status_check", 3: "status_check", 9: "diagnose", 50: "conversational", 150: "autonomous"} {
		if got := widest(rules, most); got != want {
			t.Errorf("%d: %s", most, got)
		}
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
	if len(w.run.families.known) != 1 {
		t.Fatal("nothing is known of a family that is there")
	}
	p := w.p()
	if err := w.run.w.Store.Delete("p", func() error { return w.run.StopProject(t.Context(), p) }); err != nil {
		t.Fatal(err)
	}
	if len(w.run.families.known) != 0 {
		t.Errorf("kept: %v", w.run.families.known)
	}
}

// While one family is counted, others are too; of one family only one at a time.
func TestFamiliesAreCountedSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var x families
		leave := x.enter("p", "one")
		x.enter("p", "two")()
		x.enter("q", "one")()
		entered := false
		go func() {
			defer x.enter("p", "one")()
			entered = true
		}()
		time.Sleep(time.Second)
		if entered {
			t.Error("two count one family")
		}
		leave()
		time.Sleep(time.Second)
		if !entered || len(x.gates) != 0 {
			t.Errorf("entered: %t, kept: %d", entered, len(x.gates))
		}
	})
}
