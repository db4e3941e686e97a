package e2e

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vibey/cmd/tally/testenv"
	"vibey/provider/providertest"
)

// TestRestartUnderRules is TestRestart for dialogs in which the governor has to act: a
// process that ends between any two rounds leaves the same verdicts, and the same bytes
// but for times and ids. Each round has a call that asks, so that it is a request of its
// own.
func TestRestartUnderRules(t *testing.T) {
	testenv.Slow(t)
	for _, c := range []struct {
		name, provider string
		replies        []providertest.Reply
		flow           []func(*walk)
	}{
		{"session", "claude", failingSession(), failingFlow()},
		{"phases", "openai", phaseSession(), phaseFlow()},
		{"mistakes", "local", mistakeSession(), mistakeFlow()},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			restarted(t, c.provider, providertest.Script{Replies: c.replies}, c.flow)
		})
	}
}

// phaseSession is a model that changes something too early, looks, says what it found,
// changes it, and has to be sent back to check it.
func phaseSession() []providertest.Reply {
	const check = "grep -q green deed/style.css"
	return []providertest.Reply{
		does("I change it.", saves("early", "style.css", "red"), command("early2", "ls deed")),
		does("I look.", tool("read", "read_file", `{"path":"doc-main.md"}`), command("found", "find deed -type f")),
		{Reasoning: "There is no style yet.", Text: "I say what I found.", Calls: []providertest.Call{tool("check", "checkpoint", `{"goal":"a green header","findings":"there is no style","proposal":"write one"}`), command("free", "test -d deed")}},
		does("Now.", saves("style", "style.css", "gray")),
		{Text: "Updated style.css (4 bytes)."},
		does("I check it.", command("verify1", check)),
		does("I mend it.", tool("mend", "edit_file", `{"path":"deed/style.css","old_string":"gray","new_string":"green"}`)),
		{Text: "Updated style.css (5 bytes)."},
		does("I check it again.", command("verify2", check)), does("And look.", tool("last", "read_file", `{"path":"deed/style.css"}`), command("size", "wc -c deed/style.css")),
		{Text: "Verified: it is green."},
		does("I look.", command("cat", "cat deed/style.css")), {Text: "It is."},
	}
}

// phaseFlow is the human of that dialog.
func phaseFlow() []func(*walk) {
	asks := approves("tool_request")
	return []func(*walk){
		func(w *walk) {
			w.make("p")
			w.ask("POST", "/project/p/file/doc-main.md", body{"content": phased}).is(200)
			w.id = w.ask("POST", dialogPath+"/new", body{"provider": w.provider}).is(200).object()["dialogId"].(string)
		},
		func(w *walk) {
			w.put(body{"prompt": "please start: change the header color"}, "tool_request")
		},
		asks, asks, asks, // three looks
		asks, asks, asks, // style, verify1, mend
		asks, approves("done"), // verify2, last
		func(w *walk) { w.put(body{"prompt": "is it green?", "intent": "status_check"}, "tool_request") },
		approves("done"),
	}
}

// lost edits a file that is not there, each id another one: calls that differ in digits
// alone are a loop.
func lost(id string) providertest.Call {
	return tool(id, "edit_file", `{"path":"deed/no-such-%c","old_string":"a","new_string":"b"}`, 'a'+id[1]-'0')
}

// mistakeSession is a model that uses its rounds up, makes one mistake after the other,
// and has enough to say for a Summary.
func mistakeSession() []providertest.Reply {
	replies := append(steps(3), does("On.", saves("on", "on.txt", "x")), providertest.Reply{Text: "See deed/on.txt."})
	for n, call := range []providertest.Call{lost("m1"), outside("m2"), lost("m3"), lost("m4"), outside("m5"), lost("m6"), lost("m7")} {
		replies = append(replies, does(fmt.Sprintf("Try %d.", n+1), call))
	}
	replies = append(replies, does("Right.", command("found", "cat deed/on.txt")), providertest.Reply{Text: "Found."})
	for n := range 4 {
		replies = append(replies, providertest.Reply{Text: fmt.Sprintf("Answer %d.", n)})
	}
	return replies
}

// mistakeFlow is the human of that dialog.
func mistakeFlow() []func(*walk) {
	asks := approves("tool_request")
	says := func(prompt string) func(*walk) { return func(w *walk) { w.put(body{"prompt": prompt}, "done") } }
	return []func(*walk){
		func(w *walk) {
			w.make("p")
			w.ask("POST", "/project/p/file/doc-main.md", body{"content": rules("tools read\nbudget small_fix 2")}).is(200)
			w.id = w.ask("POST", dialogPath+"/new", body{"provider": w.provider}).is(200).object()["dialogId"].(string)
		},
		func(w *walk) {
			w.put(body{"prompt": "please start", "intent": "small_fix"}, "tool_request")
		},
		asks, approves("done"), // two rounds, and a third that is refused
		func(w *walk) { w.put(body{"continue": true}, "tool_request") },
		approves("done"),
		func(w *walk) { w.put(body{"prompt": "find it", "intent": "feature_build"}, "tool_request") },
		asks, asks, asks, asks, asks, approves("done"), // six mistakes
		func(w *walk) { w.put(body{"continue": true}, "tool_request") },
		asks, approves("done"),
		says("one"), says("two"), says("three"),
		func(w *walk) { w.put(body{"compact": true}, "json") },
		// The model of this script counts what it said and still reads: it begins anew.
		func(w *walk) { w.put(body{"prompt": "four"}, "tool_request") },
		approves("done"),
	}
}

// TestRulesHold holds the dialogs of TestRestartUnderRules against what each is to show.
func TestRulesHold(t *testing.T) {
	for _, c := range []struct {
		name    string
		replies []providertest.Reply
		flow    []func(*walk)
		want    string
	}{
		{"phases", phaseSession(), phaseFlow(), `["phase@0 phase@3 phase@3 gate@4 phase@4 phase@6 gate@6 phase@6 phase@8" "phase@0 phase@1"]`},
		{"mistakes", mistakeSession(), mistakeFlow(), `["budget@3 recovery@3 nudge@3" "mistake@3 mistake@6 recovery@6 nudge@6 recovery@8" "" "" "" ""]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := &walk{host: serve(t, newPlace(t, providertest.Script{Replies: c.replies})), provider: "claude"}
			for _, step := range c.flow {
				step(w)
			}
			if got := fmt.Sprintf("%q", w.now().turns()); got != c.want {
				t.Errorf("the Notes of the turns are %s, not %s:\n%s", got, c.want, w.now().roles())
			}
			w.legal()
		})
	}
}

// silentSession is a model that looks without a word and asks nobody, until its rounds
// are used.
func silentSession() []providertest.Reply {
	return []providertest.Reply{
		does("", tool("list", "list_files", `{}`)), does("", missing("one")), does("", missing("two"), tool("write", "write_file", `{"path":"deed/a","content":"1"}`)),
		does("", missing("three")), does("Found.", tool("doc", "read_file", `{"path":"doc-main.md"}`)), does("", tool("over", "list_files", `{}`)),
	}
}

// TestRestartBetweenRounds kills a process while the model is asked for another round of
// the same turn: where nothing of that round has come, Continue goes on as if nothing had
// happened, with the same Notes at the same places.
func TestRestartBetweenRounds(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	run := func(t *testing.T, k int, sig syscall.Signal) (files string, bodies []string) {
		script := providertest.Script{Replies: silentSession()}
		if k >= 0 {
			script.Replies[k].Fault = &providertest.Fault{Kind: "stall", Times: 1}
		}
		w := begin(t, "claude", rules("tools read\nphases on\nbudget small_fix 5"), script)
		s := w.open(w.request("PUT", dialogPath, body{"dialogId": w.id, "prompt": "go", "intent": "small_fix"}))
		if k >= 0 {
			for deadline := time.Now().Add(patience); len(w.mock.Bodies()) <= k; {
				if time.Now().After(deadline) {
					t.Fatalf("the model was not asked for round %d:\n%s", k+1, s)
				}
				w.get("/health").is(200) // the time of a request
			}
			w.host = w.again(sig)
			if st := w.now(); st.Needs != "continue" {
				t.Errorf("it needs %s", st.Needs)
			}
			w.put(body{"continue": true}, "done")
		} else {
			s.ends("done")
		}
		if got := fmt.Sprintf("%q", w.now().turns()); got != `["phase@0 warning@2 nudge@2 mistake@3 nudge@4 budget@6 recovery@6 phase@6"]` {
			t.Errorf("the Notes of the turn are %s:\n%s", got, w.now().roles())
		}
		w.kill(syscall.SIGTERM)
		w.checked()
		for _, b := range w.mock.Bodies() {
			if text := w.normal(b.Text); len(bodies) == 0 || bodies[len(bodies)-1] != text { // asked again
				bodies = append(bodies, text)
			}
		}
		return w.files(), bodies
	}
	files, bodies := run(t, -1, 0)
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		for k := range silentSession() {
			t.Run(fmt.Sprintf("%v in round %d", sig, k+1), func(t *testing.T) {
				f, b := run(t, k, sig)
				if d := cmp.Diff(strings.Split(files, "\n"), strings.Split(f, "\n")); d != "" {
					t.Errorf("files differ:\n%s", d)
				}
				if d := cmp.Diff(bodies, b); d != "" {
					t.Errorf("requests to the provider differ:\n%s", d)
				}
			})
		}
	}
}
