package hub

import (
	"strconv"
	"strings"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/dialog/history"
)

// The types of Event, as they stand behind "event: " in a stream.
const (
	ChunkEvent   = "chunk"        // Content
	SectionEvent = "section"      // Section
	ToolEvent    = "tool_request" // Calls
	DoneEvent    = "done"         // Status, Needs, Resources
	ErrorEvent   = "error"        // Message, Code, Kind
	NoteEvent    = "note"         // Kind, Text
	BudgetEvent  = "budget"       // Data
	PhaseEvent   = "phase"        // Data
	MistakeEvent = "mistake_recovery"
	CheckEvent   = "checkpoint"
	CommitEvent  = "commit"
	NoCommit     = "commit_failed"
	ResetEvent   = "reset" // forget what was sent before: all of it follows
)

// Event is one thing that happened to a dialog, as a watcher gets it. Which
// fields are set follows from Type.
type Event struct {
	Type     string
	Pos      Pos
	DialogID string
	Filename string

	Section   *dialog.Section
	Content   string
	Calls     []Pending
	Status    dialog.Status
	Needs     dialog.Needs
	Resources dialog.Resources // of done: the dialog's running sums
	Message   string
	Code      int // of error: the HTTP status that a provider gave, 0 for none
	Kind      string
	Text      string
	Data      any // what a watcher gets of an event that has it, but for its type: a struct, or JSON of one object
}

// Ends reports whether a stream ends with this event.
func (e Event) Ends() bool {
	return e.Type == DoneEvent || e.Type == ToolEvent || e.Type == ErrorEvent
}

// Pos is a place in a dialog's stream: how many bytes of whole sections the
// watcher has, and how many bytes of the open response's text.
type Pos struct{ Whole, Open int64 }

// String is the position as the id of an event.
func (p Pos) String() string {
	return strconv.FormatInt(p.Whole, 10) + "+" + strconv.FormatInt(p.Open, 10)
}

// ParsePos reads an event's id. ok is false for what is none of ours.
func ParsePos(s string) (p Pos, ok bool) {
	a, b, ok := strings.Cut(s, "+")
	if !ok {
		return p, false
	}
	var errA, errB error
	p.Whole, errA = strconv.ParseInt(a, 10, 64)
	p.Open, errB = strconv.ParseInt(b, 10, 64)
	return p, errA == nil && errB == nil && p.Whole >= 0 && p.Open >= 0
}

// Pending is one call that a human has to decide, with all that must be shown
// of it.
type Pending struct {
	ID          string          `json:"id"`
	Tool        string          `json:"tool"`
	Input       history.RawJSON `json:"input"`     // the input as JSON, {} where it is not one object
	InputText   string          `json:"inputText"` // the exact bytes that SHA256 is over
	SHA256      string          `json:"sha256"`
	Description string          `json:"description,omitempty"`
	// Target is the file that the call would write; nil for any other call, and
	// where nothing may be told of it. Of one that waits with its Effect it has the conflicts.
	Target *grant.Target `json:"target,omitempty"`
	// Effect is what the call did, which waits; nil for one that has not run.
	Effect *Effect `json:"effect,omitempty"`
	// Server is whose tool it is, where it is one of an MCP server's; nil for any other.
	Server *ServerTool `json:"server,omitempty"`
}

// ServerTool is a tool as its MCP server calls it. ReadOnly: the server says that it
// changes nothing, which nobody has checked.
type ServerTool struct {
	Name     string `json:"name"` // the server's
	Tool     string `json:"tool"`
	ReadOnly bool   `json:"readOnly,omitempty"`
}
