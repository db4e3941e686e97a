package disk

import "strings"

// Climbs reports whether a path has a .. behind a name: where that name is a link, it leads to
// another folder than its text says.
func Climbs(path string) bool {
	named := false
	for part := range strings.SplitSeq(path, "/") {
		switch part {
		case "", ".":
		case "..":
			if named {
				return true
			}
		default:
			named = true
		}
	}
	return false
}
