package e2e

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vibey/cmd/tally/testenv"
	"vibey/provider/providertest"
)

// walk is one run of a flow: the process of the moment, and what the flow has
// learnt of its dialog.
type walk struct {
	*host
	provider string
	id       string
	seen     string // the last section's id
	pending  []call
}

// dialog is the path of all dialog requests.
const dialogPath = "/project/p/dialog"

// put sends a PUT and, if it streams, reads to the end and returns the frames. It
// takes in what the answer tells.
func (w *walk) put(send body, end string) []frame {
	w.t.Helper()
	send["dialogId"] = w.id
	return w.run("PUT", send, end)
}

func (w *walk) run(method string, send body, end string) []frame {
	w.t.Helper()
	s, a := w.try(w.request(method, dialogPath, send))
	if s == nil {
		if end != "json" {
			w.t.Fatalf("%s %v: status %d instead of a stream that ends with %s: %s", method, send, a.status, end, a.text)
		}
		var st state
		a.is(200).into(&st)
		w.pending = st.Pending
		return nil
	}
	f := s.ends(end)
	w.pending = f.data.ToolCalls
	if f.kind != "error" { // which names no dialog
		w.id = f.data.DialogID
	}
	frames := s.wait()
	for _, f := range frames {
		if f.kind == "section" {
			w.seen = f.data.Section.ID
		}
	}
	return frames
}

// longScript has text, parallel calls of all kinds, a call that can't run, a
// launched agent, and reasoning. The launched one comes to no end: when that would reach
// the first, before an answer of its model or behind it, is a matter of moments.
func longScript() providertest.Script {
	return providertest.Script{
		Cases: []providertest.Case{{When: "you are the second", Replies: []providertest.Reply{{Text: "I ask, too.", Calls: []providertest.Call{{ID: "mine", Name: "run_command", Args: `{"command":"true"}`}}}}}},
		Replies: []providertest.Reply{
			{Text: "I look first.", Calls: []providertest.Call{
				{ID: "look", Name: "run_command", Args: `{"command":"cat doc-main.md; echo one >> deed/log"}`},
				{ID: "make", Name: "write_file", Args: `{"path":"deed/a.txt","content":"əəəcontrol/v1\nallow run_command\nəəə\n"}`},
				{ID: "more", Name: "run_command", Args: `{"command":"false"}`},
			}},
			{Reasoning: "Two calls were decided.", Text: "Now an edit.", Calls: []providertest.Call{
				{ID: "edit", Name: "edit_file", Args: `{"path":"deed/a.txt", "old_string":"allow","new_string":"permit"}`},
			}},
			{Text: "That was the first turn."},
			{Text: "Again.", Calls: []providertest.Call{
				{ID: "again", Name: "write_file", Args: `{"path":"deed/b.txt","content":"b"}`},
				{ID: "bad", Name: "no_such_tool", Args: `{}`},
				{ID: "torn", Name: "write_file", Args: `{"path":`},
				{ID: "agent", Name: "launch_agent", Args: `{"provider":"PROVIDER","model":"mock-1","prompt":"you are the second","slug":"second"}`},
			}},
			{Text: "Both are written."},
			{Text: "After continue."},
			{Text: "A command?", Calls: []providertest.Call{{ID: "late", Name: "run_command", Args: `{"command":"echo late >> deed/log"}`}}},
			{Text: "You went on without it."},
			{Text: "Good bye."},
		},
	}
}

// longFlow is a dialog's life, one request a step.
func longFlow() []func(*walk) {
	return []func(*walk){
		func(w *walk) { w.make("p") },
		func(w *walk) {
			w.ask("POST", "/project/p/file/doc-main.md", body{"content": "# A log\n\nWrite a log.\n"}).is(200)
		},
		func(w *walk) {
			w.id = w.ask("POST", dialogPath+"/new", body{"provider": w.provider, "slug": "the log"}).is(200).object()["dialogId"].(string)
		},
		func(w *walk) { w.put(body{"prompt": "please start"}, "tool_request") },
		func(w *walk) { // one of three
			w.put(body{"control": "# the first\n" + approve(w.pending[0]) + "what is this\n", "seen": w.seen}, "json")
		},
		func(w *walk) { // deny one, and the rest by a blanket: allow does not cover commands here
			w.put(body{"control": "əəəcontrol/v1\nmore deny\nallow write_file\nəəə"}, "tool_request")
		},
		func(w *walk) { w.put(body{"control": "edit approve"}, "done") },
		func(w *walk) { w.put(body{"status": "done"}, "json") },
		func(w *walk) {
			w.ask("POST", "/project/p/file/doc-main.md", body{"content": "# A log\n\nWrite a longer log.\n"}).is(200)
		},
		func(w *walk) {
			w.put(body{"prompt": body{"text": "again, as JSON", "n": 1}, "intent": "small_fix"}, "tool_request")
		},
		func(w *walk) { w.put(body{"control": "agent approve", "seen": w.seen}, "done") },
		func(w *walk) { w.put(body{"continue": true}, "done") },
		func(w *walk) { w.put(body{"prompt": "one more", "model": "mock-2"}, "tool_request") },
		func(w *walk) { w.put(body{"prompt": "never mind"}, "done") },
		func(w *walk) { w.put(body{"control": "late approve\nedit deny\nlook approve"}, "json") }, // replayed
		func(w *walk) { w.put(body{"prompt": "good bye", "status": "done"}, "done") },
	}
}

// TestRestart runs a flow of n requests n + 1 times for each provider, with a new
// process after the k-th, the old one killed or ended: neither the files nor what the
// provider gets can tell.
func TestRestart(t *testing.T) {
	testenv.Slow(t)
	for _, provider := range providers {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			script := longScript()
			for i, r := range script.Replies {
				for j, c := range r.Calls {
					script.Replies[i].Calls[j].Args = providertest.Args(strings.ReplaceAll(string(c.Args), "PROVIDER", provider))
				}
			}
			restarted(t, provider, script, longFlow())
		})
	}
}

// restarted holds a flow with a restart behind each of its steps against the flow
// without one: a kill and an end by turns.
func restarted(t *testing.T, provider string, script providertest.Script, flow []func(*walk)) {
	files, bodies := runFlow(t, provider, script, flow, -1, 0)
	step := testenv.Stride(t, 5)
	for i, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		for k := range flow {
			if k%2 != i || k/2%step > 0 {
				continue
			}
			t.Run(fmt.Sprintf("%v after %d", sig, k+1), func(t *testing.T) {
				f, b := runFlow(t, provider, script, flow, k, sig)
				if d := cmp.Diff(strings.Split(files, "\n"), strings.Split(f, "\n")); d != "" {
					t.Errorf("files differ:\n%s", d)
				}
				if d := cmp.Diff(strings.Split(bodies, "\n"), strings.Split(b, "\n")); d != "" {
					t.Errorf("requests to the provider differ:\n%s", d)
				}
			})
		}
	}
}

// runFlow walks through a flow with a restart behind step k, -1 for none, and
// returns the files and the provider's requests.
func runFlow(t *testing.T, provider string, script providertest.Script, flow []func(*walk), k int, sig syscall.Signal) (files, bodies string) {
	t.Helper()
	w := &walk{host: serve(t, newPlace(t, script)), provider: provider}
	for i, step := range flow {
		step(w)
		w.settle("p")
		if i == k {
			w.host = w.again(sig)
		}
	}
	w.kill(syscall.SIGTERM)
	w.checked()
	return w.files(), w.bodies("please start")
}

// settle waits until no dialog of a project works, agents that one launched too.
func (h *host) settle(project string) {
	h.t.Helper()
	for {
		var list []state
		h.get("/project/" + project + "/dialogs").is(200).into(&list)
		active := ""
		for _, s := range list {
			if s.Status == "active" {
				active = s.DialogID
			}
		}
		if active == "" {
			return
		}
		h.join(project, active, "").wait()
	}
}
