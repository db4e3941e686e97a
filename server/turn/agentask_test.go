package turn

import (
	"context"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
	"vibey/server/hub"
	"vibey/server/view"
)

// asks is the step in which an agent asks about a call and goes on without an answer.
func asks(call string) string {
	return `begin session/request_permission {"toolCall":` + call + `,"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}` + "\n"
}

// says is the step in which an agent says something.
func says(text string) string {
	return `update {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` + text + `"}}` + "\n"
}

// An agent that takes its question back, and does not fall silent then, is not waited for:
// it goes on with its work.
func TestAgentTakesItsQuestionBack(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	a := newAgentWorld(t, "prompt\n"+asks(`{"toolCallId":"c1","title":"One","kind":"edit"}`)+
		`update {"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"failed"}`+"\n"+
		"repeat 26 pause 50ms "+says("x")+says("The end."))
	id, es := a.ask("go")
	if last := es[len(es)-1]; last.Type != hub.DoneEvent || !strings.Contains(a.view(id).Text, "The end.") {
		t.Errorf("ends with %+v: %s", last, a.view(id).Text)
	}
}

// decide sends a request that begins no stream, or one whose stream is read to its end.
func (a *agentWorld) decide(id string, in Input) view.State {
	a.t.Helper()
	in.Project, in.DialogID = a.p(), id
	st, sub, err := a.run.Put(context.Background(), in)
	if err != nil {
		a.t.Error(err)
	}
	if sub != nil {
		a.drain(sub)
	}
	return st
}

// Of several questions the one that is approved is carried out while the others wait: by the
// agent, by us for it, and in a terminal.
func TestAgentWorksBesideAQuestion(t *testing.T) {
	const ends = `allowed update {"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}` + "\nhang\n"
	for name, c := range map[string]struct{ call, does string }{
		"the agent":  {`"kind":"edit"`, "pause 300ms allowed write $DEED/a.txt hello\n"},
		"we":         {`"kind":"edit","content":[{"type":"diff","path":"$DEED/a.txt","oldText":null,"newText":"hello"}]`, `allowed call fs/write_text_file {"path":"$DEED/a.txt","content":"hello"}` + "\n"},
		"a terminal": {`"kind":"execute","rawInput":{"command":"printf hello > a.txt"}`, `allowed call terminal/create {"command":"printf hello > a.txt"}` + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAgentWorld(t, "prompt\n"+asks(`{"toolCallId":"c2","title":"Two","kind":"execute"}`)+`ask {"toolCallId":"c1","title":"One",`+c.call+"}\n"+c.does+ends)
			id, _ := a.ask("go")
			st := a.decide(id, Input{Control: control("c1 approve")})
			if a.deed("a.txt") != "hello" || st.Needs != dialog.NeedsApproval || len(st.Pending) != 1 || st.Pending[0].ID != "c2" {
				t.Errorf("the deed has %q, and %+v", a.deed("a.txt"), st)
			}
			d := a.view(id).Dialog
			for i := range d.Sections {
				if s := &d.Sections[i]; s.Role == dialog.ToolResult && s.Meta.Get("Status") != dialog.CallApproved {
					t.Errorf("%s: %s", s.ID, s.Text())
				}
			}
			if d.Find(dialog.ToolResult, "c1") < 0 {
				t.Error(sections(d))
			}
		})
	}
}

// An agent that needs all its answers before it begins gets them: while it is waited for in
// what was approved, the human decides the rest, goes on to something else, or stops it.
func TestAgentNeedsAllAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		next Input
		two  string // the result of the call that waits
	}{
		"decided":   {Input{Control: control("c2 approve")}, dialog.CallApproved},
		"a message": {Input{Prompt: &Prompt{Text: "else"}}, dialog.CallDenied},
		"stopped":   {Input{Status: dialog.Waiting}, dialog.CallError},
		"done":      {Input{Status: dialog.Done}, dialog.CallDenied},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAgentWorld(t, "prompt\n"+asks(`{"toolCallId":"c1","title":"One","kind":"edit"}`)+`ask {"toolCallId":"c2","title":"Two","kind":"execute"}`+"\n"+
				`update {"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}`+"\n"+
				`update {"sessionUpdate":"tool_call_update","toolCallId":"c2","status":"completed"}`+"\n"+says("Both.")+fine)
			id, _ := a.ask("go")
			first := make(chan view.State)
			go func() { first <- a.decide(id, Input{Control: control("c1 approve")}) }()
			a.when(func() bool { all := a.run.agents.Running(); return len(all) == 1 && all[0].Awaiting }, func() {})
			a.decide(id, c.next)
			<-first
			d := a.view(id).Dialog
			i := d.Find(dialog.ToolResult, "c2")
			if i < 0 || d.Sections[i].Meta.Get("Status") != c.two || d.Find(dialog.ToolResult, "c1") < 0 {
				t.Errorf("%s\n%s", sections(d), results(d))
			}
			if name == "decided" && !strings.Contains(a.view(id).Text, "Both.") {
				t.Error(sections(d))
			}
		})
	}
}

// What an agent has done while its human decided about something else stands in the file as
// done, whatever the human does then.
func TestAgentIsHeardOut(t *testing.T) {
	testenv.Slow(t)
	for name, in := range map[string]Input{"stopped": {Status: dialog.Waiting}, "a message": {Prompt: &Prompt{Text: "else"}}, "done": {Status: dialog.Done}, "decided": {Control: control("c2 deny")}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAgentWorld(t, "prompt\n"+asks(`{"toolCallId":"c2","title":"Two","kind":"execute"}`)+asks(`{"toolCallId":"c1","title":"One","kind":"edit"}`)+
				"pause 300ms "+says("I did both.")+
				`update {"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}`+"\n"+
				`update {"sessionUpdate":"tool_call","toolCallId":"c3","title":"Unasked","kind":"delete","status":"completed"}`+"\n"+
				asks(`{"toolCallId":"c4","title":"Four","kind":"execute"}`)+"write $DEED/a.txt hello\n"+fine)
			id, _ := a.ask("go")
			a.when(func() bool { return a.deed("a.txt") == "hello" }, func() {})
			a.decide(id, in)
			d := a.view(id).Dialog
			for _, call := range []string{"c1", "c3"} {
				if i := d.Find(dialog.ToolResult, call); i < 0 || d.Sections[i].Meta.Get("Status") != dialog.CallApproved {
					t.Errorf("%s: %s\n%s", call, sections(d), results(d))
				}
			}
			if !strings.Contains(a.view(id).Text, "I did both.") || len(a.view(id).Pending) > 0 && name != "decided" {
				t.Error(sections(d))
			}
		})
	}
}

// An allow line for reading answers no question about what shows itself to be an edit or a
// command, whatever kind its agent gives it, first or later.
func TestAgentKindGetsNoLaxer(t *testing.T) {
	testenv.Slow(t)
	const diff = `"content":[{"type":"diff","path":"$DEED/a.txt","oldText":null,"newText":"x"}]`
	for name, c := range map[string]struct{ script, want string }{
		"a diff that is called reading":        {"ask " + `{"toolCallId":"c","kind":"read","title":"Look",` + diff + `}` + "\n", "acp_edit"},
		"a command that is called reading":     {"ask " + `{"toolCallId":"c","kind":"read","title":"Look","rawInput":{"command":"rm -rf ~"}}` + "\n", "acp_execute"},
		"an edit that becomes reading":         {`update {"sessionUpdate":"tool_call","toolCallId":"c","title":"Look","kind":"edit","status":"pending"}` + "\n" + "ask " + `{"toolCallId":"c","kind":"read"}` + "\n", "acp_edit"},
		"a command that has ended":             {`update {"sessionUpdate":"tool_call","toolCallId":"c","title":"Look","kind":"execute","status":"pending","rawInput":{"command":"rm -rf ~"}}` + "\n" + `update {"sessionUpdate":"tool_call_update","toolCallId":"c","status":"failed"}` + "\n" + "ask " + `{"toolCallId":"c","kind":"read"}` + "\n", "acp_execute"},
		"a diff that is gone when it is asked": {`update {"sessionUpdate":"tool_call","toolCallId":"c","title":"Look","kind":"read","status":"pending",` + diff + `}` + "\n" + "ask " + `{"toolCallId":"c","kind":"read","content":[]}` + "\n", "acp_edit"},
	} {
		a := newAgentWorld(t, "prompt\nprompt\n"+c.script+fine)
		id, _ := a.ask("first")
		a.decide(id, Input{Control: control("allow acp_read")})
		es := a.put(Input{DialogID: id, Prompt: &Prompt{Text: "go"}})
		last := es[len(es)-1]
		if last.Type != hub.ToolEvent || len(last.Calls) != 1 || last.Calls[0].Tool != c.want {
			t.Errorf("%s: ends with %+v", name, last)
		}
	}
}
