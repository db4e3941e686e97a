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

// fewWords is how many words may have been said of anything.
const fewWords = 4

// SaidBy reports whether words, which a human said, can be about it: they have a word
// of the item's choice in them, or are more than a phrase that stands in any text.
func (it Item) SaidBy(words string) bool {
	said := strings.Fields(strings.ToLower(words))
	for _, a := range said {
		for _, b := range strings.Fields(strings.ToLower(it.Choice)) {
			if a == b && len(a) > 2 || alike(a, b) {
				return true
			}
		}
	}
	return len(said) > fewWords
}

// alike reports whether two words begin alike, as "Postgres" and "PostgreSQL" do.
func alike(a, b string) bool {
	const most = 4 // bytes in common
	return len(a) >= most && len(b) >= most && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
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
