package dialog

import (
	"encoding/json"
	"strings"
)

// The statuses of a call: in a Tool Request always pending, in a Tool Result how it ended.
const (
	CallPending  = "pending"
	CallApproved = "approved" // it ran, whatever came of it
	CallDenied   = "denied"   // a human said no, or a standing deny did
	CallError    = "error"    // it never ran, or its outcome is unknown
)

// StoppedByUser is the error of a call that a human stopped while it ran.
const StoppedByUser = "interrupted: stopped by user"

// PlanTool is the one tool that writes the plan.
const PlanTool = "plan_decision_log"

// WritesFile reports whether a tool's calls have a Target.
func WritesFile(tool string) bool { return tool == "write_file" || tool == "edit_file" }

// AgentTool reports whether a tool is one of an agent's own, which asked over ACP:
// acp_<kind>. Nothing here runs it.
func AgentTool(tool string) bool { return strings.HasPrefix(tool, "acp_") }

// ServerTool reports whether a tool is one of an MCP server's: mcp_<server>_<tool>.
func ServerTool(tool string) bool { return strings.HasPrefix(tool, "mcp_") }

// APIAgent is the API of agents over ACP. A Tool Request with it has Call.Agent.
const APIAgent = "acp"

// Succeeded reports whether a result's JSON has "success": true. A result of our
// tools begins with it, and is read no further.
func Succeeded(result string) bool {
	if strings.HasPrefix(result, `{"success":true,`) || result == `{"success":true}` {
		return true
	}
	if strings.HasPrefix(result, `{"success":false`) {
		return false
	}
	var r struct {
		Success bool `json:"success"`
	}
	return json.Unmarshal([]byte(result), &r) == nil && r.Success
}

// Ran returns those of secs, sections of ours, that keep a call of d from
// running once more: the Notes that it started and of its effect, and its result. d is
// the text that another program wrote over ours, perhaps from before the call began. Left
// out are sections of a call whose request d lacks or has changed, or whose result it
// has, and Notes that d has.
func (d *Dialog) Ran(ours *Dialog, secs []Section) []Section {
	var out []Section
	for _, s := range secs {
		id, has := s.ID, false
		switch {
		case s.Role == Note && s.Kind() == StartedNote:
			id = s.Meta.Get("Parent")
			has = d.index.started[id]
		case s.Role == Note && s.Kind() == EffectNote:
			id = s.Meta.Get("Parent")
			has = d.index.tried[id] != 0
		case s.Role != ToolResult:
			continue
		}
		was, is := ours.Find(ToolRequest, id), d.Find(ToolRequest, id)
		if was < 0 || is < 0 || has || d.has(ToolResult, id) {
			continue
		}
		if a, b := &ours.Sections[was], &d.Sections[is]; a.Text() == b.Text() && a.Tool() == b.Tool() {
			out = append(out, s)
		}
	}
	return out
}

// TriedKey is in the Note that a call started, with the value "yes", where the call is
// tried: what it does counts only once its effect is released.
const TriedKey = "Tried"

// Tried reports whether the call with that id was started to be tried: the first Note that
// it started says so, and the call had no result then. effect is the index of the first Note
// of its effect behind that one, or -1: there is none yet, or it is damaged.
func (d *Dialog) Tried(id string) (effect int, ok bool) {
	at, ok := d.index.tried[id]
	if at <= 0 {
		return -1, ok
	}
	return int(at), ok
}

// indexTried takes in section i, a Note about the call parent, before it is known to have
// started.
func (d *Dialog) indexTried(i int, parent string) {
	ix, s := &d.index, &d.Sections[i]
	whole := !s.Torn && !s.unclosed && !s.lost && !s.bare && s.Loose == ""
	at, tried := ix.tried[parent]
	switch k := d.Find(ToolRequest, parent); {
	case k < 0 || d.Sections[k].answered:
	case s.Kind() == StartedNote && whole && !ix.started[parent] && s.Meta.Get(TriedKey) == "yes":
		if ix.tried == nil {
			ix.tried = make(map[string]int32)
		}
		ix.tried[parent] = 0
	case s.Kind() != EffectNote || !tried || at != 0:
	case whole:
		ix.tried[parent] = int32(i)
	default:
		ix.tried[parent] = -1 // none behind it counts
	}
}
