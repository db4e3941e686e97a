package turn

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
	"vibey/dialog/history"
	"vibey/server/hub"
)

// gone fails the test unless the process of the dialog's session has ended.
func (a *agentWorld) gone(id string) {
	a.t.Helper()
	if a.agents() != 0 {
		a.t.Errorf("%d agents run", a.agents())
	}
	d := a.view(id).Dialog
	for i := range d.Sections {
		if pid, ok := strings.CutPrefix(d.Sections[i].Meta.Get("Session"), "sess-"); ok {
			n, _ := strconv.Atoi(pid)
			if err := syscall.Kill(n, 0); n == 0 || !errors.Is(err, syscall.ESRCH) {
				a.t.Errorf("the agent's process %d: %v", n, err)
			}
		}
	}
	if _, err := os.Lstat(filepath.Join(a.dir, "root/.locks/p+"+id+".agent")); err == nil {
		a.t.Error("its lock's file is still there")
	}
}

// begin sends a prompt to a new dialog and reads its stream up to an event of that type.
func (a *agentWorld) begin(prompt, until string) (id string, sub *hub.Sub) {
	a.t.Helper()
	sub, err := a.run.Start(context.Background(), Input{Project: a.p(), Provider: "acp", Model: "mock", Slug: "x", Prompt: &Prompt{Text: prompt}})
	if err != nil {
		a.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for {
		batch, ok := sub.Next(ctx)
		if !ok {
			a.t.Fatalf("the stream ended before %s", until)
		}
		for _, e := range batch {
			if e.DialogID != "" {
				id = e.DialogID
			}
			if e.Type == until {
				return id, sub
			}
		}
	}
}

const hangs = `
prompt
update {"sessionUpdate":"tool_call","toolCallId":"c1","title":"Build","kind":"execute","status":"pending"}
update {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Building."}}
hang
prompt
update {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Again."}}
`

const fine = `
prompt
update {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Fine."}}
`

// A stop cancels the prompt. An agent that ends it lives on; one that does not is ended.
func TestAgentStopped(t *testing.T) {
	testenv.Slow(t)
	for name, c := range map[string]struct {
		script string
		lives  int
	}{"it ends": {hangs, 1}, "it goes on": {strings.Replace(hangs, "hang", "silent\nhang", 1), 0}} {
		t.Run(name, func(t *testing.T) {
			a := newAgentWorld(t, c.script)
			id, sub := a.begin("build", hub.ChunkEvent)
			if _, _, err := a.run.Put(context.Background(), Input{Project: a.p(), DialogID: id, Status: dialog.Waiting}); err != nil {
				t.Fatal(err)
			}
			if es := a.drain(sub); es[len(es)-1].Type != hub.DoneEvent || es[len(es)-1].Status != dialog.Waiting {
				t.Errorf("ends with %+v", es[len(es)-1])
			}
			v := a.view(id)
			const want = "System, User, Note/session, Assistant, Tool Request, Note/started, Tool Result/error, Assistant"
			if got := sections(v.Dialog); got != want || v.Needs != dialog.NeedsContinue || !strings.Contains(results(v.Dialog), "stopped by user") || v.Dialog.Sections[7].Meta.Get("Stop") != "interrupted" {
				t.Errorf("needs %s: %s\n%s", v.Needs, got, results(v.Dialog))
			}
			if a.agents() != c.lives || !strings.Contains(a.came(), "session/cancel") {
				t.Errorf("%d agents run; it got %s", a.agents(), a.came())
			}
			if c.lives == 0 {
				a.gone(id)
				a.plays(fine)
			}
			es := a.put(Input{DialogID: id, Prompt: &Prompt{Text: "again"}})
			if last := es[len(es)-1]; last.Type != hub.DoneEvent || last.Needs != dialog.NeedsReply {
				t.Errorf("the next message ends with %+v", last)
			}
		})
	}
}

// What ends an agent is told, its process is gone, and one message is enough to go on.
func TestAgentFails(t *testing.T) {
	testenv.Slow(t)
	for name, c := range map[string]struct {
		script, kind, says string
		idle               time.Duration
	}{
		"crashes":            {"prompt\ncrash\n", "cut", "the stand-in falls over", 0},
		"closes mid-way":     {strings.Replace(hangs, "hang", "crash", 1), "cut", "broke off", 0},
		"is silent":          {hangs, "idle", "was silent", 300 * time.Millisecond},
		"never begins":       {"fail initialize\n", "bad_request", "refused to begin", 0},
		"another version":    {"version 2\n", "cut", "speaks version 2 of the protocol", 0},
		"has no session":     {"fail session/new\n", "bad_request", "refused to begin", 0},
		"refuses the prompt": {"fail session/prompt\n", "bad_request", "answered with an error", 0},
		"bad lines":          {"prompt\nrepeat 1001 send no JSON\n", "cut", "no JSON-RPC", 0},
		"floods": {"prompt\nrepeat 11 update {\"sessionUpdate\":\"some_update\",\"text\":\"" + strings.Repeat("x", 100<<10) + "\"}\n",
			"malformed", "more than 1 MiB", 0},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAgentWorld(t, c.script)
			a.run.agents.SentMost = 1 << 20
			if c.idle > 0 {
				a.idle = c.idle
				a.offer()
			}
			id, es := a.ask("go")
			if last := es[len(es)-1]; last.Type != hub.ErrorEvent || last.Kind != c.kind || !strings.Contains(last.Message, c.says) || strings.Contains(last.Message, a.dir) {
				t.Errorf("ends with %s %s: %s", last.Type, last.Kind, last.Message)
			}
			if v := a.view(id); v.Status != dialog.Waiting || v.Needs != dialog.NeedsContinue || len(v.Pending) != 0 {
				t.Errorf("%s, needs %s: %s", v.Status, v.Needs, sections(v.Dialog))
			}
			a.gone(id)
			a.plays(fine)
			es = a.put(Input{DialogID: id, Continue: true})
			if last := es[len(es)-1]; last.Type != hub.DoneEvent || last.Needs != dialog.NeedsReply {
				t.Errorf("a Continue ends with %+v", last)
			}
		})
	}
}

func TestAgentMissing(t *testing.T) {
	a := newAgentWorld(t, "")
	for model, says := range map[string]string{"missing": "could not be started: no such file or directory.", "nobody": "There is no agent"} {
		sub, err := a.run.Start(context.Background(), Input{Project: a.p(), Provider: "acp", Model: model, Slug: "x", Prompt: &Prompt{Text: "hi"}})
		if err != nil {
			t.Fatal(err)
		}
		es := a.drain(sub)
		if last := es[len(es)-1]; last.Type != hub.ErrorEvent || last.Kind != "not_found" || !strings.Contains(last.Message, says) {
			t.Errorf("ends with %+v", last)
		}
		a.gone(es[0].DialogID)
	}
}

// A stop of an agent that waits for a human ends its prompt: what it asked is cancelled.
func TestAgentStoppedWhileItAsks(t *testing.T) {
	a := newAgentWorld(t, agentEdits+strings.TrimPrefix(fine, "\n"))
	id, _ := a.ask("edit it")
	st, _, err := a.run.Put(context.Background(), Input{Project: a.p(), DialogID: id, Status: dialog.Waiting})
	if err != nil || st.Status != dialog.Waiting || st.Needs == dialog.NeedsApproval || len(st.Pending) > 0 {
		t.Errorf("%+v %v", st, err)
	}
	if got := results(a.view(id).Dialog); got != `acp_edit: error {"success":false,"error":"interrupted: stopped by user"}` || !strings.Contains(a.came(), `"outcome":"cancelled"`) {
		t.Errorf("%s; it got %s", got, a.came())
	}
	if a.deed("a.txt") == "hello" {
		t.Error("it wrote")
	}
	es := a.put(Input{DialogID: id, Prompt: &Prompt{Text: "again"}})
	if last := es[len(es)-1]; last.Type != hub.DoneEvent {
		t.Errorf("ends with %+v", last)
	}
}

// Done of a dialog that works ends its stream with that status.
func TestAgentFinishedWhileItWorks(t *testing.T) {
	a := newAgentWorld(t, "prompt\nupdate {\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"I begin.\"}}\nhang\n")
	sub, err := a.run.Start(context.Background(), Input{Project: a.p(), Provider: "acp", Model: "mock", Slug: "x", Prompt: &Prompt{Text: "go"}})
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(200*time.Millisecond, func() {
		infos, _ := a.p().Dialogs()
		a.run.Put(context.Background(), Input{Project: a.p(), DialogID: infos[0].ID, Status: dialog.Done})
	})
	es := a.drain(sub)
	if last := es[len(es)-1]; last.Type != hub.DoneEvent || last.Status != dialog.Done || last.Needs != dialog.NeedsNone {
		t.Errorf("ends with %+v", last)
	}
}

// A plan stands where it came: at once where nothing is open, and none is left out.
func TestAgentPlans(t *testing.T) {
	plan := func(s string) string {
		return `update {"sessionUpdate":"plan","entries":[{"content":"` + s + `","priority":"high","status":"pending"}]}` + "\n"
	}
	const says = `update {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"words"}}` + "\n"
	a := newAgentWorld(t, "prompt\n"+plan("one")+says+plan("two")+plan("two")+`update {"sessionUpdate":"agent_message_chunk"}`+"\n"+plan("three"))
	id, _ := a.ask("go")
	d := a.view(id).Dialog
	if got, want := sections(d), "System, User, Note/session, Note/plan, Assistant, Note/plan, Note/plan"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if text := d.Sections[4].Text(); text != "words" {
		t.Errorf("it said %q", text)
	}
}

// A program that speaks no ACP is told by its own words.
func TestAgentIsNone(t *testing.T) {
	a := newAgentWorld(t, "")
	sub, err := a.run.Start(context.Background(), Input{Project: a.p(), Provider: "acp", Model: "greeter", Slug: "x", Prompt: &Prompt{Text: "hi"}})
	if err != nil {
		t.Fatal(err)
	}
	es := a.drain(sub)
	if last := es[len(es)-1]; last.Type != hub.ErrorEvent || !strings.Contains(last.Message, `first "Welcome to the folder that it starts in"`) {
		t.Errorf("ends with %+v", last)
	}
}

// Wherever an agent is killed, its dialog has no call without an end, and goes on with
// one message.
func TestAgentKilledAtEveryMessage(t *testing.T) {
	testenv.Slow(t)
	script := agentEdits + `
update {"sessionUpdate":"plan","entries":[{"content":"a","priority":"high","status":"completed"}]}
update {"sessionUpdate":"tool_call","toolCallId":"c2","title":"Look","kind":"read","status":"in_progress"}
call fs/write_text_file {"path":"$DEED/b.txt","content":"b"}
call terminal/create {"command":"true"}
call terminal/wait_for_exit {"terminalId":"$TERMINAL"}
update {"sessionUpdate":"tool_call_update","toolCallId":"c2","status":"failed"}
`
	whole := 0
	for n := 1; whole == 0 && n < 40; n++ {
		a := newAgentWorld(t, fmt.Sprintf("%d lines, then the end\n%s", n, script))
		id, es := a.ask("edit it")
		for range 5 {
			last := es[len(es)-1]
			if last.Type != hub.ToolEvent {
				break
			}
			st, sub, err := a.run.Put(context.Background(), Input{Project: a.p(), DialogID: id, Control: control(last.Calls[0].ID + " approve")})
			switch {
			case errors.Is(err, ErrStale): // it ended while the human decided
				es = []hub.Event{{Type: hub.ErrorEvent}}
			case err != nil || sub == nil:
				t.Fatalf("killed at %d: %v, %+v", n, err, st)
			default:
				es = a.drain(sub)
			}
		}
		v := a.view(id)
		if es[len(es)-1].Type == hub.DoneEvent {
			whole = n
			for a.agents() > 0 { // it ends behind its last line
				time.Sleep(time.Millisecond)
			}
		}
		a.gone(id)
		if len(v.Pending) != 0 || v.Status != dialog.Waiting || strings.Count(v.Text, "## Tool Request") != strings.Count(v.Text, "## Tool Result") {
			t.Errorf("killed at %d: %s, needs %s: %s", n, v.Status, v.Needs, sections(v.Dialog))
		}
		a.plays(fine)
		es = a.put(Input{DialogID: id, Prompt: &Prompt{Text: "go on"}})
		if last := es[len(es)-1]; last.Type != hub.DoneEvent {
			t.Errorf("killed at %d: the next message ends with %+v", n, last)
		}
		h := history.Build(a.view(id).Dialog)
		h.Items = append(h.Items, history.Item{Kind: history.UserText, Text: "next"})
		if err := history.Validate(h); err != nil {
			t.Errorf("killed at %d: %v", n, err)
		}
		a.run.Shutdown(context.Background())
	}
	if whole < 12 {
		t.Errorf("the script was played whole with %d messages", whole)
	}
}

// An agent that waits for a human ends with its project, its dialog, the server, or when
// the dialog is done, and its call can't be approved any more.
func TestAgentEndsWhileAHumanDecides(t *testing.T) {
	testenv.Slow(t)
	for name, end := range map[string]func(a *agentWorld, id string){
		"the server stops": func(a *agentWorld, _ string) { a.run.Shutdown(context.Background()) },
		"the project goes": func(a *agentWorld, _ string) { a.run.StopProject(context.Background(), a.p()) },
		"the dialog goes":  func(a *agentWorld, id string) { a.run.EndAgent(a.p(), id) },
		"it is done": func(a *agentWorld, id string) {
			if _, _, err := a.run.Put(context.Background(), Input{Project: a.p(), DialogID: id, Status: dialog.Done}); err != nil {
				a.t.Error(err)
			}
		},
		"it falls over": func(a *agentWorld, id string) {
			for _, s := range a.view(id).Dialog.Sections {
				if pid, ok := strings.CutPrefix(s.Meta.Get("Session"), "sess-"); ok {
					n, _ := strconv.Atoi(pid)
					syscall.Kill(n, syscall.SIGKILL)
				}
			}
			for a.agents() > 0 {
				time.Sleep(time.Millisecond)
			}
			for len(a.view(id).Pending) > 0 || results(a.view(id).Dialog) == "" {
				time.Sleep(time.Millisecond)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAgentWorld(t, agentEdits)
			id, _ := a.ask("edit it")
			if a.agents() != 1 {
				t.Fatalf("%d agents run", a.agents())
			}
			end(a, id)
			v := a.view(id)
			a.gone(id)
			if len(v.Pending) != 0 || !strings.Contains(results(v.Dialog), "acp_edit: ") {
				t.Errorf("needs %s: %s", v.Needs, sections(v.Dialog))
			}
			if name == "it is done" && (v.Status != dialog.Done || !strings.Contains(results(v.Dialog), "denied") || !strings.Contains(a.came(), `"no"`)) {
				t.Errorf("%s: %s; the agent got %s", v.Status, results(v.Dialog), a.came())
			}
		})
	}
}

// A new prompt denies what waits, ends the prompt that the agent is at, and is its next.
func TestAgentPromptWhileItAsks(t *testing.T) {
	a := newAgentWorld(t, agentEdits+"\nprompt\nupdate {\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"Instead.\"}}\n")
	id, _ := a.ask("edit it")
	es := a.put(Input{DialogID: id, Prompt: &Prompt{Text: "do something else"}})
	if last := es[len(es)-1]; last.Type != hub.DoneEvent || last.Needs != dialog.NeedsReply {
		t.Fatalf("ends with %+v", last)
	}
	const want = "System, User, Note/session, Assistant, Tool Request, Tool Result/denied, Assistant, User, Assistant"
	v := a.view(id)
	if got := sections(v.Dialog); got != want || v.Dialog.Sections[8].Text() != "Instead." {
		t.Errorf("sections %s: %s", got, v.Dialog.Sections[len(v.Dialog.Sections)-1].Text())
	}
	if !strings.Contains(a.came(), `"optionId":"no"`) || a.agents() != 1 {
		t.Errorf("%d agents; it got %s", a.agents(), a.came())
	}
}

// The file of a lock that a killed program left says nothing: its calls have lapsed.
func TestAgentOfAKilledProgram(t *testing.T) {
	a := newAgentWorld(t, agentEdits)
	id, _ := a.ask("edit it")
	a.again()
	left := filepath.Join(a.dir, "root/.locks/p+"+id+".agent")
	if err := os.WriteFile(left, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if v := a.view(id); v.Needs != dialog.NeedsContinue || !strings.Contains(results(v.Dialog), "the agent that asked has ended") {
		t.Errorf("needs %s: %s", v.Needs, results(v.Dialog))
	}
	a.gone(id)
}

// Who watches such a dialog is shown how its calls ended, also if nothing else has read it.
func TestJoinAfterAKilledProgram(t *testing.T) {
	a := newAgentWorld(t, agentEdits)
	id, _ := a.ask("edit it")
	a.again()
	s, err := a.run.Join(context.Background(), a.p(), id, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	es := a.drain(s)
	if last := es[len(es)-1]; last.Type != hub.DoneEvent || last.Needs != dialog.NeedsContinue || !strings.HasSuffix(types(es), "section:Tool Request section:Tool Result done") {
		t.Errorf("%s: %+v", types(es), last)
	}
}

// While another program has the agent, its call waits, and only that one can answer it.
func TestAgentOfAnotherProgram(t *testing.T) {
	a := newAgentWorld(t, agentEdits)
	id, _ := a.ask("edit it")
	other := &agentWorld{world: &world{t: t, dir: a.dir, script: a.script, now: a.now}, log: a.log, file: a.file, idle: a.idle}
	other.restart()
	other.offer()
	if v := other.view(id); v.Needs != dialog.NeedsApproval || len(v.Pending) != 1 {
		t.Errorf("needs %s", v.Needs)
	}
	for _, in := range []Input{{Control: control("call-1 approve")}, {Prompt: &Prompt{Text: "x"}}, {Continue: true}} {
		in.Project, in.DialogID = other.p(), id
		if _, _, err := other.run.Put(context.Background(), in); !errors.Is(err, ErrActive) {
			t.Errorf("%+v: %v", in, err)
		}
	}
	a.put(Input{DialogID: id, Control: control("call-1 approve")})
	if a.deed("a.txt") != "hello" {
		t.Error("the program that has it could not answer")
	}
}

// A dialog that another program marks as done, or deletes, keeps no agent waiting.
func TestAgentWhoseDialogEndsElsewhere(t *testing.T) {
	testenv.Slow(t)
	for name, end := range map[string]func(o *agentWorld, id string) error{
		"done": func(o *agentWorld, id string) error {
			_, _, err := o.run.Put(context.Background(), Input{Project: o.p(), DialogID: id, Status: dialog.Done})
			return err
		},
		"gone": func(o *agentWorld, id string) error {
			return os.Remove(filepath.Join(o.dir, "root/p", dialog.Filename(id, dialog.Waiting)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAgentWorld(t, agentEdits)
			id, _ := a.ask("edit it")
			other := &agentWorld{world: &world{t: t, dir: a.dir, script: a.script, now: a.now}, log: a.log, file: a.file, idle: a.idle}
			other.restart()
			if err := end(other, id); err != nil {
				t.Fatal(err)
			}
			for a.agents() > 0 || a.p().AgentRuns(id) { // the lock is given back behind the agent's end
				time.Sleep(10 * time.Millisecond)
			}
		})
	}
}

// An agent is waited for longer while a call runs at it, and not for ever.
func TestAgentIsSilentInACall(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	a := newAgentWorld(t, `
prompt
update {"sessionUpdate":"tool_call","toolCallId":"c","title":"Test","kind":"execute","status":"in_progress"}
pause 2s update {"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}
prompt
update {"sessionUpdate":"tool_call","toolCallId":"d","title":"Test","kind":"execute","status":"in_progress"}
hang
`)
	a.idle = 500 * time.Millisecond
	a.offer()
	id, es := a.ask("go")
	if last := es[len(es)-1]; last.Type != hub.DoneEvent {
		t.Fatalf("ends with %+v", last)
	}
	es = a.put(Input{DialogID: id, Prompt: &Prompt{Text: "again"}})
	if last := es[len(es)-1]; last.Kind != "idle" || !strings.Contains(results(a.view(id).Dialog), "The agent broke off while this call ran") {
		t.Errorf("ends with %+v: %s", last, results(a.view(id).Dialog))
	}
}

// What an agent left in a session of its own ends with it.
func TestAgentLeavesNothingBehind(t *testing.T) {
	const seconds = "98761.25"
	lives := func() bool {
		all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		return slices.ContainsFunc(all, func(file string) bool {
			b, _ := os.ReadFile(file)
			return string(b) == "sleep\x00"+seconds+"\x00"
		})
	}
	a := newAgentWorld(t, "prompt\nleave sleep "+seconds+"\n")
	id, _ := a.ask("go")
	if !lives() {
		t.Fatal("it was not started, or did not outlive the prompt")
	}
	if _, _, err := a.run.Put(context.Background(), Input{Project: a.p(), DialogID: id, Status: dialog.Done}); err != nil {
		t.Fatal(err)
	}
	if lives() {
		t.Error("it lives on")
	}
}

// An approval that comes with a message, or with done, is carried out first: the agent ends
// what was approved, also where it asks for more meanwhile, and only then is its prompt
// cancelled.
func TestAgentEndsWhatWasApproved(t *testing.T) {
	testenv.Slow(t)
	const (
		more   = `{"toolCallId":"call-2","title":"More","kind":"execute"}`
		goesOn = "ask " + more + "\n"
	)
	beside := asks(more) + "pause 500ms "
	for name, in := range map[string]Input{
		"a message": {Prompt: &Prompt{Text: "now something else"}},
		"done":      {Status: dialog.Done},
	} {
		for _, more := range []string{"", goesOn, beside} {
			a := newAgentWorld(t, strings.Replace(agentEdits, "allowed write", more+"allowed write", 1))
			id, _ := a.ask("edit it")
			a.plays(remembers)
			in.DialogID, in.Control = id, control("call-1 approve")
			a.put(in)
			v := a.view(id)
			if a.deed("a.txt") != "hello" && more != goesOn {
				t.Errorf("%s: the deed has %q; %s", name, a.deed("a.txt"), sections(v.Dialog))
			}
			i := v.Dialog.Find(dialog.ToolResult, "call-1")
			if i < 0 || more != goesOn && v.Dialog.Sections[i].Meta.Get("Status") != dialog.CallApproved {
				t.Errorf("%s: %s\n%s", name, sections(v.Dialog), v.Text)
			}
			if k := v.Dialog.Find(dialog.ToolResult, "call-2"); (k >= 0) != (more != "") || k >= 0 && v.Dialog.Sections[k].Meta.Get("Status") != dialog.CallDenied {
				t.Errorf("%s: call-2: %s", name, sections(v.Dialog))
			}
			if in.Prompt != nil && !strings.HasPrefix(sections(v.Dialog)[strings.LastIndex(sections(v.Dialog), "User"):], "User, ") {
				t.Errorf("%s: %s", name, sections(v.Dialog))
			}
		}
	}
}

// What an agent told of and did not end stands in the file however its prompt ends.
func TestAgentCallIsNotLost(t *testing.T) {
	const begins = `
prompt
update {"sessionUpdate":"tool_call","toolCallId":"c1","title":"Remove all","kind":"delete","status":"in_progress"}
call fs/read_text_file {"path":"$DEED/none.txt"}
`
	for name, end := range map[string]string{"it dies": "crash\n", "it is stopped": "hang\n"} {
		a := newAgentWorld(t, begins+end)
		sub, err := a.run.Start(context.Background(), Input{Project: a.p(), Provider: "acp", Model: "mock", Slug: "x", Prompt: &Prompt{Text: "go"}})
		if err != nil {
			t.Fatal(err)
		}
		if end == "hang\n" {
			go a.when(func() bool { return strings.Contains(a.came(), "none.txt") }, func() { // the call was taken before
				infos, _ := a.p().Dialogs()
				a.run.Put(context.Background(), Input{Project: a.p(), DialogID: infos[0].ID, Status: dialog.Waiting})
			})
		}
		es := a.drain(sub)
		v := a.view(es[0].DialogID)
		i := v.Dialog.Find(dialog.ToolResult, "c1")
		if i < 0 || v.Dialog.Find(dialog.ToolRequest, "c1") < 0 || v.Dialog.Sections[i].Meta.Get("Status") != dialog.CallError || v.Dialog.Sections[i].Meta.Get("Asked") != "no" {
			t.Errorf("%s: %s\n%s", name, sections(v.Dialog), v.Text)
		}
	}
}

// An agent may ask several at once: each waits, and is decided by itself.
func TestAgentAsksAtOnce(t *testing.T) {
	a := newAgentWorld(t, `
prompt
begin session/request_permission {"toolCall":{"toolCallId":"c1","title":"One","kind":"edit"},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}
begin session/request_permission {"toolCall":{"toolCallId":"c2","title":"Two","kind":"edit"},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}
call fs/read_text_file {"path":"$DEED/none.txt"}
hang
`)
	id, es := a.ask("go")
	if last := es[len(es)-1]; last.Type != hub.ToolEvent || len(last.Calls) != 2 {
		t.Fatalf("ends with %+v", last)
	}
	if v := a.view(id); len(v.Pending) != 2 || v.Needs != dialog.NeedsApproval {
		t.Fatalf("%d wait: %s", len(v.Pending), sections(v.Dialog))
	}
	denied := func(n int) bool {
		return comesTrue(func() bool { return strings.Count(a.came(), `"optionId":"no"`) == n })
	}
	put := func(in Input) {
		in.Project, in.DialogID = a.p(), id
		if _, _, err := a.run.Put(context.Background(), in); err != nil {
			t.Error(err)
		}
	}
	put(Input{Control: control("c2 deny")})
	if v := a.view(id); len(v.Pending) != 1 || v.Pending[0].ID != "c1" || !denied(1) {
		t.Errorf("it got %s; %s", a.came(), sections(v.Dialog))
	}
	put(Input{Status: dialog.Done})
	if v := a.view(id); v.Status != dialog.Done || !denied(2) {
		t.Errorf("it got %s; %s", a.came(), sections(v.Dialog))
	}
}

// An agent that does what it has asked for without an answer is not told as one that was
// allowed to: neither right behind its question, nor where a human decides later.
func TestAgentDoesNotWait(t *testing.T) {
	testenv.Slow(t)
	const asks = `
prompt
begin session/request_permission {"toolCall":{"toolCallId":"c1","title":"One","kind":"edit"},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"}]}
`
	for _, how := range []string{"", "pause 300ms "} {
		for _, status := range []string{"completed", "failed"} {
			a := newAgentWorld(t, asks+how+`update {"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"`+status+`"}`+"\n")
			id, _ := a.ask("go")
			if how != "" {
				time.Sleep(400 * time.Millisecond)
				a.put(Input{DialogID: id, Control: control("c1 approve")})
			}
			d := a.view(id).Dialog
			i := d.Find(dialog.ToolResult, "c1")
			if i < 0 {
				t.Fatalf("%q %s: %s", how, status, sections(d))
			}
			s, warned := &d.Sections[i], strings.Contains(sections(d), "Note/warning")
			if did := status == "completed"; did != (s.Meta.Get("Asked") == "no") || did != warned || did != (s.Meta.Get("Status") == dialog.CallApproved) {
				t.Errorf("%q %s: %s %q", how, status, sections(d), s.Text())
			}
			if a.agents() > 0 && strings.Contains(a.came(), `"optionId":"yes"`) {
				t.Errorf("%q %s: it was allowed: %s", how, status, a.came())
			}
		}
	}
}
