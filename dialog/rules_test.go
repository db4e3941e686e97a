package dialog

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseRules(t *testing.T) {
	doc := "# Main\n\nəəəproject/v1\n# what we need\ntools read server\ntools server plan\nphases on\nverify npm test -- --all\nbudget feature_build 60\nbudget conversational 0\nwindow 200000\nagents 6\nlimit 120\ncommit off\nəəə\n"
	got, problems := ParseRules(doc, []string{"read", "server", "plan"})
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
	r, problems := ParseRules(doc, []string{"read", "server", "plan"})
	if len(problems) != 11 || problems[0].Line != 3 || problems[2].Text != `this program has no set of tools "browser"; it has read, server, plan` || problems[10].Line != 13 {
		t.Errorf("%v", problems)
	}
	if r.Commit {
		t.Error("a right line behind wrong ones does not hold")
	}
	for _, doc := range []string{"", "phases on", "əəəinput/markdown\nəəəəproject/v1\nphases on\nəəə\n"} {
		if r, p := ParseRules(doc, []string{"read", "server", "plan"}); r.Phases || len(p) > 0 {
			t.Errorf("%q: %+v %v", doc, r, p)
		}
	}
}

// TestRuleLines: the line that is told is the one that counts, in any block of the doc.
func TestRuleLines(t *testing.T) {
	doc := "əəəproject/v1\nphases on\nbudget  diagnose 3\nbudget diagnose -1\nverify\təx\nəəə\n\nəəəproject/v1\r\n\n  phases off\r\ntools read read\nəəə\n"
	r, problems := ParseRules(doc, []string{"read"})
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
		"əəəproject/v2\nphases on\nəəə\n":                                "1: this begins no block of rules",
		"ƏƏƏPROJECT/V1\nphases on\nəəə\n":                                "1: this begins no block of rules",
		"\uFEFFəəəproject/v1\nphases on\nəəə\n":                          "1: this begins no block of rules",
	} {
		r, problems := ParseRules(doc, nil)
		if len(problems) != 1 || r.Phases || !strings.HasPrefix(strconv.Itoa(problems[0].Line)+": "+problems[0].Text, want) {
			t.Errorf("%q: %v", doc, problems)
		}
	}
}
