package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/provider/providertest"
)

// The failing session is what the first requirements on claims without evidence begin
// with: an agent wrote beside the project, called ready what had failed, said nothing
// for minutes, and restarted a server in circles.

// homepage is what its agent writes.
const homepage = "export default function Home() { return <h1>What is your business worth?</h1> }\n"

// failingSession is the model of that session. In each round it makes a call that asks,
// so that each is a request of its own.
func failingSession() []providertest.Reply {
	replies := []providertest.Reply{
		does("For owners of Main Street businesses. I read the page.", tool("home", "read_file", `{"path":"deed/src/app/page.tsx"}`), command("layout", "cat deed/src/app/layout.tsx")),
		does("I write it.", tool("ghost1", "write_file", `{"path":"/workspace/src/app/page.tsx","content":%q}`, homepage)),
		does("Once more.", tool("ghost2", "write_file", `{"path":"/src/app/page.tsx","content":%q}`, homepage)),
		does("As it was suggested.", saves("right", "src/app/page.tsx", homepage)),
		does("I look again.", tool("again", "read_file", `{"path":"deed/src/app/page.tsx"}`), command("size", "wc -c deed/src/app/page.tsx")),
		{Text: fmt.Sprintf("Updated `page.tsx` (%d bytes, sha=%s…).", len(homepage), sha(homepage)[:6])},
		// Sent back by the gate.
		does("I start it.", tool("start", "start_server", `{"command":"echo Error: listen EADDRINUSE >&2; exit 1","port":3000}`)),
		{Text: "The preview is ready! Enjoy."},
		{Text: "Really, the preview is up on port 3000."},
	}
	circle := []string{"cd deed && pkill no-such-next", "cd /workspace/shop && npm run dev", "cd deed && curl -s http://127.0.0.1:3/"} // -S would tell how long it took
	for n := range 7 {                                                                                                                 // without a word
		replies = append(replies, does("", command(fmt.Sprint("circle", n+1), circle[n%3])))
	}
	return append(replies, providertest.Reply{Text: "I just rewrote Navbar.tsx, too."})
}

// failingFlow is the human of that session, one request a step.
func failingFlow() []func(*walk) {
	asks := approves("tool_request")
	return []func(*walk){
		func(w *walk) {
			w.make("p")
			w.ask("POST", "/project/p/file/doc-main.md", body{"content": shopDoc + "\nəəəproject/v1\ntools read server\nəəə\n"}).is(200)
			w.shop("p")
		},
		func(w *walk) {
			w.run("POST", body{"provider": w.provider, "prompt": "apply your design skills to the home page", "intent": "small_fix"}, "tool_request")
		},
		func(w *walk) { w.put(body{"control": approve(w.pending...) + servers()}, "tool_request") },
		asks, asks, asks, asks, approves("done"),
		func(w *walk) {
			w.put(body{"prompt": "are you there? restart the preview", "intent": "small_fix"}, "tool_request")
		},
		asks, asks, asks, asks, asks, asks, approves("done"),
		func(w *walk) { w.put(body{"prompt": "did you change the menu, too?"}, "done") },
	}
}

// approves is a step in which a human approves what waits.
func approves(end string) func(*walk) {
	return func(w *walk) { w.put(body{"control": approve(w.pending...)}, end) }
}

// turns are the Notes that the governor left in each turn, with the number of rounds
// behind which they stand.
func (s state) turns() (out []string) {
	rounds, open := 0, false
	for _, sec := range s.Sections {
		switch kind := sec.Meta["Kind"]; sec.Role {
		case "User":
			out, rounds, open = append(out, ""), 0, false
		case "Assistant", "Reasoning":
			open = false
		case "Tool Request":
			if !open {
				rounds++
			}
			open = true
		case "Note":
			if len(out) > 0 && kind != "started" && kind != "codebase" {
				out[len(out)-1] = strings.TrimSpace(fmt.Sprintf("%s %s@%d", out[len(out)-1], kind, rounds))
			}
		}
	}
	return out
}

// TestSeed000FailingSession replays the session, and holds the seven points by which the
// requirements say that it can't fail like that again.
func TestSeed000FailingSession(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	w := &walk{host: serve(t, newPlace(t, providertest.Script{Replies: failingSession()})), provider: "claude"}
	for _, step := range failingFlow() {
		step(w)
	}
	st := w.now()
	notes := st.turns()
	want := []string{"gate@5 unbacked@6 gate@6 unbacked@6 recovery@6 unverified@6", "nudge@2 nudge@4 nudge@6 loop@7 recovery@7", "unbacked@0"}
	if !slices.Equal(notes, want) {
		t.Fatalf("the Notes of the turns are %q, not %q:\n%s", notes, want, st.roles())
	}
	var tools, words []string
	for _, s := range st.Sections {
		switch s.Role {
		case "Tool Request":
			tools = append(tools, s.Meta["Tool"])
		case "Assistant":
			words = append(words, s.text())
		}
	}
	t.Run("1 audience first", func(t *testing.T) {
		w.holds("what the model reads first", string([]rune(w.system())[:500]), "Audience: Owners of Main Street businesses")
		w.holds("the first request", w.sent(0), "Audience: Owners of Main Street businesses")
		if slices.Contains(tools, "plan_get") {
			t.Error("it asked for the plan")
		}
	})
	t.Run("2 no discovery", func(t *testing.T) {
		w.holds("the system text", w.system(), "Entry points:\n", "- deed/src/app/page.tsx", "- deed/src/app/layout.tsx", "`deed/src/app/page.tsx` is correct")
		if tools[0] != "read_file" || w.result("home")["success"] != true || slices.Contains(tools, "list_files") || slices.Contains(tools, "search_files") {
			t.Errorf("it called %v", tools)
		}
	})
	t.Run("3 no ghost files", func(t *testing.T) {
		for _, meant := range []string{`"error":"PATH_OUTSIDE_PROJECT: `, "Did you mean 'deed/src/app/page.tsx'?"} {
			if n := strings.Count(st.Markdown, meant); n != 2 {
				t.Errorf("%d refusals say %s", n, meant)
			}
		}
		if r := w.result("right"); r["path"] != "deed/src/app/page.tsx" || w.read("p", "deed", "src", "app", "page.tsx") != homepage || w.there("p", "src") || w.there("workspace") {
			t.Errorf("%v", r)
		}
	})
	t.Run("4 no claim without evidence", func(t *testing.T) {
		marks := st.notes("unbacked")
		w.holds("the mark", marks[2].text(), "no result of this dialog says that Navbar.tsx was changed")
		if cited := words[5]; !strings.Contains(cited, w.result("right")["sha256"].(string)[:6]) || strings.Contains(marks[0].text(), "page.tsx") {
			t.Errorf("%s is marked: %s", cited, marks[0].text())
		}
	})
	t.Run("5 no runaway", func(t *testing.T) {
		w.holds("the Note", st.notes("loop")[0].text(), "Repeated run_command:pkill 3× in last 10 calls")
		w.holds("the request behind it", w.mock.Bodies()[len(w.mock.Bodies())-2].Text, "LOOP DETECTED: ", `"tool_choice":{"type":"none"}`)
		if n := len(w.mock.Bodies()); n != len(failingSession())+2 { // two of recovery
			t.Errorf("%d requests", n)
		}
	})
	t.Run("6 no silence", func(t *testing.T) {
		for i, counts := range []string{"2 tool call(s) over 2 round(s)", "4 tool call(s) over 4 round(s)", "6 tool call(s) over 6 round(s)"} {
			w.holds("the Note", st.notes("nudge")[i].text(), "[STATUS NUDGE] You have run "+counts)
			w.holds("the request", w.sent(12+2*i), counts)
			w.lacks("the request before", w.sent(11+2*i), counts)
		}
	})
	t.Run("7 no success behind a failure", func(t *testing.T) {
		if r := w.result("start"); r["success"] != false || !strings.Contains(fmt.Sprint(r), "EADDRINUSE") || r["previewUrl"] != nil {
			t.Errorf("%v", r)
		}
		w.holds("the mark", st.notes("unbacked")[0].text(), "no result of this dialog says that a server is ready")
		w.holds("the Note", st.notes("recovery")[0].text(), "Do NOT claim those operations succeeded.")
		w.holds("the request", w.sent(9), "Do NOT claim those operations succeeded.", `"tool_choice":{"type":"none"}`)
		if words[9] != providertest.Honestly {
			t.Errorf("the turn's last word is %q", words[9])
		}
	})
	w.legal()
}
