package agent

import (
	"testing"

	"vibey/provider/acp"
)

func TestPlanText(t *testing.T) {
	plan := []acp.PlanEntry{{Content: "Read\nthe page", Status: "completed"}, {Content: "Draw", Status: "in_progress"}, {Content: "Check", Status: "pending"}, {Content: "More", Status: "?"}}
	const want = "- [x] Read the page\n- [ ] Draw (under way)\n- [ ] Check\n- [ ] More"
	if got := planText(plan); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := planText(nil); got != "" {
		t.Errorf("%q of no plan", got)
	}
}
