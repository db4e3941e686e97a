package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/provider/providertest"
)

// TestSeed001Budgets: a message is told by its words how many rounds it may take; when
// they are used, calls are refused without a question and the model may only speak.
func TestSeed001Budgets(t *testing.T) {
	testenv.Slow(t)
	for _, c := range []struct {
		intent  string
		limit   int
		prompts []string
	}{
		{"conversational", 0, []string{"hi there", "thanks, looks good"}},
		{"status_check", 2, []string{"What is running?", "Show me the logs."}},
		{"diagnose", 8, []string{"Why is the preview blank?", "The build failed."}},
		{"small_fix", 15, []string{"Change the header color", "Fix the typo."}},
		{"feature_build", 40, []string{"Add a pricing page", "Wire up Stripe."}},
		{"autonomous", 150, []string{"Build this entire app from scratch", "Keep going."}},
	} {
		t.Run(c.intent, func(t *testing.T) {
			t.Parallel()
			w := begin(t, "claude", rules("tools read"), providertest.Script{Cases: []providertest.Case{{When: c.prompts[1], Replies: []providertest.Reply{{Text: "Yes."}}}}, Replies: looks(c.limit + 2)})
			w.put(body{"prompt": c.prompts[1]}, "done")
			w.intended(c.intent)
			w.draft()
			w.mock.Reset()
			frames := w.put(body{"prompt": c.prompts[0]}, "done") // what reads needs no leave
			w.intended(c.intent)
			var budgets []string
			for used := 1; used <= c.limit; used++ {
				budgets = append(budgets, fmt.Sprintf(`{"type":"budget","used":%d,"limit":%d}`, used, c.limit))
			}
			if c.limit == 0 {
				budgets = []string{`{"type":"budget","used":0,"limit":0}`}
			}
			w.are(frames, "budget", budgets...)
			if n := len(w.mock.Bodies()); n != c.limit+2 { // the rounds, the refused one, recovery
				t.Errorf("%d requests", n)
			}
			if warned := len(w.now().notes("warning")); warned != min(1, c.limit/4) {
				t.Errorf("it was warned %d times", warned)
			}
			w.holds("the Note", w.note("recovery").text(), "You hit the round cap of this message.")
			r, _ := w.now().find("Tool Result", fmt.Sprint("look", c.limit+1))
			if r.Meta["Refused"] != "budget" || r.Meta["Status"] != "error" {
				t.Errorf("%v %s", r.Meta, r.text())
			}
			if end := frames[len(frames)-1]; end.data.Needs != "continue" {
				t.Errorf("it needs %s", end.data.Needs)
			}
			w.legal()
		})
	}
}

// looks are n rounds with words, each of which searches for another word.
func looks(n int) (replies []providertest.Reply) {
	for i := 1; i <= n; i++ {
		replies = append(replies, does(fmt.Sprintf("Look %d.", i), tool(fmt.Sprint("look", i), "search_files", `{"query":"word %d"}`, i)))
	}
	return replies
}

// intended fails the test unless the last message has that intent.
func (w *walk) intended(intent string) {
	w.t.Helper()
	last := section{}
	for _, s := range w.now().Sections {
		if s.Role == "User" {
			last = s
		}
	}
	if last.Meta["Intent"] != intent {
		w.t.Errorf("%q is %q, not %q", last.text(), last.Meta["Intent"], intent)
	}
}

// phased is a project that looks before it changes anything, and checks what it changed.
var phased = rules("tools read server\nphases on\nverify grep -q green deed/style.css")

// phases is a model that changes too early, is told to look, and does all in its order.
func phases() []providertest.Reply {
	return []providertest.Reply{
		does("I change it.", saves("early", "style.css", "red"), tool("edit", "edit_file", `{"path":"deed/index.html","old_string":"a","new_string":"b"}`)),
		does("I look.", tool("read", "read_file", `{"path":"deed/index.html"}`), tool("list", "list_files", `{}`)),
		does("I say what I found.", tool("check", "checkpoint", `{"goal":"a green header","findings":"there is no style","proposal":"write one"}`)),
		does("Now.", saves("style", "style.css", "green")),
		does("And check.", command("verify", "grep -q green deed/style.css")),
		{Text: "Updated style.css (5 bytes)."},
	}
}

// TestSeed001Phases: before its checkpoint a turn changes nothing, whatever is allowed;
// then its tools run, what they changed is verified, and windows are told each phase.
func TestSeed001Phases(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	w := begin(t, "claude", phased, providertest.Script{Replies: append(phases(), does("Again.", saves("again", "style.css", "blue")), providertest.Reply{Text: "It was refused."})})
	w.write("<a>", "p", "deed", "index.html")
	frames := w.says("change the header color")
	t.Run("recon", func(t *testing.T) {
		for _, id := range []string{"early", "edit"} {
			r, _ := w.now().find("Tool Result", id)
			if r.Meta["Refused"] != "phase" || r.Meta["Status"] != "error" || !strings.Contains(r.text(), "call checkpoint") {
				t.Errorf("%v %s", r.Meta, r.text())
			}
			if _, started := w.now().find("Note", id); started {
				t.Error("it was started")
			}
		}
		for _, id := range []string{"read", "list"} {
			if r := w.result(id); r["success"] != true {
				t.Errorf("%s: %v", id, r)
			}
		}
		w.holds("the next request", w.sent(1), "still in its first phase")
	})
	var each []string
	for _, p := range [][2]string{{"recon", "Looking around"}, {"checkpoint", "Agreeing on what to do"}, {"execute", "Making the change"}, {"verify", "Checking the change"}, {"final", "Reporting"}} {
		each = append(each, fmt.Sprintf(`{"type":"phase","phase":%q,"label":%q}`, p[0], p[1]))
	}
	t.Run("events", func(t *testing.T) {
		w.are(frames, "phase", each...)
		w.are(frames, "checkpoint", `{"type":"checkpoint","goal":"a green header","findings":"there is no style","proposal":"write one"}`)
		if b := events(frames, "budget"); len(b) != 4 || b[3] != `{"type":"budget","used":4,"limit":15}` { // the refused round uses nothing
			t.Errorf("%v", b)
		}
	})
	t.Run("execute", func(t *testing.T) {
		if r := w.result("style"); r["success"] != true || w.read("p", "deed", "style.css") != "green" {
			t.Errorf("%v", r)
		}
		if st := w.now(); len(st.notes("gate"))+len(st.notes("unverified"))+len(st.notes("recovery")) > 0 || frames[len(frames)-1].data.Needs != "reply" {
			t.Errorf("it was held up: %s", st.roles())
		}
	})
	t.Run("tools stay", func(t *testing.T) { // a phase refuses calls and never changes what is offered
		first, last := toolsOf(t, w.sent(0)), toolsOf(t, w.lastSent())
		if first != last || !strings.Contains(first, `"write_file"`) || !strings.Contains(first, `"checkpoint"`) {
			t.Errorf("%s\n%s", first, last)
		}
	})
	t.Run("next message", func(t *testing.T) { // begins with a look again
		w.says("now make it blue")
		if r, _ := w.now().find("Tool Result", "again"); r.Meta["Refused"] != "phase" || w.read("p", "deed", "style.css") != "green" {
			t.Errorf("%v", r.Meta)
		}
	})
	w.legal()
	t.Run("sent back", func(t *testing.T) { // by the gate, with which the phase verify begins
		replies := phases()[2:]
		replies = slices.Insert(replies, 2, providertest.Reply{Text: "Updated style.css."})
		w := begin(t, "openai", phased, providertest.Script{Replies: replies})
		w.are(w.says("change the header color"), "phase", each...)
		w.note("gate")
		w.legal()
	})
}

// toolsOf are the tools that a request to a provider offers, as JSON.
func toolsOf(t *testing.T, request string) string {
	t.Helper()
	var r struct{ Tools json.RawMessage }
	if err := json.Unmarshal([]byte(request), &r); err != nil {
		t.Fatal(err)
	}
	return string(r.Tools)
}

// TestSeed001ToolClasses: in the first phase what reads runs, what verifies without a
// command of the model runs, and each tool that changes something is refused.
func TestSeed001ToolClasses(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	w := begin(t, "openai", rules("tools read server plan\nphases on"), providertest.Script{Replies: []providertest.Reply{
		does("I look.", tool("list", "list_files", `{}`), tool("search", "search_files", `{"query":"x"}`), tool("plan", "plan_get", `{}`), tool("logs", "server_logs", `{"port":3000}`), command("command", "ls; echo x > deed/x")),
		does("I change.", saves("write", "a", "1"), tool("more", "list_files", `{}`), tool("edit", "edit_file", `{"path":"deed/a","old_string":"1","new_string":"2"}`), tool("stop", "stop_server", `{"port":3000}`)),
		does("And more.", tool("once", "list_files", `{}`), tool("agent", "launch_agent", `{"provider":"openai","model":"mock-1","prompt":"hello"}`), tool("log", "plan_decision_log", `{"kind":"task","title":"a","choice":"b","why":"c"}`)),
		{Text: "That was refused."},
	}})
	w.put(body{"prompt": "change the header color", "control": allAllowed() + "\nallow launch_agent"}, "done")
	st := w.now()
	for _, id := range []string{"list", "search", "plan", "logs", "more", "once"} {
		if r, _ := st.find("Tool Result", id); r.Meta["Refused"] != "" {
			t.Errorf("%s is refused", id)
		}
	}
	for _, id := range []string{"write", "edit", "stop", "agent", "log"} {
		if r, _ := st.find("Tool Result", id); r.Meta["Refused"] != "phase" {
			t.Errorf("%s is not refused: %s", id, r.text())
		}
	}
	// A command runs where it can be held from writing, and only there.
	if r, _ := st.find("Tool Result", "command"); r.Meta["Refused"] != "phase" && !strings.Contains(r.text(), "It ran read-only") || w.there("p", "deed", "x") {
		t.Errorf("%v %s", r.Meta, r.text())
	}
	w.legal()
}

// TestSeed001Gate: what was changed is verified before an answer counts: by the check
// that the project declares, or by a server; twice at most it is asked for.
func TestSeed001Gate(t *testing.T) {
	testenv.Slow(t)
	for _, c := range []struct {
		name, doc  string
		replies    []providertest.Reply
		gates      int
		unverified bool
	}{
		{"by the check", rules("verify grep -q right deed/a"), []providertest.Reply{
			does("I write.", saves("w", "a", "wrong")), {Text: "a is written."},
			does("I check.", command("no", "grep -q right deed/a")), does("I mend.", saves("m", "a", "right")), does("I check.", command("yes", "cd deed && grep -q right deed/a || cd .. && grep -q right deed/a")),
			does("As it is declared.", command("sure", "grep -q right deed/a")), {Text: "Verified."},
		}, 1, false},
		{"by a server", rules("tools server"), []providertest.Reply{
			does("I write.", saves("w", "a", "1")), {Text: "a is written."}, does("I start it.", server(t, "s", 200)), {Text: "Health 200."},
		}, 1, false},
		{"before the change", rules("tools server"), []providertest.Reply{
			does("I start it.", server(t, "s", 200)), does("I write.", command("w", "echo 1 > deed/a")), {Text: "a is written."}, {Text: "It is."}, {Text: "It really is."},
		}, 2, true},
		{"never", rules("verify true"), []providertest.Reply{
			does("I write.", saves("w", "a", "1")), {Text: "a is written."}, {Text: "No need to check."}, {Text: "I said so."},
		}, 2, true},
		{"nothing changed", rules("verify true"), []providertest.Reply{does("I look.", command("l", "ls")), {Text: "There is nothing."}}, 0, false},
		{"no check declared", "# Shop\n", []providertest.Reply{does("I write.", saves("w", "a", "1")), {Text: "a is written."}}, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := begin(t, "claude", c.doc, providertest.Script{Replies: c.replies})
			frames := w.says("change a")
			st := w.now()
			if len(st.notes("gate")) != c.gates || len(st.notes("unverified")) > 0 != c.unverified || frames[len(frames)-1].kind != "done" {
				t.Errorf("%s", st.roles())
			}
			if c.gates > 0 {
				w.holds("the Note", st.notes("gate")[0].text(), "[VERIFY] You changed files in this turn, and nothing verified them after the last change.")
				w.holds("the last request", w.lastSent(), "[VERIFY] ")
			}
			if last := lastAssistant(st).text(); last != c.replies[len(c.replies)-1].Text {
				t.Errorf("the last word is %q", last)
			}
			w.legal()
		})
	}
}
