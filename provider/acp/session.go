package acp

import (
	"encoding/json"
	"slices"
)

// Version is the version of the protocol that is spoken here.
const Version = 1

// The methods that an agent answers.
const (
	MethodInitialize = "initialize"
	MethodNew        = "session/new"
	MethodLoad       = "session/load"
	MethodResume     = "session/resume"
	MethodList       = "session/list"
	MethodPrompt     = "session/prompt"
	MethodCancel     = "session/cancel" // a notification
	MethodSetMode    = "session/set_mode"
)

// The methods that a client answers.
const (
	MethodUpdate          = "session/update" // a notification
	MethodPermission      = "session/request_permission"
	MethodReadFile        = "fs/read_text_file"
	MethodWriteFile       = "fs/write_text_file"
	MethodTerminalCreate  = "terminal/create"
	MethodTerminalOutput  = "terminal/output"
	MethodTerminalWait    = "terminal/wait_for_exit"
	MethodTerminalKill    = "terminal/kill"
	MethodTerminalRelease = "terminal/release"
)

// Implementation names a program.
type Implementation struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	Version string `json:"version"`
}

// InitializeParams is what a client says first.
type InitializeParams struct {
	ProtocolVersion    int                `json:"protocolVersion"`
	ClientCapabilities ClientCapabilities `json:"clientCapabilities"`
	ClientInfo         *Implementation    `json:"clientInfo,omitempty"`
}

// ClientCapabilities is what a client does for an agent.
type ClientCapabilities struct {
	FS struct {
		ReadTextFile  bool `json:"readTextFile"`
		WriteTextFile bool `json:"writeTextFile"`
	} `json:"fs"`
	Terminal bool `json:"terminal"`
}

// InitializeResult is what an agent answers.
type InitializeResult struct {
	ProtocolVersion   int               `json:"protocolVersion"`
	AgentCapabilities AgentCapabilities `json:"agentCapabilities"`
	AgentInfo         *Implementation   `json:"agentInfo,omitempty"`
	AuthMethods       []struct{}        `json:"authMethods"` // the ways in which a human signs in to an agent
}

// AgentCapabilities is what an agent can do.
type AgentCapabilities struct {
	LoadSession         bool                `json:"loadSession"`
	PromptCapabilities  PromptCapabilities  `json:"promptCapabilities"`
	SessionCapabilities SessionCapabilities `json:"sessionCapabilities"`
}

// PromptCapabilities is what a prompt may hold beyond text and links.
type PromptCapabilities struct {
	Image           bool `json:"image"`
	Audio           bool `json:"audio"`
	EmbeddedContext bool `json:"embeddedContext"`
}

// SessionCapabilities are methods that an agent has where its entry is not nil.
type SessionCapabilities struct {
	List   *struct{} `json:"list,omitempty"`
	Resume *struct{} `json:"resume,omitempty"`
}

// SessionParams begins a session (session/new, without SessionID) or goes on with one
// (session/load, session/resume).
type SessionParams struct {
	SessionID  string            `json:"sessionId,omitempty"`
	CWD        string            `json:"cwd"` // absolute
	MCPServers []json.RawMessage `json:"mcpServers"`
}

// SessionResult answers SessionParams. SessionID is that of a new session.
type SessionResult struct {
	SessionID string     `json:"sessionId,omitempty"`
	Modes     *ModeState `json:"modes,omitempty"`
}

// ModeState is the modes that a session has.
type ModeState struct {
	Current   string `json:"currentModeId"`
	Available []Mode `json:"availableModes"`
}

// askingModes are the ids of the modes in which known agents ask a human before each
// change, the best one first.
var askingModes = []string{"default", "ask", "manual", "read-only"}

// Asking returns the id of the offered mode in which the agent asks before each change,
// "" where none of them is known to.
func (m *ModeState) Asking() string {
	for _, id := range askingModes {
		if slices.ContainsFunc(m.Available, func(o Mode) bool { return o.ID == id }) {
			return id
		}
	}
	return ""
}

// Mode is one way in which an agent works.
type Mode struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// SetModeParams are those of session/set_mode.
type SetModeParams struct {
	SessionID string `json:"sessionId"`
	ModeID    string `json:"modeId"`
}

// ListParams are those of session/list. Empty fields don't restrict the list.
type ListParams struct {
	CWD    string `json:"cwd,omitempty"`
	Cursor string `json:"cursor,omitempty"`
}

// ListResult answers session/list.
type ListResult struct {
	Sessions   []SessionInfo `json:"sessions"`
	NextCursor string        `json:"nextCursor,omitempty"`
}

// SessionInfo is one session of a list. UpdatedAt is RFC 3339.
type SessionInfo struct {
	SessionID string `json:"sessionId"`
	CWD       string `json:"cwd"`
	Title     string `json:"title,omitempty"`
	UpdatedAt string `json:"updatedAt,omitempty"`
}

// PromptParams are those of session/prompt.
type PromptParams struct {
	SessionID string         `json:"sessionId"`
	Prompt    []ContentBlock `json:"prompt"`
}

// PromptResult ends a prompt.
type PromptResult struct {
	StopReason string          `json:"stopReason"`
	Usage      json.RawMessage `json:"usage,omitempty"` // a Usage, which not every agent tells
}

// Usage is the tokens of a prompt. Input leaves out what was read of a cache or written
// to one. Whether Output holds Thought too is the agent's choice.
type Usage struct {
	Input   int64 `json:"inputTokens"`
	Output  int64 `json:"outputTokens"`
	Read    int64 `json:"cachedReadTokens"`
	Written int64 `json:"cachedWriteTokens"`
	Thought int64 `json:"thoughtTokens"`
	Total   int64 `json:"totalTokens"`
}

// Tokens returns the usage. A number that can't be read is 0.
func (r *PromptResult) Tokens() (u Usage) {
	json.Unmarshal(r.Usage, &u) // reads on behind a field of another type
	return u
}

// Why a prompt ended.
const (
	StopEndTurn   = "end_turn"
	StopMaxTokens = "max_tokens"
	StopMaxRounds = "max_turn_requests"
	StopRefusal   = "refusal"
	StopCancelled = "cancelled"
)

// CancelParams are those of session/cancel.
type CancelParams struct {
	SessionID string `json:"sessionId"`
}
