package acp

import "encoding/json"

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

// Kinds are what a tool call may be of.
var Kinds = []string{"read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"}

// Ended reports whether the call is over.
func (c *ToolCall) Ended() bool { return c.Status == Completed || c.Status == Failed }

// Merge takes over what a later message tells. A field that is missing or null there
// stays as it is; a list is replaced whole.
func (c *ToolCall) Merge(later ToolCall) {
	if later.Title != nil {
		c.Title = later.Title
	}
	if later.Kind != "" {
		c.Kind = later.Kind
	}
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

// ToolContent is one thing that a tool call shows. Type is content, diff or terminal.
type ToolContent struct {
	Type       string        `json:"type"`
	Content    *ContentBlock `json:"content,omitempty"`    // of content
	Path       string        `json:"path,omitempty"`       // of a diff
	OldText    *string       `json:"oldText,omitempty"`    // nil for a new file
	NewText    *string       `json:"newText,omitempty"`    // of a diff, never nil
	TerminalID string        `json:"terminalId,omitempty"` // of a terminal
}

// Location is a place that a tool call works at.
type Location struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"`
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
	AllowOnce    = "allow_once"
	AllowAlways  = "allow_always"
	RejectOnce   = "reject_once"
	RejectAlways = "reject_always"
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
// where none is offered.
func Choose(options []PermissionOption, kind string) Outcome {
	for _, o := range options {
		if o.Kind == kind {
			return Outcome{"selected", o.OptionID}
		}
	}
	return Cancelled
}

// Cancelled is the outcome of a permission that nobody gave or refused.
var Cancelled = Outcome{Outcome: "cancelled"}
