package acp

import (
	"encoding/json"

	"vibey/dialog/jsontext"
)

// UpdateParams are those of session/update.
type UpdateParams struct {
	SessionID string `json:"sessionId"`
	Update    Update `json:"update"`
}

// The kinds of update that are used here. Others are passed over.
const (
	UserChunk    = "user_message_chunk"
	MessageChunk = "agent_message_chunk"
	ThoughtChunk = "agent_thought_chunk"
	NewToolCall  = "tool_call"
	ToolUpdate   = "tool_call_update"
	PlanUpdate   = "plan"
	ModeUpdate   = "current_mode_update"
	ConfigUpdate = "config_option_update"
	InfoUpdate   = "session_info_update"
)

// Update is one thing that an agent tells of its session. SessionUpdate is its kind,
// and says which fields are set: of the chunks Content, one ContentBlock; of the two
// about a tool call, ToolCall; of a plan, Entries; of a mode, CurrentModeID; of the
// settings, all of them as ConfigOptions; of a session's title, Title.
type Update struct {
	SessionUpdate string `json:"sessionUpdate"`
	ToolCall
	Entries       []PlanEntry    `json:"entries,omitempty"`
	CurrentModeID string         `json:"currentModeId,omitempty"`
	ConfigOptions []ConfigOption `json:"configOptions,omitempty"`
}

// ConfigOption is one setting of a session. Value is a text or a truth value.
type ConfigOption struct {
	ID    string          `json:"id"`
	Value json.RawMessage `json:"currentValue"`
}

// modeOption is the id of the setting that is the mode.
const modeOption = "mode"

// Mode returns the id of the mode that the update tells of, "" where it tells of none.
func (u *Update) Mode() (id string) {
	switch u.SessionUpdate {
	case ModeUpdate:
		return u.CurrentModeID
	case ConfigUpdate:
		for _, o := range u.ConfigOptions {
			if o.ID == modeOption && json.Unmarshal(o.Value, &id) == nil {
				return id
			}
		}
	}
	return ""
}

// PlanEntry is one step of a plan. Status is pending, in_progress or completed.
type PlanEntry struct {
	Content  string `json:"content"`
	Priority string `json:"priority"`
	Status   string `json:"status"`
}

// Chunk returns an update of a piece of text. kind is UserChunk, MessageChunk or
// ThoughtChunk.
func Chunk(kind, text string) Update {
	content, _ := jsontext.Marshal(Text(text)) // a text can be written
	return Update{SessionUpdate: kind, ToolCall: ToolCall{Content: content}}
}

// Block returns the content of a chunk, the zero value where it can't be read.
func (u *Update) Block() (b ContentBlock) {
	if json.Unmarshal(u.Content, &b) != nil {
		return ContentBlock{}
	}
	return b
}
