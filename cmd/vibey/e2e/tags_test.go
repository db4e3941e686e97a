package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"vibey/cmd/tally/testenv"
	"vibey/provider/providertest"
)

// terminal is a model's words and the tag of a command.
func terminal(words, command string) providertest.Reply {
	return providertest.Reply{Text: words + "<mcp:terminal>" + command + "</mcp:terminal>", Chunk: 3}
}

// told are the messages of a request to Chat Completions, in short: "role: text".
func told(t *testing.T, b providertest.Body) (out []string) {
	t.Helper()
	var r struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.Unmarshal([]byte(b.Text), &r); err != nil || b.Fault != "" {
		t.Fatalf("%v, %s:\n%s", err, b.Fault, b.Text)
	}
	if err := providertest.Validate("tags", []byte(b.Text)); err != nil {
		t.Errorf("%v:\n%s", err, b.Text)
	}
	for _, m := range r.Messages {
		out = append(out, m.Role+": "+m.Content)
	}
	return out
}

// goesOn holds each request against the one before it: what the model was told then
// it is told again, to the byte.
func goesOn(t *testing.T, bodies []providertest.Body) {
	t.Helper()
	before := ""
	for i, b := range bodies {
		if !strings.HasPrefix(b.Text, before) {
			t.Errorf("request %d begins otherwise than the one before it:\n%s\n%s", i, b.Text, before)
		}
		before = strings.TrimSuffix(b.Text, `]}`)
	}
}

// TestSeed004SimpleCommand: the model asks for one command, gets its real output,
// and asks for the next step because of it.
func TestSeed004SimpleCommand(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	h := serve(t, newPlace(t, providertest.Script{Replies: []providertest.Reply{
		terminal("", "command -v no-such-htop || echo htop not found"),
		terminal("Let me install it. ", "sudo apt update"),
	}}))
	h.make("p")
	s := h.post(dialogPath, body{"provider": "plain", "prompt": "check if htop is installed"})
	f := s.ends("tool_request")
	if s.text() != "" || len(f.data.ToolCalls) != 1 || f.data.ToolCalls[0].Name != "run_command" ||
		f.data.ToolCalls[0].InputText != `{"command":"command -v no-such-htop || echo htop not found"}` {
		t.Fatalf("the model's text is %q, its calls %+v", s.text(), f.data.ToolCalls)
	}
	if n := len(h.mock.Bodies()); n != 1 {
		t.Errorf("%d requests before a human decided", n)
	}
	s = h.put(dialogPath, body{"dialogId": f.data.DialogID, "control": approve(f.data.ToolCalls...)})
	f = s.ends("tool_request")
	if s.text() != "Let me install it. " || f.data.ToolCalls[0].InputText != `{"command":"sudo apt update"}` {
		t.Errorf("the model's text is %q, its calls %+v", s.text(), f.data.ToolCalls)
	}
	got := told(t, h.mock.Bodies()[1])
	if len(got) != 4 || !strings.HasPrefix(got[0], "system: ") || !strings.Contains(got[0], "<mcp:terminal>COMMAND</mcp:terminal>") ||
		got[1] != "user: check if htop is installed" || got[2] != "assistant: <mcp:terminal>command -v no-such-htop || echo htop not found</mcp:terminal>" ||
		!strings.HasPrefix(got[3], "user: [run_command returned]\n{") || !strings.Contains(got[3], `"stdout":"htop not found\n"`) {
		t.Errorf("the model was told %q", got[1:])
	}
	goesOn(t, h.mock.Bodies())
}

// TestSeed004MultiStep: each step begins with the real result of the one before it,
// and the last word comes without a tag.
func TestSeed004MultiStep(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	h := serve(t, newPlace(t, providertest.Script{Replies: []providertest.Reply{
		terminal("I look.\n", "cat deed/htop || echo not found"),
		terminal("I prepare it.\n", "mkdir deed/apt && echo updated"),
		{Text: `I write it. <mcp:write_file>{"path": "deed/htop", "content": "htop\n"}</mcp:write_file>`, Chunk: 1},
		terminal("I look again.\n", "cat deed/htop"),
		{Text: "Successfully installed htop."},
	}}))
	h.make("p")
	f := h.post(dialogPath, body{"provider": "plain", "prompt": "install htop"}).ends("tool_request")
	id := f.data.DialogID
	for _, name := range []string{"run_command", "run_command", "write_file"} {
		if len(f.data.ToolCalls) != 1 || f.data.ToolCalls[0].Name != name {
			t.Fatalf("the model called %+v, and not %s", f.data.ToolCalls, name)
		}
		f = h.put(dialogPath, body{"dialogId": id, "control": approve(f.data.ToolCalls...)}).ends("tool_request")
	}
	s := h.put(dialogPath, body{"dialogId": id, "control": approve(f.data.ToolCalls...)})
	s.ends("done")
	if s.text() != "Successfully installed htop." || h.read("p", "deed", "htop") != "htop\n" {
		t.Errorf("at the end stands %q", s.text())
	}
	got := told(t, h.mock.Bodies()[4])
	for i, want := range map[int]string{3: `"stdout":"not found\n"`, 5: `"stdout":"updated\n"`, 7: `"sha256"`, 9: `"stdout":"htop\n"`} {
		if !strings.Contains(got[i], want) {
			t.Errorf("message %d lacks %s: %s", i, want, got[i])
		}
	}
	if want := `assistant: I write it. <mcp:write_file>{"path": "deed/htop", "content": "htop\n"}</mcp:write_file>`; got[6] != want {
		t.Errorf("got  %s\nwant %s", got[6], want)
	}
	goesOn(t, h.mock.Bodies())
	ids := map[string]bool{}
	for _, sec := range h.look("p", id).Sections {
		if sec.Role == "Tool Request" {
			ids[sec.ID] = true
		}
	}
	if fmt.Sprint(ids) != "map[call_1:true call_2:true call_3:true call_4:true]" {
		t.Errorf("the calls are %v", ids)
	}
	h.checked()
}

// TestSeed004UserDenial: a denied command does not run, the model is told so, and
// nothing else follows of it.
func TestSeed004UserDenial(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	h := serve(t, newPlace(t, providertest.Script{Replies: []providertest.Reply{
		terminal("", "rm deed/hosts"),
		{Text: "Understood, I won't proceed with that."},
	}}))
	h.make("p")
	h.write("127.0.0.1 localhost\n", "p", "deed", "hosts")
	f := h.post(dialogPath, body{"provider": "plain", "prompt": "delete deed/hosts"}).ends("tool_request")
	s := h.put(dialogPath, body{"dialogId": f.data.DialogID, "control": f.data.ToolCalls[0].ID + " deny"})
	s.ends("done")
	if s.text() != "Understood, I won't proceed with that." || !h.there("p", "deed", "hosts") {
		t.Errorf("at the end stands %q", s.text())
	}
	if got := told(t, h.mock.Bodies()[1]); got[3] != "user: [run_command returned]\n"+`{"success":false,"error":"Denied by user"}` {
		t.Errorf("the model was told %s", got[3])
	}
}

// TestInventedResult: what a model makes up behind its tag reaches neither the
// window nor the file nor the next request, and the server that would go on for
// ever is left at the tag.
func TestInventedResult(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	fake := "\n\nResult:\nls: cannot access: FAKE\n\nIt seems that htop is not installed.\n<mcp:terminal>sudo apt FAKE</mcp:terminal>"
	h := serve(t, newPlace(t, providertest.Script{Replies: []providertest.Reply{
		{Text: "I look. <mcp:terminal>ls deed</mcp:terminal>" + fake, Chunk: 10_000, Fault: &providertest.Fault{Kind: "stall", After: 2}},
		{Text: "<mcp:terminal>pwd</mcp:terminal>" + fake, Chunk: 1, Fault: &providertest.Fault{Kind: "stall", After: 60}},
		{Text: "Done."},
	}}))
	h.make("p")
	s := h.post(dialogPath, body{"provider": "plain", "prompt": "go"})
	f := s.ends("tool_request")
	s2 := h.put(dialogPath, body{"dialogId": f.data.DialogID, "control": "allow run_command"})
	s2.ends("done")
	for _, text := range []string{s.String(), s2.String(), h.files(), h.bodies("")} {
		if strings.Contains(text, "FAKE") || strings.Contains(text, "not installed") {
			t.Errorf("what the model made up:\n%s", text)
		}
	}
	for deadline := time.Now().Add(patience); h.mock.Left() < 2; {
		if time.Now().After(deadline) {
			t.Fatalf("%d streams were left at the tag, not 2", h.mock.Left())
		}
		h.get("/health").is(200) // the time of a request
	}
	if got := told(t, h.mock.Bodies()[2]); len(got) != 6 || got[2] != "assistant: I look. <mcp:terminal>ls deed</mcp:terminal>" || got[4] != "assistant: <mcp:terminal>pwd</mcp:terminal>" {
		t.Errorf("the model was told %q", got[1:])
	}
}

// TestTagsThatCallNothing: a name that no tool has and arguments that are no JSON
// are answered by an error; a tag in code, or without an end, is text, and so is each
// one in the round in which the model may only speak.
func TestTagsThatCallNothing(t *testing.T) {
	t.Parallel()
	quoted := "Like this:\n\n```\n<mcp:terminal>rm -r deed</mcp:terminal>\n```\n\nor `<mcp:terminal>rm</mcp:terminal>`. <mcp:terminal>rm"
	h := serve(t, newPlace(t, providertest.Script{Replies: []providertest.Reply{
		{Text: "<mcp:fs/read.v2 so>{}</mcp:fs/read.v2>\nResult: FAKE"},
		{Text: "<mcp:write_file>deed/a</mcp:write_file>"},
		{Text: quoted, Chunk: 2},
		{Text: "No: <mcp:terminal>ls</mcp:terminal> was not run.", Chunk: 4}, // in recovery, where no tool may be called
	}}))
	h.make("p")
	s := h.post(dialogPath, body{"provider": "plain", "prompt": "go"})
	f := s.ends("done")
	if s.text() != quoted+"No: <mcp:terminal>ls</mcp:terminal> was not run." {
		t.Errorf("streamed was %q", s.text())
	}
	st := h.look("p", f.data.DialogID)
	if want := "System, User, Assistant, Tool Request, Note/mistake, Tool Result/error, Assistant, Tool Request, Tool Result/error, Note/nudge, Assistant, Note/recovery, Assistant"; st.roles() != want {
		t.Errorf("got  %s\nwant %s", st.roles(), want)
	}
	for i, failure := range []string{"tool_not_found", "schema_reject"} {
		r, _ := st.find("Tool Result", fmt.Sprint("call_", i+1))
		if r.Meta["Failure"] != failure || !strings.Contains(r.text(), `"success":false`) {
			t.Errorf("call %d: %v %s", i+1, r.Meta, r.text())
		}
	}
	if r, _ := st.find("Tool Request", "call_1"); r.Meta["Tool"] != "invalid" {
		t.Errorf("the unknown tool is %v", r.Meta)
	}
	if n, _ := st.find("Note", st.Sections[4].ID); !strings.Contains(n.text(), "fs/read.v2 so") || strings.Contains(h.files(), "FAKE") {
		t.Errorf("the Note says %q, in\n%s", n.text(), h.files())
	}
	goesOn(t, h.mock.Bodies())
	h.checked()
}

// noTools is how Ollama refuses tools for a model that has none.
var noTools = &providertest.Fault{Status: http.StatusBadRequest, Type: "api_error", Message: "registry.ollama.ai/library/gemma3:4b does not support tools"}

// TestNativeFirst: where a server says that it takes no tools, the dialog goes on
// with tags in the same turn, and so does every later request of it, also of another
// process; another model is asked natively again.
func TestNativeFirst(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	script := providertest.Script{NoTools: noTools, Replies: []providertest.Reply{
		terminal("I look. ", "echo one"), {Text: "Seen."}, terminal("", "echo two"), {Text: "Seen again."},
		{Text: "Natively.", Calls: []providertest.Call{{ID: "n", Name: "run_command", Args: `{"command":"echo three"}`}}}, {Text: "Done."},
	}}
	h := serve(t, newPlace(t, script))
	h.make("p")
	s := h.post(dialogPath, body{"provider": "local", "prompt": "go"})
	f := s.ends("tool_request")
	id := f.data.DialogID
	if s.text() != "I look. " {
		t.Errorf("the model's text is %q", s.text())
	}
	st := h.look("p", id)
	if want := "System, User, Note/tools, Assistant, Tool Request"; st.roles() != want {
		t.Errorf("got  %s\nwant %s", st.roles(), want)
	}
	if m := st.Sections[2].Meta; m["To"] != "model" || m["Calls"] != "tags" || st.Sections[3].Meta["Api"] != "tags" {
		t.Errorf("the Note says %v, the answer %v", m, st.Sections[3].Meta)
	}
	if n := len(h.mock.Bodies()); n != 2 {
		t.Errorf("%d requests: the refused one must not be tried again", n)
	}
	h = h.again(9)
	h.put(dialogPath, body{"dialogId": id, "control": "allow run_command"}).ends("done")
	h = h.again(9)
	h.put(dialogPath, body{"dialogId": id, "prompt": "again"}).ends("done")
	bodies := h.mock.Bodies()
	if len(bodies) != 5 {
		t.Errorf("%d requests, of which one was refused", len(bodies))
	}
	goesOn(t, bodies[1:])
	got := told(t, bodies[4])
	if len(got) != 8 || strings.Contains(got[0], "<mcp:") || !strings.HasPrefix(got[1], "user: go\n\n[TOOLS] ") || !strings.Contains(got[1], "`launch_agent`") ||
		!strings.Contains(got[3], `"stdout":"one\n"`) || !strings.Contains(got[7], `"stdout":"two\n"`) {
		t.Errorf("the model was told %q", got[1:])
	}

	script.NoTools = nil
	h.mock.Play(script)
	h.put(dialogPath, body{"dialogId": id, "prompt": "and now?", "model": "with-tools"}).ends("done")
	bodies = h.mock.Bodies()
	last := bodies[len(bodies)-1].Text
	if len(bodies) != 7 || !strings.Contains(last, `"tools":[`) || !strings.Contains(last, `"tool_call_id":"call_1"`) || !strings.Contains(last, "You have native tool calls again") {
		t.Errorf("%d requests, the last one:\n%s", len(bodies), last)
	}
	h.bodies("")
	h.checked()
}

// TestRefusalBehindText: once an answer has begun nothing is asked again, whatever
// the server says then.
func TestRefusalBehindText(t *testing.T) {
	t.Parallel()
	h := serve(t, newPlace(t, providertest.Script{Replies: []providertest.Reply{
		{Text: "I begin. And", Chunk: 9, Fault: &providertest.Fault{Kind: "error", After: 2, Message: noTools.Message}},
	}}))
	h.make("p")
	s := h.post(dialogPath, body{"provider": "local", "prompt": "go"})
	f := s.ends("error")
	st := h.look("p", s.wait()[0].data.DialogID)
	if want := "System, User, Assistant, Note/mistake"; st.roles() != want || f.data.Kind != "no_tools" || len(h.mock.Bodies()) != 1 {
		t.Errorf("%d requests, kind %s\ngot  %s\nwant %s", len(h.mock.Bodies()), f.data.Kind, st.roles(), want)
	}
}

// TestNativeFirstElsewhere: a server that takes no tools, and that is not asked by
// Chat Completions, is told of as what it is.
func TestNativeFirstElsewhere(t *testing.T) {
	t.Parallel()
	h := serve(t, newPlace(t, providertest.Script{NoTools: noTools, Replies: []providertest.Reply{{Text: "Never."}}}))
	h.make("p")
	f := h.post(dialogPath, body{"provider": "claude", "prompt": "go"}).ends("error")
	if f.data.Kind != "no_tools" || !strings.Contains(f.data.Message, "API tags") {
		t.Errorf("%+v", f.data)
	}
}

// TestToAndFromTags: a dialog that has begun keeps its way to write calls; a draft
// may still change it, and so may a dialog that went on with tags by a Note.
func TestToAndFromTags(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	h := serve(t, newPlace(t, providertest.Script{Replies: []providertest.Reply{{Text: "Yes."}, {Text: "And yes."}}}))
	h.make("p")
	for _, way := range [][2]string{{"plain", "local"}, {"local", "plain"}, {"claude", "plain"}, {"plain", "openai"}} {
		id := h.post(dialogPath, body{"provider": way[0], "prompt": "go"}).ends("done").data.DialogID
		before := h.look("p", id).Markdown
		detail := h.ask("PUT", dialogPath, body{"dialogId": id, "prompt": "again", "provider": way[1], "model": "mock-1"}).problem(409)
		if !strings.Contains(detail, "Go on with "+way[0]) || !strings.Contains(detail, "new dialog with "+way[1]) {
			t.Errorf("from %s to %s: %s", way[0], way[1], detail)
		}
		if h.look("p", id).Markdown != before {
			t.Error("the refused message changed the file")
		}
		h.put(dialogPath, body{"dialogId": id, "prompt": "again", "model": "other"}).ends("done")
		draft := h.ask("POST", dialogPath+"/new", body{"provider": way[0]}).is(200).object()["dialogId"]
		h.put(dialogPath, body{"dialogId": draft, "prompt": "go", "provider": way[1], "model": "mock-1"}).ends("done")
	}
}

// tagFlow is the life of a dialog with tags, one request a step.
func tagFlow() []func(*walk) {
	return []func(*walk){
		func(w *walk) { w.make("p") },
		func(w *walk) { w.run("POST", body{"provider": w.provider, "prompt": "please start"}, "tool_request") },
		func(w *walk) { w.put(body{"control": approve(w.pending...)}, "tool_request") },
		func(w *walk) { w.put(body{"control": w.pending[0].ID + " deny"}, "done") },
		func(w *walk) { w.put(body{"continue": true}, "done") },
		func(w *walk) { w.put(body{"prompt": "once more", "control": "allow run_command"}, "done") },
	}
}

// TestRestartWithTags is TestRestart for both ways to call by tags.
func TestRestartWithTags(t *testing.T) {
	for _, provider := range []string{"plain", "local"} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			restarted(t, provider, providertest.Script{NoTools: noTools, Replies: []providertest.Reply{
				{Reasoning: "I plan.", Text: "I write. <mcp:write_file>{\"path\":\"deed/log.txt\",\"content\":\"1\"}</mcp:write_file> Done.", Chunk: 2},
				terminal("I look. ", "cat deed/log.txt"), {Text: "Then not."}, {Text: "I was told to go on."},
				terminal("And again. ", "echo again"), {Text: "Good bye."},
			}}, tagFlow())
		})
	}
}
