package plan

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word of a text, or in a script without blanks between words a run of
// letters.
type token struct {
	text string // as it stands there
	at   int    // the offset in the text
	open bool   // a run of a script without blanks
}

// tokens returns the words and runs of a text.
func tokens(text string) (all []token) {
	for at := 0; at < len(text); {
		r, n := utf8.DecodeRuneInString(text[at:])
		if !isWord(r) && !isOpen(r) {
			at += n
			continue
		}
		is := isWord
		if isOpen(r) {
			is = isOpen
		}
		rest := text[at:]
		if end := strings.IndexFunc(rest, func(r rune) bool { return !is(r) }); end >= 0 {
			rest = rest[:end]
		}
		all = append(all, token{rest, at, isOpen(r)})
		at += len(rest)
	}
	return all
}

// isOpen reports whether r is of a script that writes no blanks between words.
func isOpen(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) || r == 'ー'
}

// isWord reports whether r is of a word in any other script; "don't", "C++" and "C#"
// are one word each.
func isWord(r rune) bool {
	return !isOpen(r) && (unicode.In(r, unicode.Letter, unicode.Digit, unicode.Mark) || strings.ContainsRune("_'’+#", r))
}

// within reports whether a word goes on at that offset of text.
func within(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at:])
	joins := func(r rune) bool { return isWord(r) && !strings.ContainsRune("'’+#", r) }
	return at > 0 && at < len(text) && joins(before) && (joins(after) || after == '+' || after == '#')
}

// count returns how many words there are. A run of four letters and more has as many as
// are likely: one for each Han letter, for two kana, or for four of the other scripts.
func count(all []token) (n int) {
	for _, t := range all {
		quarters := 0
		if t.open && utf8.RuneCountInString(t.text) >= 4 {
			for _, r := range t.text {
				switch {
				case unicode.Is(unicode.Han, r):
					quarters += 4
				case unicode.In(r, unicode.Hiragana, unicode.Katakana):
					quarters += 2
				default:
					quarters++
				}
			}
		}
		n += max(1, quarters/4)
	}
	return n
}

// names returns the part of w that names of, a word of a choice. sole is that the
// choice has no other word. Two words that begin alike, as "Postgres" and "PostgreSQL"
// do, name each other.
func (w token) names(of token, sole bool) (part token, ok bool) {
	const most = 4 // bytes in common
	a, b := strings.ToLower(w.text), strings.ToLower(of.text)
	switch {
	case w.open && of.open:
		if i := strings.Index(w.text, of.text); i >= 0 && (sole || utf8.RuneCountInString(of.text) > 1) {
			return token{of.text, w.at + i, true}, true
		}
		return w, utf8.RuneCountInString(w.text) > 1 && strings.Contains(of.text, w.text)
	case a == b:
		return w, sole || len(a) > 2 && !slices.Contains(common, a)
	}
	return w, len(a) >= most && len(b) >= most && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

// empty reports whether the words only agree with what was said before them, or stand
// in any text.
func empty(all []token) bool {
	return !slices.ContainsFunc(all, func(t token) bool {
		w := strings.ToLower(t.text)
		return !slices.Contains(assent, w) && !slices.Contains(common, w)
	})
}

// common are short words that stand in any text.
var common = strings.Fields("the and for all any you our use with from into that this der die das den dem des ein und mit für von les des une aux par los las una con por que")

// assent are words of which a prompt is made that only agrees.
var assent = strings.Fields("yes yeah yep ok okay sure fine right good great perfect agreed correct please thanks thank you go ahead do it that sounds " +
	"ja jo gut gerne bitte danke genau mach das oui bien d'accord merci si sí vale claro bueno gracias sim certo да хорошо tak dobrze " +
	"はい うん いいです お願いします 好 好的 是 是的 对 可以 行 没问题 谢谢 네 예 좋아요 ใช่ ครับ ค่ะ โอเค")
