package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vibey/provider/providertest"

	"vibey/cmd/tally/testenv"
)

// TestSeed000Fix4Loop: a loop is known by what its calls do and what comes of them, not
// by their letters; different files, and red tests that say something new, are none.
func TestSeed000Fix4Loop(t *testing.T) {
	testenv.Slow(t)
	t.Run("pkill npm curl", func(t *testing.T) {
		t.Parallel()
		var replies []providertest.Reply
		for n := 1; n <= 4; n++ { // other words each time
			replies = append(replies,
				does("I stop it.", command(fmt.Sprint("kill", n), fmt.Sprintf("cd deed && pkill -%d no-such-next", n))),
				does("I start it.", command(fmt.Sprint("npm", n), fmt.Sprintf("PORT=300%d npm run dev", n))),
				does("I ask it.", command(fmt.Sprint("curl", n), fmt.Sprintf("curl -sS http://127.0.0.1:3/ # %d", n))))
		}
		w := begin(t, "claude", "# Shop\n", providertest.Script{Replies: append(replies, providertest.Reply{Text: "Never said."})})
		frames := w.says("restart the preview until it works")
		n := w.note("loop")
		w.holds("the Note", n.text(), "Repeated run_command:pkill 3× in last 10 calls")
		if n.Meta["Stop"] != "loop" || n.Meta["To"] != "human" {
			t.Errorf("%v", n.Meta)
		}
		w.holds("the last request", w.lastSent(), "LOOP DETECTED: Repeated run_command:pkill 3× in last 10 calls. Stop trying that approach.", "none")
		if calls := strings.Count(w.now().roles(), "Tool Result"); calls != 7 {
			t.Errorf("%d calls: it was not stopped at the third of a kind", calls)
		}
		if end := frames[len(frames)-1]; end.data.Needs != "continue" {
			t.Errorf("it needs %s", end.data.Needs)
		}
		w.legal()
	})
	t.Run("five files", func(t *testing.T) {
		t.Parallel()
		var calls []providertest.Call
		for n := range 5 {
			calls = append(calls, saves(fmt.Sprint("f", n), fmt.Sprint(n, ".txt"), "the same"))
		}
		w := begin(t, "openai", "# Shop\n", providertest.Script{Replies: []providertest.Reply{does("Five files.", calls...), does("And once more.", saves("more", "0.txt", "again")), {Text: "Six writes are done, see deed/0.txt."}}})
		frames := w.says("write them")
		if st := w.now(); len(st.notes("loop"))+len(st.notes("recovery")) > 0 || frames[len(frames)-1].data.Needs != "reply" {
			t.Errorf("it was taken as a loop: %s", st.roles())
		}
		w.legal()
	})
	t.Run("red tests", func(t *testing.T) {
		t.Parallel()
		var replies []providertest.Reply
		for _, what := range []string{"parse", "write", "close", "read", "open"} {
			replies = append(replies, does("I run them.", command("run-"+what, "echo "+what+" fails; false")))
		}
		w := begin(t, "local", "# Shop\n", providertest.Script{Replies: append(replies, does("One more.", command("green", "echo all pass")), providertest.Reply{Text: "All pass."})})
		w.says("mend the tests")
		if st := w.now(); len(st.notes("loop")) > 0 {
			t.Errorf("it was taken as a loop: %s", st.roles())
		}
		w.legal()
	})
}

// TestSeed000Fix5Silence: a model that works without a word is told to say one, after two
// rounds or five calls, by a Note that stays where it was sent.
func TestSeed000Fix5Silence(t *testing.T) {
	testenv.Slow(t)
	for name, c := range map[string]struct {
		replies []providertest.Reply
		at      int // the request with the Note
		counts  string
	}{
		"six calls": {[]providertest.Reply{does("", saves("a", "a", "1"), saves("b", "b", "1"), saves("c", "c", "1"), saves("d", "d", "1"), saves("e", "e", "1"), saves("f", "f", "1"))}, 1, "6 tool call(s) over 1 round(s)"},
		"rounds":    {[]providertest.Reply{does("", saves("a", "a", "1")), does("", saves("b", "b", "1")), does("", saves("c", "c", "1"))}, 2, "2 tool call(s) over 2 round(s)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := begin(t, "claude", "# Shop\n", providertest.Script{Replies: append(c.replies, providertest.Reply{Text: "I wrote deed/a."}, providertest.Reply{Text: "Yes."})})
			w.says("write them")
			const nudge = "[STATUS NUDGE] You have run "
			w.lacks("the request before", w.sent(c.at-1), nudge)
			w.holds("the request", w.sent(c.at), nudge+c.counts)
			w.put(body{"prompt": "done?"}, "done")
			if n := strings.Count(w.lastSent(), nudge); n != 1 {
				t.Errorf("in the next turn the Note stands %d times", n)
			}
			w.note("nudge")
			w.legal()
		})
	}
}

// TestSeed000Fix6Recovery: a turn that ends on a failure has one round more, without
// tools, however cheerful its last words were; and none where all went well.
func TestSeed000Fix6Recovery(t *testing.T) {
	testenv.Slow(t)
	t.Run("after a failure", func(t *testing.T) {
		t.Parallel()
		w := begin(t, "claude", rules("tools server"), providertest.Script{Replies: []providertest.Reply{
			does("I start it.", tool("start", "start_server", `{"command":"echo Error: listen EADDRINUSE >&2; exit 1","port":3000}`)), {Text: "Great news, all is well!"},
		}})
		w.says("start the preview")
		n := w.note("recovery")
		w.holds("the Note", n.text(), "[RECOVERY] Your last tool calls returned failures or non-2xx health checks. Do NOT claim those operations succeeded.")
		w.holds("the last request", w.lastSent(), "EADDRINUSE", "Great news", "Do NOT claim those operations succeeded", `"tool_choice":{"type":"none"}`)
		if st := w.now(); !strings.HasSuffix(st.roles(), "Assistant, Note/recovery, Assistant") || lastAssistant(st).text() != providertest.Honestly {
			t.Errorf("the turn is %s", st.roles())
		}
		w.legal()
	})
	t.Run("after a success", func(t *testing.T) {
		t.Parallel()
		w := begin(t, "claude", "# Shop\n", providertest.Script{Replies: []providertest.Reply{does("", command("one", "true")), {Text: "All is well."}}})
		w.says("try it")
		if st := w.now(); len(st.notes("recovery")) > 0 {
			t.Error(st.roles())
		}
	})
	t.Run("without a word", func(t *testing.T) {
		t.Parallel()
		w := begin(t, "openai", "# Shop\n", providertest.Script{Replies: []providertest.Reply{does("", command("one", "true")), {Reasoning: "Nothing to say."}}})
		w.says("try it")
		w.holds("the Note", w.note("recovery").text(), "[RECOVERY] Your last answer had no words.")
		w.holds("the last request", w.lastSent(), `"tool_choice":"none"`)
	})
}

// steps are n rounds with words, each of which writes another file.
func steps(n int) (replies []providertest.Reply) {
	for i := 1; i <= n; i++ {
		replies = append(replies, does(fmt.Sprintf("Step %d.", i), saves(fmt.Sprint("s", i), fmt.Sprintf("s%d.txt", i), "x")))
	}
	return replies
}

// TestSeed000Fix7Cap: a small task has fifteen rounds, is warned once, with three left,
// and is stopped behind the last; a usual one ends far before that.
func TestSeed000Fix7Cap(t *testing.T) {
	testenv.Slow(t)
	t.Run("too long", func(t *testing.T) {
		t.Parallel()
		w := begin(t, "claude", "# Shop\n", providertest.Script{Replies: steps(20)})
		frames := w.put(body{"prompt": "go", "intent": "small_fix", "control": allAllowed()}, "done")
		const warning = "[WARNING] 3 of the 15 rounds that this message may take are left."
		w.lacks("the 12th request", w.sent(11), "[WARNING]")
		w.holds("the 13th request", w.sent(12), warning)
		if n := strings.Count(w.lastSent(), "[WARNING]"); n != 1 {
			t.Errorf("it was warned %d times", n)
		}
		w.holds("the last request", w.lastSent(), "[RECOVERY] You hit the round cap of this message.")
		if n := len(w.mock.Bodies()); n != 17 { // fifteen rounds, the one that is refused, recovery
			t.Errorf("%d requests", n)
		}
		if !w.there("p", "deed", "s15.txt") || w.there("p", "deed", "s16.txt") {
			t.Error("not fifteen rounds ran")
		}
		if r := w.result("s16"); r["success"] != false {
			t.Errorf("%v", r)
		}
		if end := frames[len(frames)-1]; end.data.Needs != "continue" {
			t.Errorf("it needs %s", end.data.Needs)
		}
		budgets := events(frames, "budget")
		if len(budgets) != 15 || budgets[14] != `{"type":"budget","used":15,"limit":15}` {
			t.Errorf("the events are %v", budgets)
		}
		w.legal()
	})
	t.Run("usual", func(t *testing.T) {
		t.Parallel()
		w := begin(t, "openai", rules("tools server"), providertest.Script{Replies: []providertest.Reply{
			does("I scaffold.", command("mkdir", "mkdir -p deed/src/app && echo made"), saves("pkg", "package.json", "{}"), saves("page", "src/app/page.tsx", "x"), saves("layout", "src/app/layout.tsx", "x")),
			does("I install.", command("install", "echo installed")), does("I configure.", saves("conf", "next.config.ts", "x")),
			does("I start it.", server(t, "start", 200)), {Text: "The preview is up (health 200)."},
		}})
		frames := w.says("build me a Next.js app and start the dev server")
		if st := w.now(); frames[len(frames)-1].data.Needs != "reply" || len(st.notes("warning"))+len(st.notes("recovery"))+len(st.notes("unbacked"))+len(st.notes("gate")) > 0 {
			t.Errorf("it was held up: %s", st.roles())
		}
		w.legal()
	})
}

// TestSeed000Fix8Claims: the rules on evidence stand in what the model is told; a last
// word that names a file as changed, or a server as ready, and has no result that says
// so, is marked; one that has is not.
func TestSeed000Fix8Claims(t *testing.T) {
	testenv.Slow(t)
	t.Run("hard rules", func(t *testing.T) {
		t.Parallel()
		w := begin(t, "claude", "# Shop\n", providertest.Script{Replies: []providertest.Reply{{Text: "Yes."}}})
		w.put(body{"prompt": "are you there?"}, "done")
		w.holds("the system text", w.system(), "# Hard rules", "Cite the tool result, don't claim from memory.", "Trust the `success` field.", "name its bytes or the first 6 characters of its `sha256`", "`healthCheck.status` 200")
	})
	t.Run("cited", func(t *testing.T) {
		t.Parallel()
		w := begin(t, "claude", rules("tools server"), providertest.Script{Replies: []providertest.Reply{
			does("", saves("w", "page.tsx", "x"), server(t, "start", 200)), {Text: "Updated `page.tsx` (1 byte, sha=" + sha("x")[:6] + "…). The preview is ready (health 200)."},
		}})
		w.says("change the page")
		if st := w.now(); len(st.notes("unbacked")) > 0 {
			t.Errorf("%s", st.notes("unbacked")[0].text())
		}
	})
	t.Run("file", func(t *testing.T) {
		t.Parallel()
		w := begin(t, "openai", "# Shop\n", providertest.Script{Replies: []providertest.Reply{{Text: "I just rewrote page.tsx with the new colors."}}})
		frames := w.says("change the page")
		n := w.note("unbacked")
		w.holds("the Note", n.text(), "no result of this dialog says that page.tsx was changed")
		told := slices.ContainsFunc(frames, func(f frame) bool { return f.data.Section.ID == n.ID })
		if !told || n.Meta["To"] != "human" {
			t.Errorf("told in a frame: %t, %v", told, n.Meta)
		}
	})
	t.Run("server with 502", func(t *testing.T) {
		t.Parallel()
		w := begin(t, "local", rules("tools server"), providertest.Script{Replies: []providertest.Reply{
			does("I start it.", server(t, "start", 502)), {Text: "The preview is ready."},
		}})
		w.says("start the preview")
		w.holds("the last request", w.lastSent(), `\"status\":502`, "[RECOVERY]", "non-2xx health checks")
		st := w.now()
		w.holds("the Note", w.note("unbacked").text(), "no result of this dialog says that a server is ready")
		if lastAssistant(st).text() == "The preview is ready." {
			t.Error("that is the last word")
		}
		w.legal()
	})
}

// TestSeed000Fix9Plan: what a turn brought for the plan is tentative until a human says
// otherwise, by the doc or by words that the model cites.
func TestSeed000Fix9Plan(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	const found = `{"decisions":[{"title":"Design system","choice":"Wall Street","why":"it looks serious"}],"tasks":[],"ideas":[]}`
	nothing := providertest.Case{When: "no Wall Street", Replies: []providertest.Reply{{Text: `{"decisions":[],"tasks":[],"ideas":[]}`}}}
	w := begin(t, "claude", rules("tools plan"), providertest.Script{
		Cases: []providertest.Case{
			{When: "## Turn 1", Replies: []providertest.Reply{{Text: found}}}, nothing,
			{When: "## Turn", Replies: []providertest.Reply{{Text: `{"decisions":[],"tasks":[],"ideas":[]}`}}},
		},
		Replies: []providertest.Reply{
			does("I look.", command("look", "ls deed")), {Text: "I logged this as our design system: Wall Street."},
			{Text: "Understood."}, {Text: "It stands."},
			does("I log it.", tool("log", "plan_decision_log", `{"kind":"decision","title":"Database","choice":"SQLite","why":"one file","words":"we take SQLite for the orders"}`),
				tool("guess", "plan_decision_log", `{"kind":"decision","title":"Hosting","choice":"a box","why":"cheap","words":"host it on a box"}`)), {Text: "Both are in the plan."}, {Text: "Yes."},
		},
	})
	w.says("pick a design")
	const line = "- **Design system**: Wall Street (why: it looks serious) {confidence=auto source=extracted from="
	w.holds("the plan", w.read("p", "doc-plan.md"), line+w.id+"}")
	const confirmed, item = "Confirmed by the human (do not re-litigate):", "- decision: Design system: Wall Street (why: it looks serious)"
	t.Run("tentative", func(t *testing.T) {
		w.put(body{"prompt": "what do you think of it?"}, "done")
		before, after, ok := strings.Cut(w.lastSent(), "tentative")
		if !ok || strings.Contains(before, item) || !strings.Contains(after, item) || strings.Contains(after, confirmed) {
			t.Errorf("the model was told\n%s", w.lastSent())
		}
	})
	t.Run("confirmed", func(t *testing.T) {
		plan := w.get("/project/p/file/doc-plan.md").is(200).object()["content"].(string)
		w.ask("POST", "/project/p/file/doc-plan.md", body{"content": strings.Replace(plan, "{confidence=auto", "{confidence=user", 1)}).is(200)
		w.put(body{"prompt": "and now?"}, "done")
		last := w.lastSent()[strings.LastIndex(w.lastSent(), "[PLAN CHANGED]"):]
		w.holds("the last request", last, confirmed+`\n`+item)
	})
	t.Run("by words", func(t *testing.T) {
		w.says("we take SQLite for the orders")
		if r := w.result("log"); r["confidence"] != "user" {
			t.Errorf("%v", r)
		}
		if r := w.result("guess"); r["confidence"] != "auto" {
			t.Errorf("words that no human said: %v", r)
		}
		w.holds("the plan", w.read("p", "doc-plan.md"), "- **Database**: SQLite (why: one file) {confidence=user source=explicit from=", "- **Hosting**: a box (why: cheap) {confidence=auto source=explicit from=")
	})
	w.legal()
}
