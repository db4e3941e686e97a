package turn

import (
	"context"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
	"vibey/dialog/history"
	"vibey/provider"
	"vibey/server/hub"
)

const remembers = `
caps CAPS
prompt
update {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"I remember."}}
`

// After a restart the session goes on where the agent can; what it replays is not
// recorded again. Where it can't, it is handed the dialog's text, and the text says so.
func TestAgentAfterRestart(t *testing.T) {
	for name, c := range map[string]struct {
		caps, method string
		handover     bool
	}{
		"load":              {`{"loadSession":true}`, "session/load", false},
		"resume":            {`{"loadSession":true,"sessionCapabilities":{"resume":{}}}`, "session/resume", false},
		"neither":           {`{}`, "session/new", true},
		"a session is lost": {`{"loadSession":true}` + "\nfail session/load", "session/new", true},
		"a load crashes it": {`{"loadSession":true}` + "\ncrashes session/load", "session/new", true},
	} {
		t.Run(name, func(t *testing.T) {
			script := strings.Replace(remembers, "CAPS", c.caps, 1)
			a := newAgentWorld(t, script)
			id, _ := a.ask("my first words")
			a.again()
			before := a.came()
			es := a.put(Input{DialogID: id, Prompt: &Prompt{Text: "my second words"}})
			if last := es[len(es)-1]; last.Type != hub.DoneEvent {
				t.Fatalf("ends with %+v", last)
			}
			v, came := a.view(id), strings.TrimPrefix(a.came(), before)
			handed := strings.Contains(came, "[HANDOVER]") && strings.Contains(came, "my first words")
			if !strings.Contains(came, c.method) || handed != c.handover || strings.Contains(sections(v.Dialog), "Note/handover") != c.handover {
				t.Errorf("handed over: %v; %s\nit got %s", handed, sections(v.Dialog), came)
			}
			if strings.Contains(v.Text, "REPLAYED") || !strings.Contains(came, "my second words") {
				t.Errorf("%s\nit got %s", v.Text, came)
			}
			if n := strings.Count(came, "[doc-main.md"); n != map[bool]int{true: 1}[c.handover] {
				t.Errorf("the system text came %d times", n)
			}
		})
	}
}

// An agent whose memory is no longer what the file says begins anew, with the file's text:
// while it lives, and after a restart. What only a human is told changes nothing.
func TestAgentAfterEdit(t *testing.T) {
	for _, restart := range []bool{false, true} {
		for _, c := range []struct {
			old, new string
			anew     bool
		}{
			{"my first words", "my other words", true},
			{"I remember.", "I forgot.", true},
			{"works in this session", "works in that session", false},
		} {
			a := newAgentWorld(t, strings.Replace(remembers, "CAPS", `{"loadSession":true}`, 1))
			id, _ := a.ask("my first words")
			a.edit(id, c.old, c.new)
			if restart {
				a.again()
			}
			before := a.came()
			a.put(Input{DialogID: id, Prompt: &Prompt{Text: "my second words"}})
			came := strings.TrimPrefix(a.came(), before)
			if anew := strings.Contains(came, "session/new") && strings.Contains(came, "[HANDOVER]"); anew != c.anew {
				t.Errorf("%v %q: anew %v; it got %s", restart, c.old, anew, came)
			}
			v := a.view(id)
			if told := strings.Contains(v.Text, "What it remembers was changed in the file."); told != c.anew || c.anew && (!strings.Contains(came, c.new) || strings.Contains(came, c.old)) {
				t.Errorf("%v %q: told %v; it got %s", restart, c.old, told, came)
			}
			before = a.came()
			a.put(Input{DialogID: id, Prompt: &Prompt{Text: "my third words"}})
			if came := strings.TrimPrefix(a.came(), before); strings.Contains(came, "session/") && !strings.Contains(came, "session/prompt") || strings.Contains(came, "HANDOVER") {
				t.Errorf("%v %q: and again %s", restart, c.old, came)
			}
		}
	}
}

// A session that began because of an edit is kept, also where its first prompt was cut off
// by another message.
func TestAgentAfterEditIsKept(t *testing.T) {
	a := newAgentWorld(t, "prompt\n"+says("I remember."))
	id, _ := a.ask("my first words")
	a.edit(id, "my first words", "my other words")
	a.plays("prompt\n" + says("It is new.") + `ask {"toolCallId":"c1","kind":"edit","title":"One"}` + "\n" + fine)
	a.put(Input{DialogID: id, Prompt: &Prompt{Text: "my second words"}})
	before := a.came()
	a.put(Input{DialogID: id, Prompt: &Prompt{Text: "my third words"}})
	if came := strings.TrimPrefix(a.came(), before); strings.Contains(came, "session/new") || !strings.Contains(came, "my third words") {
		t.Errorf("it got %s", came)
	}
}

// An edit of a turn that was stopped is seen as any other, and so is one of the first
// message before it has an answer.
func TestAgentAfterEditOfAStoppedTurn(t *testing.T) {
	testenv.Slow(t)
	const ask = `ask {"toolCallId":"c1","kind":"edit","title":"One"}` + "\n"
	for name, c := range map[string]struct{ script, old string }{
		"its message":       {"prompt\n" + says("I remember.") + "prompt\n" + says("And that.") + ask + fine, "my second words"},
		"its answer":        {"prompt\n" + says("I remember.") + "prompt\n" + says("And that.") + ask + fine, "And that."},
		"without an answer": {"prompt\n" + says("I remember.") + "prompt\n" + ask + fine, "my second words"},
		"the first message": {"prompt\n" + ask + "prompt\n" + ask + fine, "my first words"},
	} {
		a := newAgentWorld(t, c.script)
		id, _ := a.ask("my first words")
		a.put(Input{DialogID: id, Prompt: &Prompt{Text: "my second words"}})
		a.decide(id, Input{Status: dialog.Waiting})
		a.edit(id, c.old, "other words")
		before := a.came()
		a.put(Input{DialogID: id, Prompt: &Prompt{Text: "my third words"}})
		if came := strings.TrimPrefix(a.came(), before); !strings.Contains(came, "session/new") || !strings.Contains(came, "other words") {
			t.Errorf("%s: it got %s", name, came)
		}
	}
}

// An agent that runs begins anew where its last turn was cut out of the file.
func TestAgentAfterCut(t *testing.T) {
	a := newAgentWorld(t, `caps {"loadSession":true}`+"\nprompt\n"+says("I remember.")+"prompt\n"+says("And that.")+fine)
	id, _ := a.ask("my first words")
	a.put(Input{DialogID: id, Prompt: &Prompt{Text: "my second words"}})
	text := a.view(id).Text
	a.edit(id, text[strings.LastIndex(text, "\n## User"):], "")
	before := a.came()
	a.put(Input{DialogID: id, Prompt: &Prompt{Text: "my third words"}})
	if came := strings.TrimPrefix(a.came(), before); !strings.Contains(came, "session/new") || strings.Contains(came, "my second words") {
		t.Errorf("it got %s", came)
	}
}

// A dialog goes from a model to an agent and back: each gets what was said.
func TestAgentMidway(t *testing.T) {
	a := newAgentWorld(t, strings.Replace(remembers, "CAPS", "{}", 1))
	a.script.answers = [][]provider.Event{text("A model's words."), nil, text("A model again.")}
	id, _ := a.start("begin with a model")
	a.put(Input{DialogID: id, Provider: "acp", Model: "mock", Prompt: &Prompt{Text: "now the agent"}})
	if came := a.came(); !strings.Contains(came, "[HANDOVER]") || !strings.Contains(came, "A model's words.") {
		t.Errorf("the agent got %s", came)
	}
	es := a.put(Input{DialogID: id, Provider: "claude", Model: "m", Prompt: &Prompt{Text: "and the model"}})
	if last := es[len(es)-1]; last.Type != hub.DoneEvent {
		t.Fatalf("ends with %+v", last)
	}
	reqs := a.script.reqs
	if got := items(reqs[len(reqs)-1]); !strings.Contains(got, "I remember.") {
		t.Errorf("the model got %s", got)
	}
	if a.agents() != 0 {
		t.Errorf("%d agents run", a.agents())
	}
}

// An agent whose dialog goes to a model by an edit of the file ends once the model is asked,
// also one whose question stands there as another's.
func TestAgentThenEdited(t *testing.T) {
	for _, plays := range []string{fine, "prompt\nask {\"toolCallId\":\"c\",\"kind\":\"execute\",\"title\":\"rm\"}\n"} {
		a := newAgentWorld(t, plays)
		a.script.answers = [][]provider.Event{text("A model's words.")}
		id, _ := a.ask("go")
		a.edit(id, "> Provider: acp\n> Model: mock", "> Provider: claude\n> Model: m")
		if plays != fine {
			a.edit(id, "> Tool: acp_execute\n> Status: pending\n> Api: acp", "> Tool: run_command\n> Status: pending")
		}
		es := a.put(Input{DialogID: id, Prompt: &Prompt{Text: "and the model"}})
		if last := es[len(es)-1]; last.Type != hub.DoneEvent || len(a.script.reqs) == 0 {
			t.Errorf("%d requests, the last event is %+v", len(a.script.reqs), last)
		}
		if a.agents() != 0 {
			t.Errorf("%d agents run", a.agents())
		}
	}
}

// An agent's dialog that a model goes on with has tools again.
func TestAgentThenModel(t *testing.T) {
	a := newAgentWorld(t, agentEdits)
	a.script.answers = [][]provider.Event{nil, nil, nil, text("x"), text("y"), text("z")}
	id, _ := a.ask("edit it")
	a.put(Input{DialogID: id, Control: control("call-1 approve")})
	es := a.put(Input{DialogID: id, Provider: "claude", Model: "m", Prompt: &Prompt{Text: "and the model"}})
	if last := es[len(es)-1]; last.Type != hub.DoneEvent {
		t.Fatalf("ends with %+v", last)
	}
	h := a.script.reqs[0].History
	if err := history.Validate(h); err != nil || len(h.Tools) < 4 {
		t.Errorf("%d tools, %v", len(h.Tools), err)
	}
}

// An agent that another one launches works, and ends with its dialog.
func TestAgentLaunched(t *testing.T) {
	a := newAgentWorld(t, strings.Replace(remembers, "CAPS", "{}", 1))
	a.script.answers = [][]provider.Event{
		{provider.Call{ID: "c1", Name: "launch_agent", Args: `{"provider":"acp","model":"mock","prompt":"Please change the page."}`}}, text("It works."),
	}
	id, _ := a.start("launch it")
	a.put(Input{DialogID: id, Control: control("c1 approve")})
	if err := a.run.Wait(context.Background(), a.p()); err != nil {
		t.Fatal(err)
	}
	infos, err := a.p().Dialogs()
	if err != nil || len(infos) != 2 {
		t.Fatal(infos, err)
	}
	for _, info := range infos {
		if v := a.view(info.ID); info.ID != id && (v.Status != dialog.Done || v.Dialog.Header.Meta.Get("From") != id || !strings.Contains(v.Text, "I remember.")) {
			t.Errorf("%s: %s", v.Status, v.Text)
		}
	}
	if a.agents() != 0 {
		t.Errorf("%d agents run", a.agents())
	}
}

// Where no agents are defined any more, a prompt to one fails, and the dialog is told
// nothing that it was told before.
func TestAgentsAreGone(t *testing.T) {
	a := newAgentWorld(t, strings.Replace(remembers, "CAPS", "{}", 1))
	id, _ := a.ask("my first words")
	a.run.Shutdown(context.Background())
	a.restart() // and no offer
	for _, in := range []Input{{Prompt: &Prompt{Text: "my second words"}}, {Continue: true}} {
		before := sections(a.view(id).Dialog)
		in.DialogID = id
		es := a.put(in)
		if last := es[len(es)-1]; last.Type != hub.ErrorEvent || !strings.Contains(last.Message, "no agents here any more") {
			t.Errorf("ends with %+v", last)
		}
		want := before + ", Note/budget, Note/mistake"
		if in.Prompt != nil {
			want = before + ", User, Note/mistake"
		}
		if got := sections(a.view(id).Dialog); got != want {
			t.Errorf("sections %s, want %s", got, want)
		}
	}
}

// A session whose first answer was cut off by a kill goes on where it was: what stands in
// the file shows that it was told, so it is not told again.
func TestAgentAfterKillInItsFirstAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		first    string
		from     string // what the kill has left nothing of, behind this
		keep     string // but this
		handover bool
	}{
		"in its words":         {says("I remember."), "\n## Assistant", "\n## Assistant\n> Id: asst_x\n> Time: 2026-02-16T20:11:00Z - 2026-02-16T20:11:00Z\n> Resources: in=0 out=0 total=0 tools=0 ms=0\n> Stop: interrupted\n\nəəəoutput/markdown\nI rem\nəəə\n", false},
		"before its words":     {says("I remember."), "\n## Assistant", "", false},
		"before a model spoke": {says("I remember."), "\n## Assistant", "", true},
	} {
		a := newAgentWorld(t, strings.Replace(remembers, "CAPS", `{"loadSession":true}`, 1)+c.first)
		a.script.answers = [][]provider.Event{text("A model's words."), nil}
		id := ""
		if c.handover { // the agent had a past to be told
			id, _ = a.start("begin with a model")
			a.put(Input{DialogID: id, Provider: "acp", Model: "mock", Prompt: &Prompt{Text: "my first words"}})
		} else {
			id, _ = a.ask("my first words")
		}
		whole := a.view(id).Text
		i := strings.LastIndex(whole, c.from)
		if i < 0 {
			t.Fatalf("%s: %s", name, whole)
		}
		a.again()
		a.edit(id, whole[i:], c.keep)
		before := a.came()
		es := a.put(Input{DialogID: id, Prompt: &Prompt{Text: "my second words"}})
		if last := es[len(es)-1]; last.Type != hub.DoneEvent {
			t.Fatalf("%s: ends with %+v", name, last)
		}
		v, came := a.view(id), strings.TrimPrefix(a.came(), before)
		if !strings.Contains(came, "session/load") || !strings.Contains(came, "my second words") {
			t.Errorf("%s: it got %s", name, came)
		}
		if handed := strings.Contains(came, "[HANDOVER]"); handed != c.handover || strings.Count(v.Text, "began a new session") != strings.Count(whole, "began a new session") || strings.Contains(came, "of which you know nothing") {
			t.Errorf("%s: handed over %v; it got %s\n%s", name, handed, came, v.Text)
		}
		if told := strings.Contains(v.Text, "goes on with its session"); told != c.handover {
			t.Errorf("%s: the Note: %v", name, told)
		}
		if name == "in its words" && strings.Contains(came, "[doc-main.md") {
			t.Errorf("%s: it is told everything again: %s", name, came)
		}
	}
}
