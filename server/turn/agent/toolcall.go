package agent

import (
	"encoding/json"
	"slices"
	"strconv"

	"vibey/dialog"
	"vibey/dialog/change"
	"vibey/dialog/jsontext"
	"vibey/provider/acp"
)

// toolName is the name of the call's tool: acp_<kind>.
func (c *toolCall) toolName() string {
	if slices.Contains(acp.Kinds, c.now.Kind) {
		return "acp_" + c.now.Kind
	}
	return "acp_" + acp.KindOther
}

// payload is what a human is shown of the call: what the agent has sent of it up to now,
// its own JSON to the byte.
func (c *toolCall) payload() string {
	name := ""
	if c.now.Title != nil {
		name = *c.now.Title
	}
	b := jsontext.AppendString([]byte(`{"title":`), name)
	b = jsontext.AppendString(append(b, `,"kind":`...), c.now.Kind)
	b = append(append(b, `,"locations":`...), or(c.now.Locations, "[]")...)
	b = append(append(b, `,"rawInput":`...), or(c.now.RawInput, "null")...)
	b = append(append(b, `,"content":`...), or(c.now.Content, "[]")...)
	return string(append(b, '}'))
}

// result is what the agent sent of the call's end. Without content it has the output of the
// agent's tool.
func (c *toolCall) result() string {
	b := strconv.AppendBool([]byte(`{"success":`), c.now.Status == acp.Completed)
	b = jsontext.AppendString(append(b, `,"status":`...), c.now.Status)
	b = append(append(b, `,"content":`...), or(c.now.Content, string(or(c.now.RawOutput, "[]")))...)
	return string(append(b, '}'))
}

// or returns raw, or text if there is none.
func or(raw json.RawMessage, text string) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage(text)
	}
	return raw
}

// shed forgets what the agent sent of a call that has its result in the file, but its id
// and its title: a session can have ten thousand of them.
func (c *toolCall) shed() {
	name := dialog.Clean(title(c.now), 200)
	c.now = acp.ToolCall{ToolCallID: c.now.ToolCallID, Title: &name, Kind: c.now.Kind, Status: c.now.Status}
}

func title(c acp.ToolCall) string {
	if c.Title == nil || *c.Title == "" {
		return "a call without a title"
	}
	return *c.Title
}

// refuse answers a request whose call does not run.
func (a *question) refuse() {
	if a.options != nil {
		a.req.Reply(acp.PermissionResult{Outcome: acp.Cancelled})
		return
	}
	a.req.Fail(acp.Errorf(acp.CodeInvalidParams, "the text of this call was changed while it waited, so it was not run"))
}

// answer answers the request with its call's result. read is what the agent has read.
func (a *question) answer(result *dialog.Section, read map[string]string) {
	if a.options == nil {
		a.answerOurs(result, read)
		return
	}
	outcome := acp.Cancelled
	if result.Meta.Get("Status") == dialog.CallDenied {
		outcome = acp.Choose(a.options, acp.RejectOnce)
	}
	a.req.Reply(acp.PermissionResult{Outcome: outcome})
}

// answerOurs answers a request that a tool of ours has carried out, or refused.
func (a *question) answerOurs(result *dialog.Section, read map[string]string) {
	var r struct {
		Success bool   `json:"success"`
		Error   string `json:"error"`
	}
	for _, f := range change.Named(result.Text()) {
		delete(read, f.Path) // the result names what it has written, or what stands there
	}
	if json.Unmarshal([]byte(result.Text()), &r) == nil && r.Success {
		a.req.Reply(struct{}{})
		return
	}
	a.req.Fail(acp.Errorf(acp.CodeInternal, "%s", r.Error))
}
