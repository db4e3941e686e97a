package turn

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/provider"
)

// A message reaches one that waits, wakes it, and its receipt names the Note.
func TestMessageWakes(t *testing.T) {
	w, id, child := pair(t, cast{"lead": {{mailCall("m1", named("child"), "Look at the title.")}, text("Sent."), text("Good.")}, "child": {text("I looked.")}})
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "tell it"}})
	w.quiet()
	v := w.view(child)
	i := len(v.Dialog.Sections) - 2
	note := &v.Dialog.Sections[i]
	if !note.IsMail() || !strings.HasSuffix(note.Text(), "\n\nLook at the title.") || note.Meta.Get("By") != id || note.Meta.Get("Wakes") != "yes" {
		t.Fatalf("%s\n%s", sections(v.Dialog), v.Text)
	}
	if got, want := w.result(id, "m1"), `{"success":true,"delivered":"`+note.ID+`"}`; got != want {
		t.Errorf("receipt %s, want %s", got, want)
	}
	if words, _ := v.Dialog.LastWords(); words != "I looked." || v.Status != dialog.Done {
		t.Errorf("%s, %q", v.Status, words)
	}
	if got := w.mails(id); len(got) != 2 || got[1] != "child: I looked." {
		t.Errorf("the lead was told %q", got)
	}
	legal(t, v.Dialog)
	legal(t, w.view(id).Dialog)
}

// Who is done, or a human is asked by, or belongs to another family, gets mail and
// sleeps on; the receipt says why.
func TestMessageWakesNobody(t *testing.T) {
	for name, c := range map[string]struct {
		child  [][]provider.Event
		before func(w *world, child string)
		why    string
		needs  dialog.Needs
	}{
		"done": {before: func(w *world, child string) { w.status(child, dialog.Done) }, why: "it is done", needs: dialog.NeedsNone},
		"approval": {
			child: [][]provider.Event{{write("x1", "deed/a.txt", "1")}},
			before: func(w *world, child string) {
				w.put(Input{DialogID: child, Prompt: &Prompt{Text: "write it"}})
			},
			why: "it waits for a human's decision", needs: dialog.NeedsApproval,
		},
		"continue": {
			child: [][]provider.Event{text(" ")},
			before: func(w *world, child string) {
				w.script.mute = true
				w.put(Input{DialogID: child, Prompt: &Prompt{Text: "write it"}})
				w.status(child, dialog.Waiting)
			},
			why: "it was stopped, and waits for a human's Continue", needs: dialog.NeedsContinue,
		},
		"crowd": {
			before: func(w *world, _ string) {
				if _, err := w.p().WriteFile("doc-main.md", "# p\n\nəəəproject/v1\ntools mail\nagents 1\nəəə\n", ""); err != nil {
					w.t.Fatal(err)
				}
			},
			why: "1 dialogs of this family work at the same time, the most that may", needs: dialog.NeedsReply,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, id, child := pair(t, cast{"lead": {{mailCall("m1", named("child"), "Look.")}, text("Sent."), {mailCall("m1", named("child"), "Look.")}, text("Sent.")}, "child": c.child})
			c.before(w, child)
			w.quiet()
			asked := len(w.script.reqs)
			w.put(Input{DialogID: id, Prompt: &Prompt{Text: "tell it"}})
			w.quiet()
			v := w.view(child)
			if last := &v.Dialog.Sections[len(v.Dialog.Sections)-1]; !last.IsMail() || last.Meta.Has("Wakes") || v.Needs != c.needs {
				t.Errorf("needs %s: %s", v.Needs, sections(v.Dialog))
			}
			if n := len(w.script.reqs) - asked; n != 2 {
				t.Errorf("%d requests", n)
			}
			if got := w.result(id, w.lastCall(id)); !strings.Contains(got, c.why+".") || !strings.HasPrefix(got, `{"success":true,"delivered":"mail_`) {
				t.Errorf("receipt %s", got)
			}
		})
	}
}

// lastCall is the id of the last call of a dialog.
func (w *world) lastCall(id string) string {
	call := ""
	d := w.view(id).Dialog
	for i := range d.Sections {
		if s := &d.Sections[i]; s.Role == dialog.ToolRequest {
			call = s.ID
		}
	}
	return call
}

// Mail to a dialog that is not there, to itself, and without words says what to do.
func TestMessageRefused(t *testing.T) {
	w := mailWorld(t, cast{"alone": {
		{mailCall("m1", named("gone"), "Hi."), mailCall("m2", "nonsense", "Hi."), mailCall("m3", named("x"), "Hi."), mailCall("m4", named("draft"), "Hi."), mailCall("m5", named("draft"), strings.Repeat("x", dialog.MailMost+1))}, text("I see."),
	}})
	if _, err := w.run.Draft(context.Background(), Input{Project: w.p(), Provider: "claude", Slug: "draft"}); err != nil {
		t.Fatal(err)
	}
	id, _ := w.start("alone")
	w.put(Input{DialogID: id, Control: control(allowAll)})
	for call, want := range map[string]string{
		"m1": "there is no dialog " + named("gone") + " in this project: it was deleted, or never was. list_agents names those that are there",
		"m2": "is not the id of a dialog", "m3": "that is this dialog itself", "m4": "has no message yet", "m5": "a message has at most 16384",
	} {
		if got := w.result(id, call); !strings.Contains(got, want) || !strings.HasPrefix(got, `{"success":false`) {
			t.Errorf("%s: %s", call, got)
		}
	}
}

// Mail of another family is delivered and wakes nobody; it is read with the next message.
func TestMailOfAnotherFamily(t *testing.T) {
	w := mailWorld(t, cast{"first": {text("1"), text("2")}, "second": {{mailCall("m1", named("x"), "From afar.")}, text("Sent.")}})
	first, _ := w.start("first")
	second, _ := w.start("second")
	w.put(Input{DialogID: second, Control: control(allowAll)})
	w.quiet()
	if v := w.view(first); v.Needs != dialog.NeedsReply || len(w.mails(first)) != 1 {
		t.Errorf("%s %s", v.Needs, sections(v.Dialog))
	}
	if got := w.result(second, "m1"); !strings.Contains(got, "another family") {
		t.Error(got)
	}
	w.put(Input{DialogID: first, Prompt: &Prompt{Text: "go on"}})
	req := w.script.reqs[len(w.script.reqs)-1]
	if n := len(req.History.Items); n < 2 || !strings.Contains(req.History.Items[n-2].Text, "From afar.") {
		t.Errorf("%s", items(req))
	}
}

// Two dialogs that answer each other for ever end by their budgets.
func TestMailLoopEnds(t *testing.T) {
	var lead, child [][]provider.Event
	for i := range 60 {
		lead = append(lead, []provider.Event{mailCall(fmt.Sprintf("l%d", i), named("child"), fmt.Sprintf("ping %d", i))})
		child = append(child, []provider.Event{mailCall(fmt.Sprintf("k%d", i), named("x"), fmt.Sprintf("pong %d", i))})
	}
	w, id, kid := pair(t, cast{"lead": lead, "child": child})
	w.put(Input{DialogID: kid, Control: control(allowAll), Prompt: &Prompt{Text: "answer"}})
	w.quiet()
	if asked := len(w.script.reqs); asked > 80 { // 15 rounds each, with the words behind them
		t.Errorf("%d requests", asked)
	}
	for _, d := range []string{id, kid} {
		v := w.view(d)
		if v.Needs != dialog.NeedsContinue || v.Governor.Stopped != "budget" {
			t.Errorf("%s needs %s, stopped by %q", d, v.Needs, v.Governor.Stopped)
		}
		legal(t, v.Dialog)
	}
}

// A kill between the receiver's append and the sender's result: the call is not run
// again, and its result says what the receiver's text tells.
func TestKillBeforeTheReceipt(t *testing.T) {
	for _, arrived := range []bool{true, false} {
		w, id, child := pair(t, cast{"lead": {{mailCall("m1", named("child"), "Look.")}, text("Sent."), text("On.")}, "child": {text("Seen."), text("Again.")}})
		w.status(child, dialog.Done)
		w.put(Input{DialogID: id, Prompt: &Prompt{Text: "tell it"}})
		w.quiet()
		v, kid := w.view(id), w.view(child)
		i := v.Dialog.Find(dialog.ToolResult, "m1")
		cutAt(t, w, v, i)
		if !arrived {
			cutAt(t, w, kid, len(kid.Dialog.Sections)-1)
		}
		w.restart()
		w.put(Input{DialogID: id, Continue: true})
		w.quiet()
		got := w.result(id, "m1")
		want := "does not have the message"
		if arrived {
			want = "has the message, as its note mail_"
		}
		if !strings.HasPrefix(got, `{"success":false,"error":"interrupted: outcome unknown`) || !strings.Contains(got, want) {
			t.Errorf("%s", got)
		}
		n := 0
		for _, m := range w.mails(child) {
			if strings.HasSuffix(m, "Look.") {
				n++
			}
		}
		if (n == 1) != arrived || n > 1 {
			t.Errorf("%d messages", n)
		}
	}
}

// One turn sends so many messages and no more.
func TestMessagesOfATurnAreBounded(t *testing.T) {
	var calls []provider.Event
	for i := range mailTurn + 2 {
		calls = append(calls, mailCall(fmt.Sprint("m", i), named("child"), fmt.Sprint("n", i)))
	}
	w, id, child := pair(t, cast{"lead": {calls, text("Sent.")}})
	w.status(child, dialog.Done)
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "tell it"}})
	w.quiet()
	if n := len(w.mails(child)); n != mailTurn {
		t.Errorf("%d messages", n)
	}
	if got := w.result(id, fmt.Sprint("m", mailTurn)); !strings.Contains(got, "this turn has sent 16 messages") {
		t.Error(got)
	}
}

// Another agent's dialog is read as text, without seals and without what only a provider
// reads; both tools ask nobody.
func TestReadAgents(t *testing.T) {
	w, id, child := pair(t, cast{"lead": {{
		provider.Call{ID: "r1", Name: "list_agents", Args: `{}`},
		provider.Call{ID: "r2", Name: "read_agent", Args: `{"dialogId":"` + named("child") + `"}`},
		provider.Call{ID: "r3", Name: "read_agent", Args: `{"dialogId":"` + named("x") + `","from":3}`},
		provider.Call{ID: "r4", Name: "read_agent", Args: `{"dialogId":"` + named("gone") + `"}`},
	}, text("Read.")}})
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "look"}})
	if got := w.result(id, "r1"); !strings.Contains(got, `"dialogId":"`+child+`","title":"child","status":"waiting"`) || !strings.Contains(got, `"you":true`) {
		t.Error(got)
	}
	if got := w.result(id, "r2"); !strings.Contains(got, "Here.") || !strings.Contains(got, `"sections":3,"from":0`) || strings.Contains(got, "leading doc") {
		t.Error(got)
	}
	if got := w.result(id, "r3"); !strings.Contains(got, "allow message_agent") || strings.Contains(got, "Mac") {
		t.Error(got)
	}
	if got := w.result(id, "r4"); !strings.Contains(got, "there is no dialog") {
		t.Error(got)
	}
}

// Mail to a dialog that a human has deleted is an error which says so, and makes no file.
func TestMailToADeletedDialog(t *testing.T) {
	w, lead, child := pair(t, cast{"lead": {{mailCall("m1", named("child"), "Are you there?")}, text("It is gone.")}})
	gone := w.view(child).Filename
	if err := os.Remove(filepath.Join(w.dir, "root/p", gone)); err != nil {
		t.Fatal(err)
	}
	w.put(Input{DialogID: lead, Prompt: &Prompt{Text: "ask it"}})
	w.quiet()
	if got := w.result(lead, "m1"); !strings.Contains(got, `"success":false`) || !strings.Contains(got, "it was deleted, or never was") {
		t.Errorf("%s", got)
	}
	if found, _ := filepath.Glob(filepath.Join(w.dir, "root/p/*child*")); len(found) > 0 {
		t.Errorf("it is there again: %v", found)
	}
	legal(t, w.view(lead).Dialog)
}
