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
// parser, the writer and the ids read it there (TestNewRole).
type roleSpec struct {
	name  Role
	types []string // of its payloads; text without a fence is read as the first
	// id is how an id that the server gives begins, and what stands before its
	// number. A call's id comes from the provider.
	id       [2]string
	response bool // a provider's response has such sections
}

// nativeTypes stands for native/<api>+json in roleSpec.types.
const nativeTypes = "native/"

var roles = []roleSpec{
	{User, []string{InputMarkdown, InputJSON, PassageText}, [2]string{"msg_", "_u"}, false},
	{Assistant, []string{OutputMarkdown}, [2]string{"msg_", "_a"}, true},
	{ToolRequest, []string{ToolInput}, [2]string{}, true},
	{ToolResult, []string{ToolResultJSON}, [2]string{}, false},
	{Authorization, []string{ControlV1}, [2]string{"auth_", "_"}, false},
	{System, []string{SystemMarkdown, ToolsJSON}, [2]string{"sys_", "_"}, false},
	{Reasoning, []string{ReasoningMarkdown, nativeTypes}, [2]string{"msg_", "_r"}, true},
	{Note, []string{NoteMarkdown, NoteJSON}, [2]string{"note_", "_"}, false},
	{Summary, []string{SummaryMarkdown}, [2]string{"sum_", "_"}, false},
}

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

// PayloadType is the type of a section's first payload, and what hand-written text without
// a fence is read as.
func (r Role) PayloadType() string { return r.spec().types[0] }

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
	typ, ok := OpenFence(line)
	if strings.HasPrefix(typ, nativeTypes) {
		typ = nativeTypes // also one that is damaged
	}
	return ok && !slices.Contains(r.spec().types, typ) &&
		slices.ContainsFunc(roles, func(o roleSpec) bool { return slices.Contains(o.types, typ) })
}
