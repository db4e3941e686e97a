package turn

import (
	"testing"

	"vibey/dialog"
)

// A call that the agent only announces is not taken as one that runs unasked, however
// long it then takes to ask: the half second is of calls that it tells to be in progress,
// each of its own.
func TestAgentAsksLate(t *testing.T) {
	announce := `update {"sessionUpdate":"tool_call","toolCallId":"c2","title":"Write a.txt","kind":"edit","status":"pending"}` + "\n"
	ask := `ask {"toolCallId":"c2"}` + "\n"
	for name, script := range map[string]string{
		"at the beginning":       "pause 300ms " + announce + "pause 700ms " + ask,
		"beside one that worked": `update {"sessionUpdate":"tool_call","toolCallId":"c1","title":"Look","kind":"read","status":"in_progress"}` + "\npause 300ms " + announce + "pause 700ms " + ask,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAgentWorld(t, "prompt\n"+script)
			id, _ := a.ask("write it")
			v := a.view(id)
			if v.Needs != dialog.NeedsApproval || len(v.Pending) != 1 || v.Pending[0].ID != "c2" {
				t.Errorf("needs %s for %+v: %s", v.Needs, v.Pending, sections(v.Dialog))
			}
		})
	}
}
