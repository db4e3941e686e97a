package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vibey/provider/providertest"

	"vibey/cmd/tally/testenv"
)

// launch is a call that starts an agent.
func launch(id, prompt string) providertest.Call {
	return providertest.Call{ID: id, Name: "launch_agent", Args: providertest.Args(fmt.Sprintf(`{"provider":"claude","model":"mock-1","prompt":%q,"slug":%q}`, prompt, id))}
}

// TestLaunch is flow #3: one dialog starts another, which works by itself, with
// none of its grants.
func TestLaunch(t *testing.T) {
	t.Parallel()
	h := serve(t, newPlace(t, providertest.Script{
		Cases: []providertest.Case{{When: "You play O.", Replies: []providertest.Reply{
			{Text: "I write O.", Calls: []providertest.Call{{ID: "o", Name: "write_file", Args: `{"path":"deed/o.js","content":"o"}`}}},
			{Text: "O is written."},
		}}},
		Replies: []providertest.Reply{
			{Text: "Two agents, says doc-main.", Calls: []providertest.Call{launch("second", "You play O."), {ID: "x", Name: "write_file", Args: `{"path":"deed/x.js","content":"x"}`}}},
			{Text: "The second one is at work."},
		},
	}))
	h.make("game")
	h.ask("POST", "/project/game/file/doc-main.md", body{"content": "# Tic-tac-toe\n\nA little game for the browser. Two agents work on it.\n"}).is(200)
	f := h.post("/project/game/dialog", body{"provider": "claude", "prompt": "please start"}).ends("tool_request")
	parent := f.data.DialogID
	if len(f.data.ToolCalls) != 2 || f.data.ToolCalls[0].Name != "launch_agent" {
		t.Errorf("launch_agent does not ask: %+v", f.data.ToolCalls)
	}
	h.put("/project/game/dialog", body{"dialogId": parent, "control": "allow write_file\nallow launch_agent"}).ends("done")
	var child string
	var list []state
	h.get("/project/game/dialogs").is(200).into(&list)
	for _, d := range list {
		if d.DialogID != parent {
			child = d.DialogID
		}
	}
	h.join("game", child, "").ends("tool_request")
	st := h.look("game", child)
	if st.Needs != "approval" || st.Pending[0].ID != "o" || h.there("game", "deed", "o.js") || !h.there("game", "deed", "x.js") {
		t.Errorf("the child has its parent's grants: %+v", st.Pending)
	}
	for _, line := range []string{"> From: " + parent, "> Family: " + parent, "> Depth: 1", "> By: " + parent, "Two agents work on it."} {
		if !strings.Contains(st.Markdown, line) {
			t.Errorf("no %q in\n%s", line, st.Markdown)
		}
	}
	if r, _ := h.look("game", parent).find("Tool Result", "second"); !strings.Contains(r.text(), child) {
		t.Errorf("the caller is told %s", r.text())
	}
	h.put("/project/game/dialog", body{"dialogId": child, "control": "o approve"}).ends("done")
	if st := h.look("game", child); st.Status != "done" || st.Needs != "none" {
		t.Errorf("an agent at its end is %s, needs %s", st.Status, st.Needs)
	}
	// A prompt wakes it.
	h.put("/project/game/dialog", body{"dialogId": child, "prompt": "and now?"}).ends("done")
	h.bodies("")
}

// TestCeilings: a family has at most 4 at work, and none deeper than 4.
func TestCeilings(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	slow := providertest.Reply{Text: strings.Repeat("at work ", 2000), Chunk: 8, DelayMS: 50}
	script := providertest.Script{Replies: []providertest.Reply{
		{Text: "Four.", Calls: []providertest.Call{launch("a", "slow"), launch("b", "slow"), launch("c", "slow"), launch("d", "slow")}},
		{Text: "One too many."},
	}}
	for n := 1; n <= 5; n++ {
		script.Cases = append(script.Cases, providertest.Case{When: fmt.Sprint("depth ", n), Replies: []providertest.Reply{
			{Text: "Deeper.", Calls: []providertest.Call{launch(fmt.Sprint("n", n+1), fmt.Sprint("depth ", n+1))}}, {Text: "So deep."}}})
	}
	script.Cases = append(script.Cases, providertest.Case{When: "slow", Replies: []providertest.Reply{slow}})
	h := serve(t, newPlace(t, script))
	h.make("p")
	id := h.post(dialogPath, body{"provider": "claude", "prompt": "go"}).ends("tool_request").data.DialogID
	h.put(dialogPath, body{"dialogId": id, "control": "allow launch_agent"}).ends("done")
	st := h.look("p", id)
	for call, ok := range map[string]bool{"a": true, "b": true, "c": true, "d": false} {
		r, _ := st.find("Tool Result", call)
		if strings.Contains(r.text(), `"success":true`) != ok || r.Meta["Status"] == "" {
			t.Errorf("launch %s: %s %s", call, r.Meta["Status"], r.text())
		}
	}

	h.make("deep")
	path := "/project/deep/dialog"
	f := h.post(path, body{"provider": "claude", "prompt": "depth 1"}).ends("tool_request")
	for range 4 {
		h.put(path, body{"dialogId": f.data.DialogID, "control": "allow launch_agent"}).ends("done")
		next := ""
		var list []state
		h.get("/project/deep/dialogs").is(200).into(&list)
		for _, d := range list {
			if s := h.look("deep", d.DialogID); strings.Contains(s.Markdown, "> From: "+f.data.DialogID+"\n") {
				next = d.DialogID
			}
		}
		if next == "" {
			t.Fatalf("%s launched nobody", f.data.DialogID)
		}
		f = h.join("deep", next, "").ends("tool_request")
	}
	h.put(path, body{"dialogId": f.data.DialogID, "control": "allow launch_agent"}).ends("done")
	r, _ := h.look("deep", f.data.DialogID).find("Tool Result", "n6")
	if !strings.Contains(r.text(), `"success":false`) || !strings.Contains(r.text(), "deep") {
		t.Errorf("a launch by depth 4: %s", r.text())
	}
}

// TestDeleteStops is flow #4: a project that is deleted while agents stream and
// commands run is gone, and nothing of it goes on.
func TestDeleteStops(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	h := serve(t, newPlace(t, providertest.Script{
		Cases: []providertest.Case{{When: "run", Replies: []providertest.Reply{{Text: "I do.", Calls: []providertest.Call{
			{ID: "slow", Name: "run_command", Args: `{"command":"echo > ~/began; exec sleep 25.0731"}`}}}}}},
		Replies: []providertest.Reply{{Text: strings.Repeat("word ", 1000), Chunk: 5, DelayMS: 20}},
	}))
	h.make("p")
	h.make("other")
	other := h.post("/project/other/dialog", body{"provider": "claude", "prompt": "stream"})
	streaming := h.post(dialogPath, body{"provider": "claude", "prompt": "stream"})
	streaming.kind("chunk")
	id := h.post(dialogPath, body{"provider": "openai", "prompt": "run"}).ends("tool_request").data.DialogID
	running := h.put(dialogPath, body{"dialogId": id, "control": "slow approve"})
	running.until(0, func(f frame) bool { return f.data.Section.Meta["Kind"] == "started" })
	for deadline := time.Now().Add(20 * time.Second); h.inHome("p", "began") == "" || !running25(t); {
		if time.Now().After(deadline) {
			t.Fatal("the command did not begin")
		}
		h.get("/health").is(200) // the time of a request
	}
	h.ask("DELETE", "/projects/p", nil).is(204)
	if h.there("p") {
		t.Error("the folder is still there")
	}
	streaming.ends("error")
	running.ends("error")
	if running25(t) {
		t.Error("the command still runs")
	}
	h.get("/project/p/dialogs").problem(404)
	if f, _ := other.until(other.count(), func(f frame) bool { return f.kind == "chunk" }); f.kind != "chunk" {
		t.Error("another project's agent was stopped")
	}
	other.close()
	if log := h.log.String(); strings.Contains(log, "level=ERROR") {
		t.Errorf("the log:\n%s", log)
	}
}

// running25 tells whether this machine runs the command of TestDeleteStops. A
// command in a sandbox knows another number for itself than we do.
func running25(t *testing.T) bool {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(all) == 0 {
		t.Fatal("no processes can be seen", err)
	}
	for _, name := range all {
		if b, err := os.ReadFile(name); err == nil && string(b) == "sleep\x0025.0731\x00" {
			return true
		}
	}
	return false
}
