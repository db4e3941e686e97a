package undo

import (
	"fmt"
	"strings"

	"vibey/dialog"
	"vibey/dialog/change"
)

// Text says to the human and the model what an undo of id did.
func Text(d *dialog.Dialog, id string, done change.Undone) string {
	what := "what the call " + id + " did"
	switch {
	case d.Find(dialog.Note, id) >= 0 && d.Find(dialog.ToolRequest, id) < 0:
		what = "the undo " + id
	case d.Find(dialog.User, id) >= 0:
		what = "what the calls behind the message " + id + " did"
	}
	var b strings.Builder
	if len(done.Undone) == 0 {
		b.WriteString("[UNDO] Nothing was put back of " + what + ".\n")
	} else {
		b.WriteString("[UNDO] A human took back " + what + ". No call of yours is needed for it.\n")
	}
	for _, f := range done.Undone {
		if f.SHA256 == "" {
			fmt.Fprintf(&b, "\n- %s is not there any more.", dialog.Clean(f.Path, 300))
			continue
		}
		fmt.Fprintf(&b, "\n- %s is again as it was before (sha256 %s).", dialog.Clean(f.Path, 300), f.SHA256)
	}
	for _, f := range done.Refused {
		fmt.Fprintf(&b, "\n- %s could not be put back, or not all the way: %s.", dialog.Clean(f.Path, 300), dialog.Clean(f.Why, 300))
	}
	return b.String()
}
