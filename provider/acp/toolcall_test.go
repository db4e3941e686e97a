package acp

import (
	"encoding/json"
	"testing"
)

func TestMerge(t *testing.T) {
	var c ToolCall
	for _, m := range []string{
		`{"toolCallId":"1","title":"Edit a.txt","kind":"edit","status":"pending","rawInput":{"path":"a.txt", "n":1e2}}`,
		`{"toolCallId":"1","status":"in_progress","title":null,"rawInput":null,"content":[{"type":"diff","path":"/a.txt","newText":"x"}]}`,
		`{"toolCallId":"1","content":[],"title":""}`,
	} {
		var later ToolCall
		if err := json.Unmarshal([]byte(m), &later); err != nil {
			t.Fatal(err)
		}
		c.Merge(later)
	}
	if c.Status != InProgress || c.Title == nil || *c.Title != "" || string(c.RawInput) != `{"path":"a.txt", "n":1e2}` || string(c.Content) != "[]" || c.Ended() {
		t.Errorf("%+v", c)
	}
}

func TestChoose(t *testing.T) {
	options := []PermissionOption{{"a", "Always", AllowAlways}, {"o", "Once", AllowOnce}, {"p", "Once more", AllowOnce}}
	for kind, want := range map[string]Outcome{AllowOnce: {"selected", "o"}, RejectOnce: Cancelled} {
		if got := Choose(options, kind); got != want {
			t.Errorf("%s: %+v", kind, got)
		}
	}
}

func TestUpdateOnTheWire(t *testing.T) {
	b, err := marshal(UpdateParams{"s", Chunk(MessageChunk, "a < b\n")})
	const want = `{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a < b\n"}}}`
	if err != nil || string(b) != want {
		t.Errorf("%s, %v", b, err)
	}
	var back UpdateParams
	if err := json.Unmarshal(b, &back); err != nil || back.Update.Block().Text != "a < b\n" {
		t.Errorf("%+v, %v", back, err)
	}
	b, err = marshal(Text(""))
	if err != nil || string(b) != `{"type":"text","text":""}` {
		t.Errorf("an empty text: %s, %v", b, err)
	}
}
