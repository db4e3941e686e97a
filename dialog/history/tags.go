package history

import "vibey/dialog"

// A Note of Kind tools says how calls are written from there on, in "> Calls:". A
// dialog begins with CallsNative, the tool calls of the provider's API. A System section
// has the line too, with CallsTags, where its text ends with how to call by tags; the
// text itself, which holds a project's own words, is no sign of that.
const (
	ToolsNote   = "tools"
	CallsNative = "native"
	CallsTags   = "tags" // in the model's text, since the server takes no tools
)

// tags is what a history says about how calls are written. It follows from the
// notes that are sent, and from nothing else: where one is gone, the server refuses
// tools once more, and another note is written.
type tags struct {
	on    bool
	ended bool // by another model, which has not been sent a note yet
}

// note takes a Note that is sent to the model.
func (t *tags) note(s *dialog.Section) {
	if s.Kind() == ToolsNote {
		*t = tags{on: s.Meta.Get("Calls") == CallsTags}
	}
}

// callsByTags reports whether s, a System section, says how to call by tags.
func callsByTags(s *dialog.Section) bool { return s.Meta.Get("Calls") == CallsTags }

// otherModel ends tags: the next model may have tools.
func (t *tags) otherModel() {
	if t.on {
		*t = tags{ended: true}
	}
}

// Tags reports whether the next request's model calls its tools by tags, and whether
// a note says so that holds no longer. API tags, in which every
// call is a tag, leaves both false.
func (b *Builder) Tags() (on, ended bool) { return b.tags.on, b.tags.ended }
