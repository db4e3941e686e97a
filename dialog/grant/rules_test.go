package grant

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vibey/dialog"
)

func TestParseRules(t *testing.T) {
	doc := "# Main\n\nəəəproject/v1\n# what we need\ntools read server\ntools server plan\nphases on\nverify npm test -- --all\nbudget feature_build 60\nbudget conversational 0\nwindow 200000\nagents 6\nlimit 120\ncommit off\nəəə\n"
	got, problems := ParseRules(doc, Known{Sets: []string{"read", "server", "plan"}})
	want := Rules{
		Tools: []string{"read", "server", "plan"}, Phases: true, Verify: "npm test -- --all",
		Budgets: map[string]int{"feature_build": 60, "conversational": 0}, Window: 200000, Agents: 6, Limit: 120,
		At: RuleLines{
			"tools": {5, 6}, "phases": {7}, "verify": {8}, "budget feature_build": {9}, "budget conversational": {10},
			"window": {11}, "agents": {12}, "limit": {13}, "commit": {14},
		},
	}
	if d := cmp.Diff(want, got); d != "" || len(problems) > 0 {
		t.Errorf("%s %v", d, problems)
	}
}

func TestRulesThatAreNone(t *testing.T) {
	doc := "one\nəəəproject/v1\ntools\ntools hands\ntools browser server\nphases perhaps\nverify\nbudget x 1\nbudget diagnose -1\nwindow\nagents 0\nagents 1 2\ncolour red\ncommit off\nəəə\n"
	r, problems := ParseRules(doc, Known{Sets: []string{"read", "server", "plan"}})
	if len(problems) != 11 || problems[0].Line != 3 || problems[2].Text != `this program has no set of tools "browser"; it has read, server, plan; the rest of the line holds` || problems[10].Line != 13 {
		t.Errorf("%v", problems)
	}
	if r.Commit {
		t.Error("a right line behind wrong ones does not hold")
	}
	for _, doc := range []string{"", "phases on", "əəəinput/markdown\nəəəəproject/v1\nphases on\nəəə\n"} {
		if r, p := ParseRules(doc, Known{Sets: []string{"read", "server", "plan"}}); r.Phases || len(p) > 0 {
			t.Errorf("%q: %+v %v", doc, r, p)
		}
	}
}

// TestRuleLines: the line that is told is the one that counts, in any block of the doc.
func TestRuleLines(t *testing.T) {
	doc := "əəəproject/v1\nphases on\nbudget  diagnose 3\nbudget diagnose -1\nverify\təx\nəəə\n\nəəəproject/v1\r\n\n  phases off\r\ntools read read\nəəə\n"
	r, problems := ParseRules(doc, Known{Sets: []string{"read"}})
	want := RuleLines{"phases": {10}, "budget diagnose": {3}, "verify": {5}, "tools": {11}}
	if d := cmp.Diff(want, r.At); d != "" || len(problems) != 2 || problems[0].Line != 4 || problems[1].Line != 10 || !strings.Contains(problems[1].Text, "was said in line 2 already") {
		t.Errorf("%s %v", d, problems)
	}
}

// A block that begins no block of rules, or has no end, is told: its rules do not hold.
func TestRulesNotRead(t *testing.T) {
	for doc, want := range map[string]string{
		"# P\n\nəəəproject/v1\nbudget small_fix 2\nphases on\n\nText.\n": "3: this block of rules has no end",
		"x\n əəəproject/v1\nphases on\nəəə\n":                            "2: this begins no block of rules",
		"```project/v1\nphases on\n```\n":                                "1: this begins no block of rules; write əəəproject/v1 at the beginning of a line",
		"x\n~~~ control/v1\nallow write_file\n~~~\n":                     "2: this begins no control block",
		"əəəproject/v2\nphases on\nəəə\n":                                "1: this begins no block of rules",
		"ƏƏƏPROJECT/V1\nphases on\nəəə\n":                                "1: this begins no block of rules",
		"əəəproject\nphases on\nəəə\n":                                   "1: this begins no block of rules; write əəəproject/v1",
		"x\r\nəəəproject v1\r\nphases on\r\nəəə\r\n":                     "2: this begins no block of rules",
		"x\n\uFEFFəəəproject/v1\nphases on\nəəə\n":                       "2: this begins no block of rules",
		"\uFEFFəəə project/v1\nphases on\n":                              "1: this block of rules has no end",
		"x\nəəəcontrol/v1\nallow write_file\n":                           "2: this control block has no end",
		"əəəcontrol\nallow write_file\nəəə\n":                            "1: this begins no control block; write əəəcontrol/v1",
	} {
		r, problems := ParseRules(doc, Known{})
		if len(problems) != 1 || r.Phases || !strings.HasPrefix(strconv.Itoa(problems[0].Line)+": "+problems[0].Text, want) {
			t.Errorf("%q: %v", doc, problems)
		}
	}
}

// A byte order mark in front of a doc is no part of its first line.
func TestByteOrderMark(t *testing.T) {
	if r, problems := ParseRules("\uFEFFəəəproject/v1\nphases on\nəəə\n", Known{}); !r.Phases || len(problems) > 0 || r.At["phases"][0] != 2 {
		t.Errorf("%+v %v", r, problems)
	}
	const doc = "\uFEFFəəəcontrol/v1\nallow write_file\nəəə\nText.\n"
	a := Authority{Key: []byte("key"), Project: "p", ProjectID: "id"}
	done := a.Confirm(doc)
	if w, ok := FindWish(done); !ok || !a.Confirmed(w) || w.Text != "allow write_file" || !strings.HasPrefix(done, "\uFEFFəəəcontrol/v1\nallow") || !strings.HasSuffix(done, "\nəəə\nText.\n") {
		t.Errorf("%q", done)
	}
}

// A budget can be told for prompts whose intent is not known, and that is no intent.
func TestBudgetUnclassified(t *testing.T) {
	r, problems := ParseRules("əəəproject/v1\nbudget unclassified 7\nəəə\n", Known{})
	if len(problems) > 0 || r.Budgets[""] != 7 || len(r.Budgets) != 1 || r.At["budget unclassified"][0] != 2 || slices.Contains(Intents, Unclassified) {
		t.Errorf("%+v %v", r, problems)
	}
}

// What does nothing in a wish is told with its line, and so is a wish that does not count.
func TestWishProblems(t *testing.T) {
	doc := "# P\r\n\r\nəəəcontrol/v1\r\n# as agreed\r\nallow write_file\r\nallow write_file edit_file\r\nplease do\r\n\r\n  Allow edit_file\r\ncall_1 approve\r\n# confirmed x\r\nəəə\r\n\r\nəəəproject/v1\r\nphases maybe\r\nəəə\r\nəəəcontrol/v1\r\nwhatever\r\nəəə\r\n"
	_, problems := ParseRules(doc, Known{})
	var got []string
	for _, p := range problems {
		text, _, _ := strings.Cut(p.Text, ";")
		got = append(got, fmt.Sprint(p.Line, " ", p.Rule, " ", text))
	}
	want := []string{
		"6 control this permits and denies nothing", "7 control this permits and denies nothing", "9 control this permits and denies nothing",
		"10 control this is about a single call, which no new dialog has", `15 project phases is on or off, not "maybe"`,
		"17 control only the first control block of a doc counts, so nothing of this one holds",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// A wish may have commands tried, and then say what of them counts unasked.
func TestWishProblemsOfTry(t *testing.T) {
	for text, want := range map[string]string{
		"try run_command\nallow run_command deed/ch1/\ndeny run_command deed/ch2/": "",
		"deny run_command deed/ch2/\ntry run_command":                              "",
		"try write_file":                                                                 "2 this permits and denies nothing",
		"try run_command deed/":                                                          "2 this permits and denies nothing",
		"try run_command\nallow run_command deed":                                        "3 this permits and denies nothing",
		"try run_command\nallow run_command notes/":                                      "3 no command changes anything in that folder",
		"allow run_command deed/\ntry run_command":                                       "2 this does nothing, since no command is tried there",
		"allow run_command\ndeny run_command deed/x/":                                    "3 this does nothing, since no command is tried there",
		"try run_command\nallow run_command deed/\nask run_command\n# confirmed nothing": "3 this does nothing, since no command is tried there",
	} {
		_, problems := ParseRules("əəəcontrol/v1\n"+text+"\nəəə\n", Known{Tools: []string{"run_command", "write_file"}})
		got := ""
		for _, p := range problems {
			got += fmt.Sprint(p.Line, " ", p.Text)
		}
		if !strings.HasPrefix(got, want) || want == "" && got != "" || len(problems) > 1 {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// A doc of a save's size is read in one go, however many blocks it has: with a look at
// each block for each line, and a count of all lines before it, this took minutes.
func TestRulesOfManyBlocks(t *testing.T) {
	for block, want := range map[string]int{
		dialog.Fence + dialog.ControlV1 + "\n" + dialog.Fence + "\n":             120_000 - 1,
		dialog.Fence + projectV1 + "\nx\n" + dialog.Fence + "\nə\n":              120_000,
		dialog.Fence + "text\n" + dialog.Fence + projectV1 + "\n" + dialog.Fence: 0,
	} {
		if _, problems := ParseRules(strings.Repeat(block+"\n", 120_000), Known{}); len(problems) != want || want > 0 && problems[want-1].Line < 200_000 {
			t.Errorf("%q: %d problems", block, len(problems))
		}
	}
}

// Of many lines that do not hold the first are told, and how many more there are.
func TestFirstProblems(t *testing.T) {
	var all []dialog.SyntaxError
	for i := range 22 {
		all = append(all, dialog.SyntaxError{Line: i + 1, Rule: "project", Text: strconv.Itoa(i)})
	}
	for n, want := range map[int]string{0: "", 20: "", 21: "and 1 more line that does not hold", 22: "and 2 more lines that do not hold"} {
		got := dialog.FirstProblems(all[:n:n], 20)
		if last := ""; len(got) > 20 {
			if last = got[20].Text; last != want || got[20].Line != 21 || len(got) != 21 {
				t.Errorf("%d: %v", n, got[20:])
			}
		} else if want != "" || len(got) != n {
			t.Errorf("%d: %v", n, got)
		}
	}
	if all[20].Text != "20" {
		t.Error("the problems were changed")
	}
}

// A line of a wish about a tool that this program does not have is told: it is misspelt.
func TestWishOfNoTool(t *testing.T) {
	doc := dialog.Fence + dialog.ControlV1 + "\nallow run_command\nallow network\ndeny run_comand\nallow mcp_x\nask acp_y\n" + dialog.Fence + "\n"
	_, problems := ParseRules(doc, Known{Tools: []string{"run_command", "write_file"}})
	want := []dialog.SyntaxError{{Line: 4, Rule: "control", Text: `there is no tool "run_comand"; the tools are run_command, write_file, and network`}}
	if d := cmp.Diff(want, problems); d != "" {
		t.Error(d)
	}
}
