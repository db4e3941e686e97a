package dialog

import (
	"slices"
	"time"
)

// VoidTail returns what must be appended to a file that was imported, restored or
// copied: RepairTail's text, and a Note that voids every Authorization above it. It
// returns "" where each Authorization has a Mac: outside of its own dialog that is
// not genuine anyway.
func VoidTail(src string, now time.Time) string {
	tail := RepairTail(src, now)
	d := Parse(src + tail)
	if !slices.ContainsFunc(d.Authorizations(), func(i int) bool {
		s := &d.Sections[i]
		return s.Role == Authorization && !s.Meta.Has("Mac")
	}) {
		return ""
	}
	return tail + d.Encode(Section{
		Role: Note, ID: d.NextID(Note, now, 0), Time: Span(now, now),
		Meta:     Fields{{"Kind", "control"}, {"To", "human"}, {"Void", "yes"}},
		Payloads: []Payload{{NoteMarkdown, "This text came from elsewhere. No approval above counts here; what still waits is asked again."}},
	})
}
