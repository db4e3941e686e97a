package project

import (
	"strings"

	"vibey/dialog"
)

// ValidProject tells whether name can be a project's: a letter, digit, _ or -,
// then at most 99 of these and dots, and no "..".
func ValidProject(name string) bool {
	return len(name) >= 1 && len(name) <= 100 && name[0] != '.' && plainName(name)
}

// ValidFile tells whether name can be a document's or dialog's: letters,
// digits, _ - and dots, no "..", no dot in front, ending in ".md".
func ValidFile(name string) bool {
	return len(name) > len(".md") && len(name) <= 200 && name[0] != '.' && strings.HasSuffix(name, ".md") && plainName(name)
}

// plainName leaves no way out of a folder: no separator, no "..", no control byte.
func plainName(name string) bool {
	for _, c := range []byte(name) {
		if !(c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.') {
			return false
		}
	}
	return !strings.Contains(name, "..")
}

// isDialog tells whether a valid file name is a dialog's; all others are docs.
func isDialog(name string) bool {
	_, _, ok := dialog.ParseName(name)
	return ok
}
