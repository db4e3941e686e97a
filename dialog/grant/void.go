package grant

import (
	"slices"
	"time"

	"vibey/dialog"
)

// VoidTail returns what must be appended to a file that was imported, restored or
// copied: RepairTail's text, and a Note that voids every Authorization above it. It
// returns "" where each Authorization has a Mac: outside of its own dialog that is
// not genuine anyway.
func VoidTail(src string, now time.Time) string {
	tail := dialog.RepairTail(src, now)
	d := dialog.Parse(src + tail)
	if !slices.ContainsFunc(d.Authorizations(), func(i int) bool {
		s := &d.Sections[i]
		return s.Role == dialog.Authorization && !s.Meta.Has("Mac")
	}) {
		return ""
	}
	return tail + d.Encode(dialog.Section{
		Role: dialog.Note, ID: d.NextID(dialog.Note, now, 0), Time: dialog.Span(now, now),
		Meta:     dialog.Fields{{Key: "Kind", Value: "control"}, {Key: "To", Value: "human"}, {Key: "Void", Value: "yes"}},
		Payloads: []dialog.Payload{{Type: dialog.NoteMarkdown, Text: "This text came from elsewhere. No approval above counts here; what still waits is asked again."}},
	})
}
