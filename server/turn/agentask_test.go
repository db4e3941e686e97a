package turn

import (
	"strings"
	"testing"

	"vibey/server/hub"
)

// asks is the step in which an agent asks about a call and goes on without an answer.
func asks(call string) string {
	return `begin session/request_permission {"toolCall":` + call + `,"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}` + "\n"
}

// says is the step in which an agent says something.
func says(text string) string {
	return `update {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` + text + `"}}` + "\n"
}

// An agent that takes its question back, and does not fall silent then, is not waited for:
// it goes on with its work.
func TestAgentTakesItsQuestionBack(t *testing.T) {
	t.Parallel()
	a := newAgentWorld(t, "prompt\n"+asks(`{"toolCallId":"c1","title":"One","kind":"edit"}`)+
		`update {"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"failed"}`+"\n"+
		"repeat 26 pause 50ms "+says("x")+says("The end."))
	id, es := a.ask("go")
	if last := es[len(es)-1]; last.Type != hub.DoneEvent || !strings.Contains(a.view(id).Text, "The end.") {
		t.Errorf("ends with %+v: %s", last, a.view(id).Text)
	}
}
