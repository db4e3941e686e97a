package dialog

import "strings"

// Role is the kind of a section, as it stands behind "## ".
type Role string

// The roles of the format. A heading with another word is text, not a section.
const (
	User          Role = "User"
	Assistant     Role = "Assistant"
	ToolRequest   Role = "Tool Request"
	ToolResult    Role = "Tool Result"
	Authorization Role = "Authorization"
	System        Role = "System"
	Reasoning     Role = "Reasoning"
	Note          Role = "Note"
	Summary       Role = "Summary"
)

// roles lists every role; the order has no meaning.
var roles = [...]Role{User, Assistant, ToolRequest, ToolResult, Authorization, System, Reasoning, Note, Summary}

// roleOf returns the role that word names, or "". It is the constant, so that
// comparing roles does not touch the text again.
func roleOf(word string) Role {
	switch Role(word) {
	case User:
		return User
	case Assistant:
		return Assistant
	case ToolRequest:
		return ToolRequest
	case ToolResult:
		return ToolResult
	case Authorization:
		return Authorization
	case System:
		return System
	case Reasoning:
		return Reasoning
	case Note:
		return Note
	case Summary:
		return Summary
	}
	return ""
}

// numRoles is how many roles there are.
const numRoles = 9

// number is a small number for each role, 0 for none.
func (r Role) number() int {
	switch r {
	case User:
		return 1
	case Assistant:
		return 2
	case ToolRequest:
		return 3
	case ToolResult:
		return 4
	case Authorization:
		return 5
	case System:
		return 6
	case Reasoning:
		return 7
	case Note:
		return 8
	case Summary:
		return 9
	}
	return 0
}

// payloadType is what hand-written text of a section without a fence is read as.
func (r Role) payloadType() string {
	switch r {
	case User:
		return InputMarkdown
	case Assistant:
		return OutputMarkdown
	case ToolRequest:
		return ToolInput
	case ToolResult:
		return ToolResultJSON
	case Authorization:
		return ControlV1
	case System:
		return SystemMarkdown
	case Reasoning:
		return ReasoningMarkdown
	case Summary:
		return SummaryMarkdown
	}
	return NoteMarkdown
}

// foreign reports whether a line opens a payload of a type that sections of
// another role have, and none of r.
func (r Role) foreign(line string) bool {
	typ, ok := openFence(line)
	if !ok {
		return false
	}
	owner := Role("")
	switch {
	case typ == InputJSON:
		owner = User
	case typ == ToolsJSON:
		owner = System
	case typ == NoteJSON:
		owner = Note
	case strings.HasPrefix(typ, "native/"):
		owner = Reasoning
	default:
		for _, other := range roles {
			if typ == other.payloadType() {
				owner = other
			}
		}
	}
	return owner != "" && owner != r
}

// idStems say how the ids of each role that the server gives begin and what
// stands before their number.
var idStems = map[Role][2]string{
	User: {"msg_", "_u"}, Assistant: {"msg_", "_a"}, Reasoning: {"msg_", "_r"},
	Authorization: {"auth_", "_"}, Note: {"note_", "_"}, System: {"sys_", "_"}, Summary: {"sum_", "_"},
}
