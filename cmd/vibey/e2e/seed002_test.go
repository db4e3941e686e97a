package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"vibey/provider/providertest"

	"vibey/cmd/tally/testenv"
)

// The kinds of call that fail: one whose arguments break the schema, one of a tool that
// is not there, one that could not run, one that was not permitted.
func rejected(id string) providertest.Call { return tool(id, "write_file", `{"file":"a"}`) }
func unknown(id string) providertest.Call  { return tool(id, "view_file", `{"path":"a"}`) }
func missing(id string) providertest.Call {
	return tool(id, "read_file", `{"path":"deed/no-such-%s"}`, id)
}
func outside(id string) providertest.Call {
	return tool(id, "write_file", `{"path":"../%s","content":"x"}`, id)
}

// recovered reads what a window and a file are told of a run of mistakes.
type recovered struct {
	Type         string   `json:"type,omitempty"`
	Kind         string   `json:"kind"`
	FailureKinds []string `json:"failure_kinds"`
	Count        int      `json:"count"`
	Escalated    bool     `json:"escalated"`
	CanContinue  bool     `json:"can_continue"`
}

func (w *walk) recoveries(frames []frame) (out []string) {
	w.t.Helper()
	for _, raw := range events(frames, "mistake_recovery") {
		var r recovered
		if err := json.Unmarshal([]byte(raw), &r); err != nil {
			w.t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%s %s %d %t %t", r.Kind, strings.Join(r.FailureKinds, " "), r.Count, r.Escalated, r.CanContinue))
	}
	return out
}

// TestSeed002Mistakes: three failures in a row, of whatever kinds, bring guidance, and
// three more stop the turn, which a human can let go on.
func TestSeed002Mistakes(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	w := begin(t, "claude", rules("tools read"), providertest.Script{Replies: []providertest.Reply{
		does("One.", rejected("a")), does("Two.", unknown("b")), does("Three.", missing("c")),
		does("Four.", outside("d")), does("Five.", missing("e")), does("Six.", rejected("f")),
		does("Seven.", missing("g")), does("Right.", saves("h", "a", "1")), {Text: "See deed/a."},
	}})
	frames := w.says("change a")
	kinds := []string{}
	for _, s := range w.now().Sections {
		if s.Role == "Tool Result" {
			kinds = append(kinds, s.Meta["Failure"])
		}
	}
	got := w.recoveries(frames)
	t.Run("guidance", func(t *testing.T) {
		if want := "mistake_recovery " + strings.Join(kinds[:3], " ") + " 3 false false"; len(got) != 2 || got[0] != want || strings.Join(kinds[:2], " ") != "schema_reject tool_not_found" {
			t.Errorf("%q, want %q", got, want)
		}
		const guidance = "[RECOVERY GUIDANCE] Your last 3 calls failed (schema_reject, tool_not_found, "
		w.lacks("the request before", w.sent(2), guidance)
		w.holds("the request behind it", w.sent(3), guidance, "the tools' schemas", "Don't retry variations")
	})
	t.Run("stop", func(t *testing.T) {
		if want := "mistake_recovery " + strings.Join(kinds[:6], " ") + " 6 true true"; got[1] != want {
			t.Errorf("%q, want %q", got[1], want)
		}
		st := w.now()
		if n := len(w.mock.Bodies()); n != 7 || frames[len(frames)-1].data.Needs != "continue" || len(st.notes("loop")) > 0 {
			t.Errorf("%d requests, %s", n, st.roles())
		}
		w.holds("the last request", w.sent(6), "[RECOVERY] Too many calls failed one after the other.")
	})
	t.Run("for the window alone", func(t *testing.T) {
		w.lacks("what the model got", w.bodies(""), "mistake_recovery", "Press Continue")
		found := 0
		for _, n := range w.now().notes("mistake") {
			if len(n.Payloads) == 2 && n.Payloads[1].Type == "note/json" {
				found++
			}
		}
		if found < 2 {
			t.Errorf("%d Notes with the event's data", found)
		}
	})
	t.Run("continue", func(t *testing.T) {
		frames := w.put(body{"continue": true}, "done")
		if got := w.recoveries(frames); len(got) != 0 || frames[len(frames)-1].data.Needs != "reply" || !w.there("p", "deed", "a") {
			t.Errorf("%v, %s", got, frames[len(frames)-1].raw)
		}
	})
	w.legal()
}

// TestSeed002SuccessResets: a success, and a new message, end a run of mistakes; a
// command that ran and failed does neither that nor count.
func TestSeed002SuccessResets(t *testing.T) {
	testenv.Slow(t)
	for _, c := range []struct {
		name    string
		calls   []providertest.Call
		guided  int
		escaped bool
	}{
		{"two and two", []providertest.Call{missing("a"), missing("b"), command("ok", "true"), missing("c"), missing("d")}, 0, false},
		{"red tests between", []providertest.Call{missing("a"), command("r1", "exit 1"), missing("b"), command("r2", "exit 2"), missing("c")}, 1, false},
		{"again behind a success", []providertest.Call{missing("a"), missing("b"), missing("c"), command("ok", "true"), missing("d"), missing("e"), missing("f")}, 2, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var replies []providertest.Reply
			for i, call := range c.calls {
				replies = append(replies, does(fmt.Sprintf("Step %d.", i), call))
			}
			w := begin(t, "openai", rules("tools read"), providertest.Script{Replies: append(replies, providertest.Reply{Text: "Enough."})})
			got := w.recoveries(w.says("change a"))
			if len(got) != c.guided || strings.Contains(strings.Join(got, "\n"), "true") != c.escaped {
				t.Errorf("%q", got)
			}
			w.legal()
		})
	}
	t.Run("new message", func(t *testing.T) {
		t.Parallel()
		w := begin(t, "local", rules("tools read"), providertest.Script{Replies: []providertest.Reply{does("One.", missing("a")), does("Two.", missing("b")), {Text: "I ask."}, does("Three.", missing("c")), {Text: "Again."}}})
		w.says("change a")
		if got := w.recoveries(w.says("change b")); len(got) != 0 {
			t.Errorf("%q", got)
		}
		w.legal()
	})
}

// TestSeed002ProviderFails: what the provider fails with counts as a mistake, and so does
// what a human denies.
func TestSeed002ProviderFails(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	w := begin(t, "claude", "# Shop\n", providertest.Script{Replies: []providertest.Reply{
		does("I ask.", command("no", "true"), command("nor", "true")),
		{Text: "Sorry.", Fault: &providertest.Fault{Kind: "status", Status: 400, Times: 1, Message: "an error that is not tried again"}},
		does("Once more.", command("now", "true")), {Text: "Done."},
	}})
	w.put(body{"prompt": "try it"}, "tool_request")
	w.put(body{"control": "no deny\nnor deny"}, "error")
	st := w.now()
	if n := st.notes("mistake"); len(n) != 1 || n[0].Meta["Failure"] != "api_error" || st.Needs != "continue" {
		t.Errorf("%s, needs %s", st.roles(), st.Needs)
	}
	for _, id := range []string{"no", "nor"} {
		if r, _ := st.find("Tool Result", id); r.Meta["Failure"] != "permission_denied" || r.Meta["Status"] != "denied" {
			t.Errorf("%v", r.Meta)
		}
	}
	w.put(body{"continue": true}, "done")
}

// TestSeed002Ledger: which files were read and changed, and with what hashes, stands
// sorted in every Summary, and in the next one as well.
func TestSeed002Ledger(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	replies := []providertest.Reply{
		does("I read.", tool("r2", "read_file", `{"path":"deed/b.txt"}`), tool("r1", "read_file", `{"path":"deed/a.txt"}`), tool("r0", "read_file", `{"path":"doc-main.md"}`), tool("no", "read_file", `{"path":"deed/none.txt"}`), saves("w", "c.txt", "c")),
		{Text: "I read them."},
	}
	for n := range 6 {
		replies = append(replies, providertest.Reply{Text: fmt.Sprintf("Answer %d.", n)})
	}
	w := begin(t, "claude", rules("tools read"), providertest.Script{Replies: replies})
	w.write("a", "p", "deed", "a.txt")
	w.write("b", "p", "deed", "b.txt")
	w.says("change c by a and b")
	for n := range 4 {
		w.put(body{"prompt": fmt.Sprintf("question %d?", n)}, "done")
	}
	read := "## Files Read\n\n- deed/a.txt (sha256 " + sha("a") + ")\n- deed/b.txt (sha256 " + sha("b") + ")\n- doc-main.md (sha256 " + sha(rules("tools read")) + ")\n"
	changed := "## Files Modified\n\n- deed/c.txt (sha256 " + sha("c") + ")\n"
	w.put(body{"compact": true}, "json")
	first := w.summary()
	w.holds("the Summary", first, read, changed)
	w.put(body{"prompt": "question 4?"}, "done")
	escaped, _ := json.Marshal(read)
	w.holds("the next request", w.lastSent(), strings.Trim(string(escaped), `"`))
	w.put(body{"prompt": "question 5?", "compact": true}, "done")
	if second := w.summary(); second == first || !strings.Contains(second, read) || !strings.Contains(second, changed) {
		t.Errorf("the second Summary is\n%s", second)
	}
	w.legal()
}

// summary is the last Summary of the dialog.
func (w *walk) summary() string {
	w.t.Helper()
	last := ""
	for _, s := range w.now().Sections {
		if s.Role == "Summary" {
			last = s.text()
		}
	}
	return last
}
