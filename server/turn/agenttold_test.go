package turn

import (
	"context"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
	"vibey/provider"
	"vibey/server/hub"
)

// A call that is in progress stands in the file before a human is waited for.
func TestAgentWorksWhileAHumanIsAsked(t *testing.T) {
	a := newAgentWorld(t, "prompt\n"+asks(`{"toolCallId":"c1","title":"One","kind":"edit"}`)+
		`update {"sessionUpdate":"tool_call","toolCallId":"c2","title":"Remove all","kind":"delete","status":"in_progress"}`+"\nhang\n")
	id, _ := a.ask("go")
	a.again()
	a.put(Input{DialogID: id, Prompt: &Prompt{Text: "and now"}})
	if d := a.view(id).Dialog; d.Find(dialog.ToolRequest, "c2") < 0 || d.Find(dialog.ToolResult, "c2") < 0 {
		t.Error(sections(d))
	}
}

// A call that is over leaves none of its questions behind.
func TestAgentAsksTwiceAndGivesUp(t *testing.T) {
	ask := asks(`{"toolCallId":"c1","title":"One","kind":"edit"}`)
	a := newAgentWorld(t, "prompt\n"+ask+ask+`update {"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"failed"}`+"\n"+says("Never mind."))
	id, es := a.ask("go")
	if last := es[len(es)-1]; last.Type != hub.DoneEvent || len(a.view(id).Pending) > 0 {
		t.Errorf("ends with %+v: %s", last, sections(a.view(id).Dialog))
	}
}

// That a call was not asked about stands at its result however it ends.
func TestAgentUnaskedIsToldAtEachEnd(t *testing.T) {
	testenv.Slow(t)
	for _, how := range []string{"a message", "a stop", "a restart"} {
		a := newAgentWorld(t, "prompt\n"+`update {"sessionUpdate":"tool_call","toolCallId":"c2","title":"Remove all","kind":"delete","status":"in_progress"}`+"\n"+says("x")+
			asks(`{"toolCallId":"c1","title":"One","kind":"edit"}`)+"hang\n")
		id, _ := a.ask("go")
		switch how {
		case "a stop":
			a.decide(id, Input{Status: dialog.Waiting})
		case "a restart":
			a.again()
			fallthrough
		default:
			a.put(Input{DialogID: id, Prompt: &Prompt{Text: "and now"}})
		}
		d := a.view(id).Dialog
		for call, asked := range map[string]string{"c1": "", "c2": "no"} {
			if i := d.Find(dialog.ToolResult, call); i < 0 || d.Sections[i].Meta.Get("Asked") != asked {
				t.Errorf("%s: %s: %s", how, call, outline(d, a.dir))
			}
		}
	}
}

// A call that an agent only announced before it was stopped never started.
func TestAgentAnnounces(t *testing.T) {
	a := newAgentWorld(t, "prompt\n"+`update {"sessionUpdate":"tool_call","toolCallId":"c1","title":"Remove all","kind":"delete","status":"pending"}`+"\n"+
		`call fs/read_text_file {"path":"$DEED/none.txt"}`+"\nhang\n")
	sub, err := a.run.Start(context.Background(), Input{Project: a.p(), Provider: "acp", Model: "mock", Slug: "x", Prompt: &Prompt{Text: "go"}})
	if err != nil {
		t.Fatal(err)
	}
	infos, err := a.p().Dialogs()
	if err != nil {
		t.Fatal(err)
	}
	a.when(func() bool { return strings.Contains(a.came(), "none.txt") }, func() { a.decide(infos[0].ID, Input{Status: dialog.Waiting}) })
	a.drain(sub)
	v := a.view(infos[0].ID)
	if strings.Contains(v.Text, "started, unasked") || !strings.Contains(results(v.Dialog), "never started") || v.Needs != dialog.NeedsContinue {
		t.Errorf("needs %s: %s", v.Needs, outline(v.Dialog, a.dir))
	}
}

// A plan stands in the file also where its agent falls over behind it.
func TestAgentPlanIsKept(t *testing.T) {
	a := newAgentWorld(t, "prompt\n"+says("words")+`update {"sessionUpdate":"plan","entries":[{"content":"one","priority":"high","status":"pending"}]}`+"\ncrash\n")
	id, _ := a.ask("go")
	if text := a.view(id).Text; !strings.Contains(text, "- [ ] one") {
		t.Error(text)
	}
}

// A dialog that is done has no call that waits, also where nobody waits for the answer to
// the request that said so.
func TestDoneDeniesFirst(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{
		{provider.Call{ID: "c1", Name: "run_command", Args: `{"command":"echo > deed/begun; sleep 60"}`}, write("c2", "deed/a.txt", "x"), write("c3", "deed/b.txt", "x")}, text("Done."),
	}})
	id, _ := w.start("go")
	over := make(chan error)
	go func() {
		_, _, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Control: control("c1 approve\nc3 approve")})
		over <- err
	}()
	a := &agentWorld{world: w}
	a.when(func() bool { return !strings.HasPrefix(a.deed("begun"), "(") }, func() {})
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	w.run.Put(gone, Input{Project: w.p(), DialogID: id, Status: dialog.Done})
	<-over
	if v := w.view(id); v.Status != dialog.Done || len(v.Pending) > 0 || strings.Count(v.Text, "## Tool Result") != 3 {
		t.Errorf("%s: %s", v.Status, outline(v.Dialog, w.dir))
	}
}
