package acp

import (
	"encoding/json"
	"slices"
	"strings"

	"vibey/dialog/jsontext"
)

// ToolCall is what an agent tells of one of its tool calls: first whole, later only
// what has changed. What it tells of the call's input and output is kept as received.
type ToolCall struct {
	ToolCallID string          `json:"toolCallId,omitempty"`
	Title      *string         `json:"title,omitempty"`
	Kind       string          `json:"kind,omitempty"`
	Status     string          `json:"status,omitempty"`
	Content    json.RawMessage `json:"content,omitempty"`   // a list of ToolContent
	Locations  json.RawMessage `json:"locations,omitempty"` // a list of Location
	RawInput   json.RawMessage `json:"rawInput,omitempty"`
	RawOutput  json.RawMessage `json:"rawOutput,omitempty"`
}

// The states of a tool call.
const (
	Pending    = "pending"
	InProgress = "in_progress"
	Completed  = "completed"
	Failed     = "failed"
)

// Kinds are what a tool call may be of, the strictest last: what allows one allows no later
// one. A kind that is not known counts as other.
var Kinds = []string{"think", "search", "read", "fetch", "switch_mode", KindOther, KindEdit, "move", "delete", KindExecute}

// The kinds that a call is of by what it shows, or by default.
const (
	KindEdit    = "edit"
	KindExecute = "execute"
	KindOther   = "other"
)

// stricter returns the stricter of two kinds, "" for none being the laxest; of equal ones
// the first.
func stricter(a, b string) string {
	rank := func(kind string) int {
		if kind != "" && !slices.Contains(Kinds, kind) {
			kind = KindOther
		}
		return slices.Index(Kinds, kind)
	}
	if rank(b) > rank(a) {
		return b
	}
	return a
}

// Ended reports whether the call is over.
func (c *ToolCall) Ended() bool { return c.Status == Completed || c.Status == Failed }

// Merge takes over what a later message tells. A field that is missing or null there
// stays as it is; a list is replaced whole. The kind only gets stricter: what was allowed of
// one kind is not carried on by a word about another. A call that shows a diff is an edit at
// least, and one whose input is a command an execute, also when they are gone later.
func (c *ToolCall) Merge(later ToolCall) {
	if later.Title != nil {
		c.Title = later.Title
	}
	c.Kind = stricter(stricter(c.Kind, later.Kind), later.shown())
	if later.Status != "" {
		c.Status = later.Status
	}
	for _, f := range [...]struct {
		to   *json.RawMessage
		from json.RawMessage
	}{{&c.Content, later.Content}, {&c.Locations, later.Locations}, {&c.RawInput, later.RawInput}, {&c.RawOutput, later.RawOutput}} {
		if len(f.from) > 0 && string(f.from) != "null" {
			*f.to = f.from
		}
	}
}

// shown returns the kind that the call's content and input show, "" for none. Whatever a
// reader could take for a diff or a command counts.
func (c *ToolCall) shown() string {
	if has(c.RawInput, "command", func(v json.RawMessage) bool { return string(v) != "null" }) {
		return KindExecute
	}
	var content []json.RawMessage
	if json.Unmarshal(c.Content, &content) != nil {
		return ""
	}
	isDiff := func(v json.RawMessage) bool {
		var word string
		return json.Unmarshal(v, &word) == nil && strings.EqualFold(word, "diff")
	}
	if slices.ContainsFunc(content, func(one json.RawMessage) bool { return has(one, "type", isDiff) }) {
		return KindEdit
	}
	return ""
}

// has reports whether an object has a member of that name, in whatever capitals, whose value
// is so.
func has(object json.RawMessage, name string, is func(json.RawMessage) bool) bool {
	members, err := jsontext.Members(object)
	return err == nil && slices.ContainsFunc(members, func(m jsontext.Member) bool { return strings.EqualFold(m.Name, name) && is(m.Value) })
}

// ToolContent is one thing that a tool call shows. Type is content, diff or terminal.
type ToolContent struct {
	Type    string        `json:"type"`
	Content *ContentBlock `json:"content,omitempty"` // of content
	Path    string        `json:"path,omitempty"`    // of a diff
	OldText *string       `json:"oldText,omitempty"` // nil for a new file
	NewText *string       `json:"newText,omitempty"` // of a diff, never nil
}

// Location is a place that a tool call works at.
type Location struct {
	Path string `json:"path"`
}

// PermissionParams ask a human whether a tool call may run.
type PermissionParams struct {
	SessionID string             `json:"sessionId"`
	ToolCall  ToolCall           `json:"toolCall"`
	Options   []PermissionOption `json:"options"`
}

// PermissionOption is one answer that an agent offers.
type PermissionOption struct {
	OptionID string `json:"optionId"`
	Name     string `json:"name"`
	Kind     string `json:"kind"`
}

// The kinds of answer.
const (
	AllowOnce   = "allow_once"
	AllowAlways = "allow_always"
	RejectOnce  = "reject_once"
)

// PermissionResult answers PermissionParams.
type PermissionResult struct {
	Outcome Outcome `json:"outcome"`
}

// Outcome is selected with the option that was chosen, or cancelled.
type Outcome struct {
	Outcome  string `json:"outcome"`
	OptionID string `json:"optionId,omitempty"`
}

// Choose returns the outcome that selects the first option of that kind, or cancelled
// where none is offered. An id that options of two kinds have says nothing, nor does an
// empty one, so it counts as not offered.
func Choose(options []PermissionOption, kind string) Outcome {
	for _, o := range options {
		ambiguous := slices.ContainsFunc(options, func(other PermissionOption) bool { return other.OptionID == o.OptionID && other.Kind != kind })
		if o.Kind == kind && o.OptionID != "" && !ambiguous {
			return Outcome{"selected", o.OptionID}
		}
	}
	return Cancelled
}

// Cancelled is the outcome of a permission that nobody gave or refused.
var Cancelled = Outcome{Outcome: "cancelled"}
