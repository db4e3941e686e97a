package turn

import (
	"fmt"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
	"vibey/server/hub"
)

// A call that the agent only announces is not taken as one that runs unasked, however
// long it then takes to ask: the half second is of calls that it tells to be in progress,
// each of its own.
func TestAgentAsksLate(t *testing.T) {
	testenv.Slow(t)
	announce := `update {"sessionUpdate":"tool_call","toolCallId":"c2","title":"Write a.txt","kind":"edit","status":"pending"}` + "\n"
	ask := `ask {"toolCallId":"c2"}` + "\n"
	for name, script := range map[string]string{
		"at the beginning":       "pause 300ms " + announce + "pause 700ms " + ask,
		"behind an empty text":   announce + `update {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":""},"_meta":{"usage":{}}}` + "\n" + ask,
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

// Of calls that are announced side by side, and asked about one behind the other, none is
// told as unasked: while a human decides about the first, the second waits for its question.
func TestAgentAsksInParallel(t *testing.T) {
	for _, status := range []string{"pending", "in_progress"} {
		t.Run(status, func(t *testing.T) {
			t.Parallel()
			announce := func(id, status string) string {
				return `update {"sessionUpdate":"tool_call","toolCallId":"` + id + `","title":"` + id + `","kind":"edit","status":"` + status + `"}` + "\n"
			}
			ends := func(id string) string {
				return `allowed update {"sessionUpdate":"tool_call_update","toolCallId":"` + id + `","status":"completed"}` + "\n"
			}
			a := newAgentWorld(t, "prompt\n"+announce("c1", status)+announce("c2", status)+`ask {"toolCallId":"c1"}`+"\n"+ends("c1")+`ask {"toolCallId":"c2"}`+"\n"+ends("c2"))
			id, _ := a.ask("write both")
			for _, call := range []string{"c1", "c2"} {
				v := a.view(id)
				if len(v.Pending) != 1 || v.Pending[0].ID != call {
					t.Fatalf("%+v waits: %s", v.Pending, sections(v.Dialog))
				}
				a.put(Input{DialogID: id, Control: control(call + " approve")})
			}
			if v := a.view(id); strings.Contains(v.Text, "> Asked: no") || strings.Contains(v.Text, "unasked") || v.Dialog.Count(dialog.ToolRequest) != 2 {
				t.Errorf("%s\n%s", sections(v.Dialog), results(v.Dialog))
			}
		})
	}
}

// Of a call that is over no more is kept in mind than its name: what it read and brought
// stands in the file.
func TestAgentForgetsFinishedCalls(t *testing.T) {
	testenv.Slow(t)
	big := strings.Repeat("x", 100<<10)
	var script strings.Builder
	script.WriteString("prompt\n")
	for i := range 10 {
		fmt.Fprintf(&script, `update {"sessionUpdate":"tool_call","toolCallId":"c%d","title":"Read","kind":"read","status":"pending","rawInput":{"x":"%s"},"locations":[{"path":"%[2]s"}]}`+"\n", i, big)
		end := `,"status":"completed"`
		if i%5 == 0 {
			end = `,"status":"in_progress"` // and no word of its end
		}
		fmt.Fprintf(&script, `update {"sessionUpdate":"tool_call_update","toolCallId":"c%d"%s,"content":[{"type":"content","content":{"type":"text","text":"%s"}}],"rawOutput":"%[3]s"}`+"\n", i, end, big)
	}
	script.WriteString(says("Done."))
	a := newAgentWorld(t, script.String())
	id, es := a.ask("go")
	if last := es[len(es)-1]; last.Type != hub.DoneEvent {
		t.Fatalf("ends with %+v", last)
	}
	all := a.run.agents.Running()
	if len(all) != 1 || all[0].Key.Dialog != id || all[0].Calls != 10 {
		t.Fatalf("%+v", all)
	}
	if n := all[0].Bytes; n > 0 {
		t.Errorf("%d bytes of calls that are over", n)
	}
}
