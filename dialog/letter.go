package dialog

import (
	"unicode"
	"unicode/utf8"
)

// LetterStarts reports whether a letter of text begins at byte at, or text ends there: not
// within a character, nor between one and a mark that is drawn on it, or two that a joiner
// makes one. Between the two of a line's end (CR LF) one begins.
func LetterStarts(text string, at int) bool {
	if at == 0 || at == len(text) {
		return true
	}
	if !utf8.RuneStart(text[at]) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	next, _ := utf8.DecodeRuneInString(text[at:])
	if unicode.IsControl(before) {
		return true // nothing is drawn on it
	}
	return before != joiner && next != joiner && !unicode.Is(unicode.M, next) && !tones(next)
}

// joiner is the character that makes one of those around it.
const joiner = '\u200d'

// tones reports whether r is one of the five that colour the skin of an emoji.
func tones(r rune) bool { return r >= 0x1F3FB && r <= 0x1F3FF }
