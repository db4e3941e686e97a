package governor

import (
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/dialog/grant"
)

// IntentOf returns the intent of text as the next prompt of d, by its words. An answer to a
// question, praise of a proposal, and a yes to what the model said have the intent of the
// prompt before. If that was only to look, what is agreed to may be more, and the intent is
// not known: "".
func IntentOf(d *dialog.Dialog, text string) string {
	intent, yes := Classify(text), Assents(text)
	if intent != "conversational" && !yes {
		return intent
	}
	asked := false
	for _, s := range d.Backward() {
		switch {
		case s.Role == dialog.Assistant && !asked:
			if asked = yes || strings.Contains(s.Text(), "?") || Proposes(s.Text()); !asked {
				return intent
			}
		case s.Role == dialog.User && asked:
			before := s.Meta.Get("Intent")
			switch {
			case before == "conversational":
			case slices.Contains(grant.Intents, before) && before != "status_check" && before != "diagnose":
				return before
			default: // none, less than what was proposed, or what a hand wrote there
				return ""
			}
		}
	}
	if asked {
		return ""
	}
	return intent
}
