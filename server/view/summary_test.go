package view

import (
	"strings"
	"testing"
	"unicode/utf8"

	"vibey/dialog"
	"vibey/dialog/effect"
	"vibey/dialog/grant"
	"vibey/server/markdown"
)

func TestCallWords(t *testing.T) {
	for _, c := range [][3]string{
		{"run_command", `{"command":"npm test\n"}`, "wants to run: npm test"},
		{"launch_agent", `{"provider":"claude","prompt":"Read it.\nThen write."}`, "wants to start an agent: Read it. Then write."},
		{"edit_file", `{"path":"deed/a\u202e.html"}`, "wants to change deed/a.html"},
		{"edit_file", `{"path":7}`, "wants to use edit_file"},
		{"edit_file", `[]`, "wants to use edit_file"},
		{"edit_file", ``, "wants to use edit_file"},
		{"mcp_a_b", `{"path":"x"}`, "wants to use mcp_a_b"},
		{"plan_decision_log", `{"kind":"decision","title":"Tone","choice":"warm"}`, "wants to note in the plan: Tone"},
		{"stop_server", `{"server_id":"srv_1"}`, "wants to stop a server"},
		{"acp_edit", `{"title":"Edit\na.html","kind":"edit"}`, "wants to do this: Edit a.html"},
		{"acp_other", `{"title":"","kind":""}`, "wants to use acp_other"},
		{"od\nd", `{}`, "wants to use od d"},
		{"a\u202eb\u200bc", `{}`, "wants to use ab\u200bc"},
	} {
		if got := callWords(c[0], c[1]); got != c[2] {
			t.Errorf("%s %s: %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

func TestQuestion(t *testing.T) {
	long := strings.Repeat("An answer goes on. ", 20)
	for _, c := range [][2]string{
		{"Short. Shall I?", ""}, // it is told whole
		{long + "Shall I go on?", "Shall I go on?"},
		{long + `Did you mean "both (a. or b)?"`, `or b)?"`},
		{long + "続けますか。本当に続けますか？", "本当に続けますか？"},
		{long + "هل أكمل؟", "هل أكمل؟"},
		{long + "Shall I? I wait.", ""},
		{long + "?", "?"},
		{strings.Repeat("word ", 100) + "yes?", strings.TrimRight(strings.Repeat("word ", 100)[:199], " ") + "…"},
	} {
		got := question(c[0])
		if got != c[1] || utf8.RuneCountInString(got) > wordsMax {
			t.Errorf("%q: %q, want %q", c[0], got, c[1])
		}
	}
}

// While an answer is written the list has the sentence at its end.
func TestLastWords(t *testing.T) {
	r := &Reader{w: &World{Plain: markdown.Plain}}
	for _, c := range [][2]string{
		{"The lamp", "The lamp"},
		{"The lamp burns. It *turns* in the ni", "It turns in the ni"},
		{"The lamp burns.", "The lamp burns."},
		{"One.\n\n- two\n- three, and", "two three, and"},
		{"One two.\n\n---\n", "One two."},
		{strings.Repeat("word ", 100) + "last", "…" + strings.TrimSpace(strings.Repeat("word ", 38)) + " last"},
		{strings.Repeat("日", 300), "…" + strings.Repeat("日", 199)},
		{"", ""},
	} {
		if got := r.lastWords(c[0]); got != c[1] || utf8.RuneCountInString(got) > wordsMax {
			t.Errorf("%q: %q, want %q", c[0], got, c[1])
		}
	}
}

// What a list looks at of an answer is enough for its words: a question at its end, and
// the first wordsMax characters.
func TestWordsOfLongAnswers(t *testing.T) {
	r := &Reader{w: &World{Plain: markdown.Plain}}
	long := strings.Repeat("An *answer* goes on. ", 12)
	for _, text := range []string{
		"", "a\n\nb", long, long + "\n\n**bold**", "[a][1]\n\n" + long + "\n\n[1]: /x", strings.Repeat("*a*\n\n", 90) + long,
		"```\n" + long + "\n\n" + long + "\n```\n\n*x*", "- " + long + "\n\n  " + long, strings.Repeat("\n", 300) + long + "\n\n" + long, "日本" + long + "\n\n" + long,
	} {
		want := dialog.Cut(r.plain(text), wordsMax)
		if got := dialog.Cut(r.opening(text), wordsMax); got != want {
			t.Errorf("%q:\n%q, want\n%q", text, got, want)
		}
	}
	for _, end := range []string{"Shall I?", "Shall **I?**", "Shall `I?`\n", "_Shall I?_\n\n---\n", "Shall I?\n\n[1]: http://x\n", "Shall I&quest;", "> Shall I?\n>\n", "- Shall I?\n", "| a |\n| - |\n| Shall I? |\n", "[Shall I?](http://x)", "続けますか？", "<b>Shall I?</b>", "```\nShall I?\n```\n"} {
		if text := long + "\n\n" + end; question(r.plain(text)) != "" && !mayAsk(text) {
			t.Errorf("%q is not looked at", end)
		}
	}
	if mayAsk(long + "\n\nWhy? I know.\n\nIt is done.\n") {
		t.Error("an answer that ends without a question is parsed for one")
	}
}

// A command that was tried does not want to run any more.
func TestWaitingEffect(t *testing.T) {
	file, folder := effect.Change{Path: "deed/a", Type: effect.File}, effect.Change{Path: "deed/b", Type: effect.Folder}
	for want, changes := range map[string][]effect.Change{
		"wants to keep 3 changed files":             {file, file, folder, file},
		"wants to keep 1 changed file":              {file},
		"wants to keep the folders that it changed": {folder},
	} {
		c := grant.Call{Tool: "run_command", Input: `{"command":"cd deed && make"}`, Verdict: grant.Wait, Started: true, Effect: &grant.Tried{Effect: effect.Effect{Changes: changes}}}
		if words := waitingCalls([]grant.Call{c, {Tool: "run_command", Verdict: grant.Wait}}); words != want+", and 1 more" {
			t.Errorf("%q, want %q", words, want)
		}
	}
}
