package dialog

import (
	"slices"
	"strings"
)

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

// roleSpec is what the format says of one role. A new role is a row of roles: the
// parser, the writer, the ids and the history read it there (TestNewRole).
type roleSpec struct {
	name  Role
	types []string // of its payloads; text without a fence is read as the first
	// id is how an id that the server gives begins, and what stands before its
	// number. A call's id comes from the provider.
	id       [2]string
	sent     sending
	response bool // a provider's response has such sections
}

// nativeTypes stands for native/<api>+json in roleSpec.types.
const nativeTypes = "native/"

var roles = []roleSpec{
	{User, []string{InputMarkdown, InputJSON}, [2]string{"msg_", "_u"}, asPrompt, false},
	{Assistant, []string{OutputMarkdown}, [2]string{"msg_", "_a"}, asAssistant, true},
	{ToolRequest, []string{ToolInput}, [2]string{}, asCall, true},
	{ToolResult, []string{ToolResultJSON}, [2]string{}, asResult, false},
	{Authorization, []string{ControlV1}, [2]string{"auth_", "_"}, notSent, false},
	{System, []string{SystemMarkdown, ToolsJSON}, [2]string{"sys_", "_"}, asSystem, false},
	{Reasoning, []string{ReasoningMarkdown, nativeTypes}, [2]string{"msg_", "_r"}, asReasoning, true},
	{Note, []string{NoteMarkdown, NoteJSON}, [2]string{"note_", "_"}, asAddressed, false},
	{Summary, []string{SummaryMarkdown}, [2]string{"sum_", "_"}, asText, false},
}

// sending is what a provider gets of a section.
type sending uint8

const (
	notSent     sending = iota
	asSystem            // the system text and the tools, of the first whole section
	asPrompt            // user text; its metadata may name another provider and model
	asText              // user text
	asAddressed         // user text, if it is addressed to the model
	asAssistant
	asReasoning
	asCall
	asResult
)

// find returns the place of r in roles, or -1.
func (r Role) find() int {
	for i := range roles {
		if roles[i].name == r {
			return i
		}
	}
	return -1
}

// spec returns the row of r. That of any other word, and of Hole, has no name.
func (r Role) spec() *roleSpec {
	if i := r.find(); i >= 0 {
		return &roles[i]
	}
	return &roleSpec{types: []string{PlainText}}
}

// roleOf returns the role that word names, or "". It is the table's string and
// not a part of the text, so that comparing roles stays in one place of memory.
func roleOf(word string) Role { return Role(word).spec().name }

// payloadType is what hand-written text of a section without a fence is read as.
func (r Role) payloadType() string { return r.spec().types[0] }

// Has reports whether sections of role r have payloads of type typ.
func (r Role) Has(typ string) bool {
	if strings.HasPrefix(typ, nativeTypes) && strings.HasSuffix(typ, "+json") {
		typ = nativeTypes
	}
	return slices.Contains(r.spec().types, typ)
}

// foreign reports whether a line opens a payload of a type that sections of
// another role have, and none of r.
func (r Role) foreign(line string) bool {
	typ, ok := openFence(line)
	if strings.HasPrefix(typ, nativeTypes) {
		typ = nativeTypes // also one that is damaged
	}
	return ok && !slices.Contains(r.spec().types, typ) &&
		slices.ContainsFunc(roles, func(o roleSpec) bool { return slices.Contains(o.types, typ) })
}
