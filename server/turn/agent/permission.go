package agent

import (
	"bytes"
	"encoding/json"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/dialog/jsontext"
	"vibey/provider/acp"
	"vibey/tools"
)

// permission records a request for permission and decides it, if that can be done
// without a human; else the error is record.ErrWaiting.
func (x *exchange) permission(r *acp.Request) error {
	var p acp.PermissionParams
	if err := r.Decode(&p); err != nil {
		return err
	}
	if p.ToolCall.ToolCallID == "" || !x.s.room(p.ToolCall.ToolCallID) {
		return acp.Errorf(acp.CodeInvalidParams, "toolCallId is missing, or there are too many calls")
	}
	c := x.s.call(p.ToolCall.ToolCallID, true)
	c.now.Merge(p.ToolCall)
	x.s.unhold(c)
	id, err := x.request(c)
	if err != nil {
		return err
	}
	x.await(&question{id: id, req: r, options: append([]acp.PermissionOption{}, p.Options...), call: c, targets: x.shownTargets(c.payload())})
	return x.turn.Answer()
}

// shownTargets returns what stands now at the paths of the diffs that a human is shown, by
// path: a write that comes later is for that. A diff whose old text is not the
// file's shows another change than the one that would be made, so it has none: it covers
// no write, which is asked about by itself then.
func (x *exchange) shownTargets(payload string) map[string]grant.Target {
	out := map[string]grant.Target{}
	diffs := (approved{payload}).diffs()
	p := x.turn.Project
	deed, err := p.DeedDir()
	if len(diffs) == 0 || err != nil {
		return out
	}
	look := tools.NewLook(tools.Env{Project: p.Root(), ProjectDir: p.Root().Name(), DeedDir: deed})
	for _, d := range diffs {
		path, ok := textMember(d, "path")
		if !ok || len(out) >= targetsMost {
			continue
		}
		b := jsontext.AppendString([]byte(`{"content":"","path":`), x.relative(path))
		if t, ok := look.Target("write_file", string(append(b, '}'))); ok && isOld(d, t.Word()) {
			out[path] = t
		}
	}
	return out
}

// isOld reports whether a diff's old text is that of the file whose Target.Word is given.
// No file and an empty one look the same.
func isOld(diff json.RawMessage, word string) bool {
	old, there := memberOf(diff, "oldText")
	text, isText := textMember(diff, "oldText")
	switch {
	case isText && text != "":
		return word == dialog.SHA256(text)
	case isText, there && string(old) == "null", !bytes.Contains(bytes.ToLower(diff), []byte("oldtext")):
		return word == grant.NoFile || word == dialog.SHA256("")
	}
	return false
}

// targetsMost is how many diffs of one call are looked at.
const targetsMost = 100
