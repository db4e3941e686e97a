package turn

import "vibey/dialog/plan"

// said reports whether words of this dialog's human make an item theirs (plan.Said).
func (t *turn) said(it plan.Item, words string, seen bool) (ok bool, lacks string) {
	return plan.Said(t.dialog(), it, words, seen)
}
