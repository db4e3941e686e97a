package undo

import (
	"fmt"
	"strconv"
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

// PartText says what an undo of one hunk of the call id did.
func PartText(id string, part change.Part, done change.Undone) string {
	path, of := dialog.Clean(part.Path, 300), "what the call "+id+" did to the lines "+part.Lines()+" of "+dialog.Clean(part.Path, 300)
	switch {
	case part.To < part.From:
		of = "that the call " + id + " took lines out above line " + strconv.Itoa(part.From) + " of " + path
	case part.To == part.From:
		of = "what the call " + id + " did to line " + strconv.Itoa(part.From) + " of " + path
	}
	if len(done.Undone) == 0 {
		return "[UNDO] Nothing was put back of " + of + ": " + dialog.Clean(done.Refused[0].Why, 300) + "."
	}
	is := "It is not there any more."
	if sha := done.Undone[0].SHA256; sha != "" {
		is = "All else in it stays; its sha256 is now " + sha + "."
	}
	return "[UNDO] A human took back " + of + ", counted as the call left it. No call of yours is needed for it. " + is
}
