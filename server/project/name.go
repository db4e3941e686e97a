package project

import "vibey/dialog"

// ValidProject tells whether name can be a project's: a letter, digit, _ or -,
// then at most 99 of these and dots, and no "..".
func ValidProject(name string) bool {
	return len(name) >= 1 && len(name) <= 100 && name[0] != '.' && dialog.SimpleName(name)
}

// isDialog tells whether a valid file name is a dialog's; all others are docs.
func isDialog(name string) bool {
	_, _, ok := dialog.ParseName(name)
	return ok
}
