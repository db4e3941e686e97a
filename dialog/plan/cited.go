package plan

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"vibey/dialog"
)

// What Cited says is missing if words do not make an item a human's.
const (
	notThere = "its words stand in no message of a human in this dialog, letter for letter"
	tooFew   = "its words are too few or too general to be about it: send more of the human's words, with those that name the choice"
)

// shortest is how many bytes a word needs to name an item: "the" stands in any dialog.
const shortest = 4

// Cited reports whether words, as a model cites them, stand letter for letter in a prompt
// of d that a human wrote, and are about the item: a "yes, please" stands in any dialog.
// Punctuation and blanks around them do not count, nor does a place within a longer word.
// lacks says what is missing, "" with ok.
//
// Cited does not judge what the prompt says about the words: the human sees the item in
// the plan.
func Cited(d *dialog.Dialog, it Item, words string) (ok bool, lacks string) {
	quote := bare(words)
	if quote == "" {
		return false, notThere
	}
	for _, s := range d.Forward() {
		if s.Role != dialog.User || s.Meta.Get("By") != "human" || !holds(bare(dialog.UserInput(s)), quote) {
			continue
		}
		if about(strings.ToLower(quote), it) {
			return true, ""
		}
		return false, tooFew
	}
	return false, notThere
}

// about reports whether the item's choice, or a word of its title or choice, stands in a
// quote in small letters, or a word of the quote in them.
func about(quote string, it Item) bool {
	quote, choice := quote[:min(len(quote), textMost)], bare(strings.ToLower(it.Choice))
	text := strings.ToLower(it.Title) + " " + choice
	text = text[:min(len(text), textMost)]
	in := func(words, text string) bool {
		return slices.ContainsFunc(strings.Fields(words), func(w string) bool {
			w = bare(w)
			return len(w) >= shortest && holds(text, w)
		})
	}
	return choice != "" && holds(quote, choice) || in(quote, text) || in(text, quote)
}

// bare returns a text without the blanks and the punctuation around it.
func bare(text string) string {
	return strings.TrimFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || r == '`' || unicode.IsPunct(r) && !strings.ContainsRune(`#%&@/\`, r)
	})
}

// holds reports whether quote stands in text, and not as a part of longer words.
func holds(text, quote string) bool {
	most := 64 << 20 // bytes that are compared: a long quote can match at each place and end within a word
	for from := 0; most > 0; most -= len(quote) {
		i := strings.Index(text[from:], quote)
		if i < 0 {
			return false
		}
		at := from + i
		if !within(text, at) && !within(text, at+len(quote)) {
			return true
		}
		from = at + 1
	}
	return false
}

// within reports whether a word goes on at that offset of text. Scripts from Thai on
// write no blanks between words.
func within(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at:])
	joins := func(r rune) bool {
		return r < 0x0E00 && (unicode.In(r, unicode.Letter, unicode.Digit, unicode.Mark) || r == '_')
	}
	return at > 0 && at < len(text) && joins(before) && joins(after)
}
