package plan

import (
	"strings"

	"vibey/dialog"
)

// Said reports whether a human wrote these words, to the letter, in a prompt of d.
// Words that are only a part of one of a human's words were not said.
func Said(d *dialog.Dialog, words string) bool {
	words = strings.TrimSpace(words)
	if words == "" {
		return false
	}
	for i := range d.Sections {
		s := &d.Sections[i]
		if s.Role == dialog.User && !s.Torn && s.Meta.Get("By") == "human" && hasWords(dialog.UserInput(s), words) {
			return true
		}
	}
	return false
}

func hasWords(text, words string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], words)
		if i < 0 {
			return false
		}
		at := from + i
		if !within(text, at) && !within(text, at+len(words)) {
			return true
		}
		from = at + 1
	}
}

// within reports whether a word of a script with blanks between words goes on at
// that byte of text.
func within(text string, at int) bool {
	return at > 0 && at < len(text) && isWord(text[at-1]) && isWord(text[at])
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
