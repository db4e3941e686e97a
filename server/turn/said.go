package turn

import "vibey/dialog/plan"

// said reports whether a human wrote these words in a prompt of this dialog.
func (t *turn) said(words string) bool { return plan.Said(t.dialog(), words) }
