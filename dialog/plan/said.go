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

// SaidBy reports whether words, which a human said, can be about it: they have a word
// of the item's choice in them, or are more than a phrase that stands in any text. An
// item that no human has seen needs both, and more than two words.
func (it Item) SaidBy(words string, seen bool) bool {
	const phrase = 4 // words
	said := strings.Fields(strings.ToLower(words))
	if !seen {
		return len(said) > 2 && it.chooses(said)
	}
	return len(said) > phrase || it.chooses(said)
}

// chooses reports whether one of the words is one of the item's choice.
func (it Item) chooses(words []string) bool {
	for _, a := range words {
		for _, b := range strings.Fields(strings.ToLower(it.Choice)) {
			if a == b && len(a) > 2 || alike(a, b) {
				return true
			}
		}
	}
	return false
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
