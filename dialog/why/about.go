package why

import (
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/dialog/change"
	"vibey/dialog/jsontext"
)

// About reports whether a dialog's text may have a step of one of paths. A text without one
// need not be parsed.
func About(text string, paths []string) bool {
	for _, path := range paths {
		b, err := jsontext.Marshal(path)
		if err != nil || strings.Contains(text, string(b)) {
			return true
		}
	}
	return false
}

// Paths returns the paths of all steps of a dialog, and of what its calls left.
func Paths(d *dialog.Dialog) (all []string) {
	for _, s := range d.Forward() {
		if s.Role == dialog.ToolResult {
			for _, f := range change.Left(s) {
				all = append(all, f.Path)
			}
		}
	}
	for _, ch := range change.Of(d).Steps() {
		all = append(all, ch.Path)
	}
	slices.Sort(all)
	return slices.Clip(slices.Compact(all))
}

// Earlier returns the paths that one of paths may have had before, by a dialog's results: those
// that a call removed which made it.
func Earlier(d *dialog.Dialog, paths []string) (more []string) {
	for _, s := range d.Forward() {
		if s.Role != dialog.ToolResult {
			continue
		}
		made, gone := false, []string(nil)
		for _, f := range change.Left(s) {
			if f.Deleted {
				gone = append(gone, f.Path)
			}
			for _, path := range paths {
				made = made || f.Path == path && f.Replaced != nil && *f.Replaced == ""
			}
		}
		if made {
			more = append(more, gone...)
		}
	}
	return more
}
