package sandbox

import (
	"strings"
	"unicode"
)

// IsGit reports whether a file system might take name for ".git": case, the short
// name of FAT, dots and blanks at the end (NTFS), characters that HFS+ ignores.
func IsGit(name string) bool {
	if name == ".git" {
		return true
	}
	name = strings.TrimRight(strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf) {
			return -1
		}
		return r
	}, name), ". ")
	return strings.EqualFold(name, ".git") || strings.EqualFold(name, "git~1")
}
