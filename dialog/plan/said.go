package plan

import (
	"slices"
	"strings"
	"unicode"

	"vibey/dialog"
)

// What Said says is missing where words do not make an item a human's.
const (
	notThere = "its words stand in no message of a human in this dialog, letter for letter"
	denied   = "its words stand with a negation in the human's message, only ask for the choice, or say the opposite of it"
	tooOften = "its words stand in too many places of the human's messages: send more words of the one that is meant"
	tooFew   = "its words are too few or too general to be about it: send more of the human's words, with those that name the choice"
)

// Said reports whether words, as a model cites them, make it the item of a human: they
// stand in a prompt of d that a human wrote, to the letter, and can be about the item.
// Punctuation and blanks around them do not count. seen is that a human was shown the
// call and approved it. lacks says what is missing, "" with ok.
//
// That the words stand there is not enough. A model can find a word of any human for
// any item, and the human's text may say the opposite: words that a negation covers do
// not count, nor do those that deny the choice or ask a question. Where no human saw the
// call, the words must name the choice; one who saw it and all of their message knows
// what it confirms.
func Said(d *dialog.Dialog, it Item, words string, seen bool) (ok bool, lacks string) {
	lacks = notThere
	quote := bare(words)
	if quote == "" {
		return false, lacks
	}
	c := it.citedBy(quote)
	left := placesMost * 2
	for i := range d.Sections {
		s := &d.Sections[i]
		if s.Role != dialog.User || s.Torn || s.Meta.Get("By") != "human" {
			continue
		}
		prompt := dialog.UserInput(s)
		whole := bare(prompt) == quote
		for _, at := range places(prompt, quote) {
			if left--; left < 0 {
				return false, tooOften
			}
			switch {
			case c.refuted(prompt, at, whole && seen):
				lacks = denied
			case c.about(whole, seen):
				return true, ""
			case lacks == notThere:
				lacks = tooFew
			}
		}
	}
	return false, lacks
}

// citation is a quote of a human's words, held against the item that it is cited for.
type citation struct {
	bytes int    // how long it is
	words int    // how many there are
	empty bool   // they only agree with something, or stand in any text
	names []name // those that name the choice
	all   bool   // they name all of the choice
}

// name is a word of a quote that names the choice. denied is that the choice denies it.
type name struct {
	token
	denied bool
}

// namesMost is how many of the words that name a choice are looked at.
const namesMost = 50

// citedBy holds a quote against the item. Each word of the choice counts once, however
// often it stands there.
func (it Item) citedBy(quote string) citation {
	const most = 32 << 10 // bytes of a quote that are read: more are words enough
	text := dialog.Clean(it.Choice, textMost)
	said, choice := tokens(quote[:min(len(quote), most)]), distinct(tokens(text))
	c := citation{bytes: len(quote), words: count(said), empty: empty(said), all: len(choice) > 0}
	no := make([]bool, len(choice))
	for i, of := range choice {
		no[i] = negated(text, of.at, of.at+len(of.text), len(text))
	}
	named := make([]bool, len(choice))
	for _, w := range said {
		for i, of := range choice {
			if t, ok := w.names(of, len(choice) == 1); ok {
				named[i] = true
				if n := (name{t, no[i]}); len(c.names) < namesMost && !isNegation(of.text) && !slices.Contains(c.names, n) {
					c.names = append(c.names, n)
				}
			}
		}
	}
	c.all = c.all && !slices.Contains(named, false)
	return c
}

// distinct returns the first of each word, capitals apart.
func distinct(all []token) (first []token) {
	for _, t := range all {
		if !slices.ContainsFunc(first, func(f token) bool { return strings.EqualFold(f.text, t.text) }) {
			first = append(first, t)
		}
	}
	return first
}

// about reports whether the words can be about the item. One word may be the whole
// choice and no other; a few must name it, or be all that the human said; more than a
// phrase that stands in any text need not. Where no human saw the item, two words must
// name the whole choice, and any number must name it.
func (c citation) about(whole, seen bool) bool {
	const phrase = 4 // words
	switch {
	case c.empty:
		return false
	case c.words == 1:
		return c.all && seen
	case c.words == 2 && !seen:
		return c.all
	}
	return len(c.names) > 0 || seen && (whole || c.words > phrase)
}

// refuted reports whether the quote at that place of a prompt is denied, or names the
// choice only where the prompt says the opposite of it or asks. Where a human saw both
// whole, a question may stand for a wish.
func (c citation) refuted(prompt string, at int, sawBoth bool) bool {
	end := at + c.bytes
	if negated(prompt, at, end, end) {
		return true
	}
	asks := func(to int) bool {
		question, denial := asked(prompt, to)
		return denial || question && !sawBoth
	}
	for _, n := range c.names {
		from, to := at+n.at, at+n.at+len(n.text)
		if negated(prompt, from, to, end) == n.denied && !asks(to) {
			return false
		}
	}
	return len(c.names) > 0 || asks(at)
}

// bare returns a text without the blanks and the punctuation around it.
func bare(text string) string {
	return strings.TrimFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || r == '`' || unicode.IsPunct(r) && !strings.ContainsRune(`#%&@/\`, r)
	})
}

// placesMost is how many places of a quote in one prompt are looked at; in all prompts
// it is twice as many. At each place at most namesMost negations are looked for, in up
// to 0.5 ms each: that is 2.5 seconds in all, whatever a human wrote.
const placesMost = 50

// places returns where a quote stands in a text, not as a part of longer words.
func places(text, quote string) (all []int) {
	most := 64 << 20 // bytes that are compared: a long quote can match at each place and end within a word
	for from := 0; len(all) < placesMost && most > 0; most -= len(quote) {
		i := strings.Index(text[from:], quote)
		if i < 0 {
			break
		}
		at := from + i
		if !within(text, at) && !within(text, at+len(quote)) {
			all = append(all, at)
		}
		from = at + 1
	}
	return all
}
