package acp

import (
	"encoding/json"
	"testing"

	"vibey/dialog/jsontext"
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
	both := []PermissionOption{{"x", "Once", AllowOnce}, {"x", "No", RejectOnce}, {"y", "Once", AllowOnce}, {"y", "Once, again", AllowOnce}}
	if got := Choose([]PermissionOption{{"", "Once", AllowOnce}}, AllowOnce); got != Cancelled {
		t.Errorf("an option without an id: %+v", got)
	}
	for kind, want := range map[string]Outcome{AllowOnce: {"selected", "y"}, RejectOnce: Cancelled} {
		if got := Choose(both, kind); got != want {
			t.Errorf("one id of two kinds, %s: %+v", kind, got)
		}
	}
}

// A kind only gets stricter, and what a call shows counts whatever it is called.
func TestMergeKind(t *testing.T) {
	const diff = `"content":[{"type":"content"},{"type":"diff","path":"/a","newText":"x"}]`
	for _, c := range []struct {
		want     string
		messages []string
	}{
		{"read", []string{`{"kind":"read"}`, `{"kind":"search"}`, `{"kind":""}`, `{}`}},
		{"edit", []string{`{}`, `{"kind":"read"}`, `{"kind":"edit"}`, `{"kind":"read"}`, `{"kind":"other"}`}},
		{"edit", []string{`{"kind":"read",` + diff + `}`}},
		{"edit", []string{`{` + diff + `}`, `{"kind":"read","content":[]}`}},
		{"edit", []string{`{"kind":"think","content":[{"type":"content","Type":"DIFF"}]}`}},
		{"delete", []string{`{"kind":"delete",` + diff + `}`}},
		{"execute", []string{`{"kind":"read","rawInput":{"command":"rm -rf ~"}}`, `{"kind":"read","rawInput":{}}`}},
		{"execute", []string{`{"kind":"edit","rawInput":{"command":["rm"]},` + diff + `}`}},
		{"execute", []string{`{"kind":"search","rawInput":{"Command":"rm","command":null}}`}},
		{"read", []string{`{"kind":"read","rawInput":{"command":null,"path":"command"}}`, `{"rawInput":["command"]}`, `{"rawInput":"command","content":"diff"}`}},
		{"new_kind", []string{`{"kind":"read"}`, `{"kind":"new_kind"}`, `{"kind":"fetch"}`}},
		{"edit", []string{`{"kind":"new_kind"}`, `{"kind":"edit"}`, `{"kind":"new_kind"}`}},
	} {
		var call ToolCall
		for _, m := range c.messages {
			var later ToolCall
			if err := json.Unmarshal([]byte(m), &later); err != nil {
				t.Fatal(err)
			}
			call.Merge(later)
		}
		if call.Kind != c.want {
			t.Errorf("%s: %s, want %s", c.messages, call.Kind, c.want)
		}
	}
}

func TestUpdateOnTheWire(t *testing.T) {
	b, err := jsontext.Marshal(UpdateParams{"s", Chunk(MessageChunk, "a < b\n")})
	const want = `{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a < b\n"}}}`
	if err != nil || string(b) != want {
		t.Errorf("%s, %v", b, err)
	}
	var back UpdateParams
	if err := json.Unmarshal(b, &back); err != nil || back.Update.Block().Text != "a < b\n" {
		t.Errorf("%+v, %v", back, err)
	}
	b, err = jsontext.Marshal(Text(""))
	if err != nil || string(b) != `{"type":"text","text":""}` {
		t.Errorf("an empty text: %s, %v", b, err)
	}
}
