package turn

import (
	"context"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/server/hub"
)

// Mail to an agent that waits for a human, or works, is told by its next prompt, once.
func TestMailToAnAgentThatWaits(t *testing.T) {
	const says = "\nprompt\nupdate {\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"I read it.\"}}\n"
	a := newAgentWorld(t, agentEdits+says+says+says)
	id, es := a.ask("edit it")
	if last := es[len(es)-1]; last.Type != hub.ToolEvent {
		t.Fatalf("ends with %+v", last)
	}
	asleep, err := a.run.deliver(context.Background(), a.p(), id, id, dialog.Mail{From: named("kid"), Mark: "m1", Text: "Hello there."}, true)
	if err != nil || !strings.Contains(asleep, "waits for a human") {
		t.Fatal(asleep, err)
	}
	es = a.put(Input{DialogID: id, Control: control("call-1 approve")})
	if last := es[len(es)-1]; last.Type != hub.DoneEvent || last.Needs != dialog.NeedsReply {
		t.Fatalf("ends with %+v", last)
	}
	if strings.Contains(a.came(), "Hello there.") {
		t.Errorf("mail that wakes nobody began a prompt:\n%s", a.came())
	}
	a.put(Input{DialogID: id, Prompt: &Prompt{Text: "and now"}})
	a.put(Input{DialogID: id, Prompt: &Prompt{Text: "and then"}})
	if n := strings.Count(a.came(), "Hello there."); n != 1 {
		t.Errorf("the agent got it %d times in the end", n)
	}
	legal(t, a.view(id).Dialog)
}
