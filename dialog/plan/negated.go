package plan

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// The words of a negation, in the languages in which claims are read and some more.
var (
	negations = strings.Fields("no not never none neither nor nothing nobody cannot avoid dont nope nicht kein keine keinen keinem keiner keines nichts nie niemals weder " +
		"ne pas jamais aucun aucune rien ni nunca jamás ninguno ninguna tampoco non mai não nem niet geen nooit не нет никогда nie")
	// exceptions deny what stands behind them, and nothing in front: "red without blue".
	exceptions = strings.Fields("without except ohne statt anstatt außer sans sauf sin sem senza без bez")
	// inPlaceOf are the exceptions of more than one word.
	inPlaceOf = lazily(`(?i)\b(?:instead of|rather than|anything but|au lieu d|plutôt qu|en vez de|en lugar de)`)
	// turns end what a negation in front of them covers: "not blue but red".
	turns = strings.Fields("but so instead then sondern aber dafür mais donc sino pero ma maar но а ale")
	// reasons begin what is said about words in front of them: "red, since it is not
	// loud", and joins set something beside those: "red and do not use blue".
	reasons = strings.Fields("because since if when while unless until weil wenn falls damit obwohl parce si quand porque cuando perché se потому если")
	joins   = strings.Fields("and or und oder et ou y o e и или")
	fillers = strings.Fields("do please bitte")
	// with stands before a negation that covers what follows on it alone: "a file with no index".
	with = strings.Fields("with mit avec con com")
	// In front of what they deny, within a run; and behind it.
	negatesNext = "不别別勿没沒莫无"
	negatesLast = []string{"ない", "ません", "なく", "지 마", "지 말", "지 않"}
)

// lazily makes an expression when it is first asked for: else each start of this program
// would pay for it, the one within a command's walls as well.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// sentenceEnd and clauseEnd match what ends a sentence, and a part of one.
var (
	sentenceEnd = lazily(`[.!?…]+["'’”»)\]]*(?:\s|$)|[。！？؟]|\n[ \t\r]*(?:\n|[-*•+]\s|\d+[.)]\s)`)
	clauseEnd   = lazily(`[,;:–—]+(?:\s|$)|[；：，、]|\s-+\s`)
)

// near is how many bytes in front of words, and behind them, are read.
const near = 400

// negated reports whether the sentence of text[from:to] has a negation that covers it:
// in front of it, behind it in its clause, or in a later clause that begins before upTo.
func negated(text string, from, to, upTo int) bool {
	sentence := last(sentenceEnd(), text[max(0, from-near):from])
	clauses := clauseEnd().Split(sentence, -1)
	for _, c := range clauses[:len(clauses)-1] {
		// "No, use red" begins with an answer; "do not, ever, use red" goes on.
		if words := words(c); len(words) > 1 && denies(words[len(words)-1].text) {
			return true
		}
	}
	return denies(clauses[len(clauses)-1]) || deniedBehind(text, to, upTo)
}

// deniedBehind reports whether what goes on behind text[:to] denies it: the rest of its
// clause, or another clause of the sentence that begins before upTo.
func deniedBehind(text string, to, upTo int) bool {
	rest := text[to:min(len(text), to+near)]
	if i := sentenceEnd().FindStringIndex(rest); i != nil {
		rest = rest[:i[0]]
	}
	for first := true; first || to < upTo; first = false {
		clause, next := rest, len(rest)
		if i := clauseEnd().FindStringIndex(rest); i != nil {
			clause, next = rest[:i[0]], i[1]
		}
		if takesBack(clause, first) {
			return true
		}
		if rest, to = rest[next:], to+next; rest == "" {
			return false
		}
	}
	return false
}

// takesBack reports whether a clause denies what stands in front of it, as the end of
// "wir nehmen Rot nicht" and of "red is not what I want" do. One that begins with a
// negation sets something else against it: "red, not blue", "red and do not use blue".
// same is that it is the rest of the clause in which that stands.
func takesBack(clause string, same bool) bool {
	if slices.ContainsFunc(negatesLast, func(s string) bool { return strings.Contains(clause, s) }) {
		return true
	}
	begins, before := true, ""
	all := words(clause)
	for i, t := range all {
		w := strings.ToLower(t.text)
		switch {
		case isNegation(w) && (i == len(all)-1 || i == 0 && same && ofVerb(w) || !begins && !slices.Contains(with, before)):
			return true
		case slices.Contains(turns, w), slices.Contains(reasons, w):
			return false
		}
		begins = slices.Contains(joins, w) || begins && slices.Contains(fillers, w) && !(i == 0 && same)
		before = w
	}
	return false
}

// asked reports whether the sentence that goes on behind text[:to] is a question, and
// whether what follows on it denies.
func asked(text string, to int) (question, denial bool) {
	rest := text[to:min(len(text), to+near)]
	end := sentenceEnd().FindStringIndex(rest)
	if end == nil || !strings.ContainsAny(rest[end[0]:end[1]], "?？؟") {
		return false, false
	}
	rest = rest[end[1]:]
	if end = sentenceEnd().FindStringIndex(rest); end != nil {
		rest = rest[:end[0]]
	}
	return true, denies(rest)
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
	for _, t := range words(inPlaceOf().ReplaceAllString(clause, " without ")) {
		w := strings.ToLower(t.text)
		switch {
		case t.open && strings.ContainsAny(w, negatesNext), isNegation(w), slices.Contains(exceptions, w):
			no = true
		case slices.Contains(turns, w):
			no = false
		}
	}
	return no
}

// words returns the tokens of a clause; those that hyphens join are one: "sans-serif"
// denies nothing.
func words(clause string) (all []token) {
	for _, t := range tokens(clause) {
		if n := len(all) - 1; n >= 0 && !t.open && !all[n].open && clause[all[n].at+len(all[n].text):t.at] == "-" {
			all[n].text = clause[all[n].at : t.at+len(t.text)]
			continue
		}
		all = append(all, t)
	}
	return all
}

// ofVerb reports whether a negation has its verb in it, as in "red isn't it".
func ofVerb(word string) bool {
	return word == "cannot" || strings.HasSuffix(word, "n't") || strings.HasSuffix(word, "n’t")
}

// isNegation reports whether a word denies. "n'" is what a quote leaves of "don't" or
// of "n'utilise".
func isNegation(word string) bool {
	w := strings.ReplaceAll(strings.ToLower(word), "’", "'")
	return slices.Contains(negations, strings.Trim(w, "'")) || strings.HasSuffix(w, "n't") || strings.HasSuffix(w, "n'") || strings.HasPrefix(w, "n'")
}
