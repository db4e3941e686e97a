package governor

import (
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/dialog/grant"
)

// TestRulesWithoutTheirTools: rules come later than a dialog whose tools do not change
// any more. What can't be done there is not demanded.
func TestRulesWithoutTheirTools(t *testing.T) {
	play := func(block, offered, turn string) (Next, Refusal) {
		rules, problems := grant.ParseRules("əəəproject/v1\n"+block+"\nəəə\n", grant.Known{Sets: sets})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		s := &script{t: t, d: dialog.Parse("# Dialog\n> DialogId: 20260216-201100-x\n")}
		for line := range strings.Lines(turn) {
			s.line(strings.TrimSpace(line), nil)
		}
		j := New(rules, func(tool string) dialog.Class {
			if strings.Contains(offered, tool) {
				return classOf(tool)
			}
			return 0
		})
		j.Extend(s.d)
		r, _ := j.Refuses("write_file", false)
		return j.Next(), r
	}
	const wrote = "user small_fix: x\ncalls: write_file {\"path\":\"deed/a\"}\nresult: {\"success\":true,\"path\":\"deed/a\",\"sha256\":\"aa\"}\nsays: I did."
	if n, _ := play("tools server browser", "write_file", wrote); n.Ask || len(n.Notes) > 0 {
		t.Errorf("asked to verify with tools that are not there: %+v", n)
	}
	if n, _ := play("tools server browser", "write_file start_server", wrote); !n.Ask || strings.Contains(n.Notes[0].Text, "browser_console") || !strings.Contains(n.Notes[0].Text, "start_server") {
		t.Errorf("asked to verify otherwise than by start_server: %+v", n)
	}
	if _, r := play("phases on", "write_file", "user small_fix: x"); r.Rule != refusedByPhase || strings.Contains(r.Text, "call checkpoint") {
		t.Errorf("refused so: %+v", r)
	}
	if _, r := play("phases on", "write_file checkpoint", "user small_fix: x"); !strings.Contains(r.Text, "call checkpoint") {
		t.Errorf("refused so: %+v", r)
	}
}
