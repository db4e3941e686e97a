package dialog

import "strings"

// ListedFile reports whether a file of that name is a doc or a dialog: it has a valid
// name, and is no copy that another program made.
func ListedFile(name string) bool {
	if !ValidFile(name) {
		return false
	}
	_, copied := CopyOf(name)
	return !copied
}

// CopyOf returns the name of the file of which another program made the copy name: a
// program that syncs folders after two changes of one file, or one that shows them. Of a
// dialog it is any name that begins with a dialog's whole name and goes on, and one that no
// doc can have and that holds it; of a doc it is one with the mark of such programs.
func CopyOf(name string) (of string, ok bool) {
	stem, ok := strings.CutSuffix(name, ".md")
	if _, _, whole := ParseName(name); !ok || whole {
		return "", false
	}
	if of, ok := dialogIn(stem); ok {
		return of, true
	}
	if at := strings.Index(stem, ".sync-conflict-"); at > 0 {
		return stem[:at] + ".md", true
	}
	if at := strings.LastIndex(stem, " ("); at > 0 && strings.Contains(strings.ToLower(stem[at:]), "conflicted copy") {
		return stem[:at] + ".md", true
	}
	return "", false
}

// dialogIn returns the name of the dialog that stands in the name stem before an end which
// is no letter or digit: "Copy of dialog-…-done", "dialog-…-done (1)".
func dialogIn(stem string) (name string, ok bool) {
	from := strings.Index(stem, "dialog-")
	if from < 0 || from > 0 && ValidFile(stem+".md") { // "doc-dialog-….md" is a doc
		return "", false
	}
	stem = stem[from:]
	longest := ""
	for _, st := range [...]Status{Active, Waiting, Done} {
		word := "-" + string(st)
		at := strings.LastIndex(stem, word)
		if at < 0 {
			continue
		}
		whole := stem[:at+len(word)]
		_, _, valid := ParseName(whole + ".md")
		if rest := stem[len(whole):]; valid && len(whole) > len(longest) && (rest == "" || !IsMadeOf(rest[:1], "")) {
			longest = whole
		}
	}
	return longest + ".md", longest != ""
}
