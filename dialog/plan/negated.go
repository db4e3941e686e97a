package plan

import (
	"regexp"
	"slices"
	"strings"
)

// The words of a negation, in the languages in which claims are read and some more.
var (
	negations = strings.Fields("no not never none neither nor cannot without avoid dont nicht kein keine keinen keinem keiner keines nie niemals ohne statt " +
		"ne pas jamais aucun aucune sans ni nunca jamás sin non mai senza não nem sem niet geen nooit не нет никогда без nie bez")
	// turns end what a negation in front of them covers: "not blue but red".
	turns = strings.Fields("but so instead then sondern aber dafür mais donc sino pero ma sondern maar но а ale")
	// In front of what they deny, within a run; and behind it.
	negatesNext = "不别別勿没沒莫无"
	negatesLast = []string{"ない", "ません", "なく", "지 마", "지 말", "지 않"}
)

// sentenceEnd and clauseEnd match what ends a sentence, and a part of one.
var (
	sentenceEnd = regexp.MustCompile(`[.!?…]+["'’”»)\]]*(?:\s|$)|[。！？]|\n[ \t\r]*(?:\n|[-*•+]\s|\d+[.)]\s)`)
	clauseEnd   = regexp.MustCompile(`[,;:–—]+(?:\s|$)|[；：，、]|\s-+\s`)
)

// near is how many bytes in front of words, and behind them, are read.
const near = 400

// negated reports whether the sentence of text[from:to] has a negation in front of it
// that covers it, or one that ends its clause.
func negated(text string, from, to int) bool {
	sentence := last(sentenceEnd, text[max(0, from-near):from])
	clauses := clauseEnd.Split(sentence, -1)
	for _, c := range clauses[:len(clauses)-1] {
		// "No, use red" begins with an answer; "do not, ever, use red" goes on.
		if words := tokens(c); len(words) > 1 && isNegation(words[len(words)-1].text) {
			return true
		}
	}
	return denies(clauses[len(clauses)-1]) || deniesBefore(text[to:min(len(text), to+near)])
}

// last returns what stands behind the last match.
func last(end *regexp.Regexp, text string) string {
	if all := end.FindAllStringIndex(text, -1); all != nil {
		return text[all[len(all)-1][1]:]
	}
	return text
}

// denies reports whether a clause has a negation that covers what follows on it.
func denies(clause string) (no bool) {
	for _, t := range tokens(clause) {
		switch {
		case t.open && strings.ContainsAny(t.text, negatesNext), isNegation(t.text):
			no = true
		case slices.Contains(turns, strings.ToLower(t.text)):
			no = false
		}
	}
	return no
}

// deniesBefore reports whether a text begins with a clause whose end denies what stands
// in front of it, as in "wir nehmen Rot nicht".
func deniesBefore(text string) bool {
	for _, end := range []*regexp.Regexp{sentenceEnd, clauseEnd} {
		if i := end.FindStringIndex(text); i != nil {
			text = text[:i[0]]
		}
	}
	if slices.ContainsFunc(negatesLast, func(s string) bool { return strings.Contains(text, s) }) {
		return true
	}
	words := tokens(text)
	return len(words) > 0 && isNegation(words[len(words)-1].text)
}

// isNegation reports whether a word denies. "n'" is what a quote leaves of "don't" or
// of "n'utilise".
func isNegation(word string) bool {
	w := strings.ReplaceAll(strings.ToLower(word), "’", "'")
	return slices.Contains(negations, strings.Trim(w, "'")) || strings.HasSuffix(w, "n't") || strings.HasSuffix(w, "n'") || strings.HasPrefix(w, "n'")
}
