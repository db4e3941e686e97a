// Package plan reads and writes doc-plan.md: what a project has decided, is to do,
// and has only thought of, one item a line. A human may write anything else between
// the items; it stays to the byte.
//
//	# Plan
//
//	## Decisions
//	- **Database**: SQLite (why: one file to back up) {confidence=user source=explicit from=20260216-201100-start}
//
//	## Tasks
//
//	## Ideas
//	- **Dark theme**: follow the system (why: asked for twice) {confidence=auto source=extracted from=20260216-201100-start}
//
// An item with the confidence user is confirmed; one with auto is a model's word, and
// tentative until a human confirms it.
//
//	for _, it := range plan.Items(doc) { … }
//	doc = plan.Add(doc, plan.Item{Kind: plan.Decision, Title: …})
//
// Source: vibey/vibey/doc-reference.md, "Tools".
package plan

import (
	"cmp"
	"strings"
	"unicode"

	"vibey/dialog"
)

// File is the name of the doc.
const File = "doc-plan.md"

// Kind is what an item is.
type Kind string

// The kinds, in the order of their parts in the doc.
const (
	Decision Kind = "decision"
	Task     Kind = "task"
	Idea     Kind = "idea"
)

// Kinds are all of them, in that order.
var Kinds = []Kind{Decision, Task, Idea}

// heading is the kind's part of the doc.
func (k Kind) heading() string {
	return map[Kind]string{Decision: "## Decisions", Task: "## Tasks", Idea: "## Ideas"}[k]
}

// The values of Item.Confidence and Item.Source.
const (
	User = "user" // a human said so
	Auto = "auto" // a model did

	Explicit  = "explicit"  // by a call, or by a human's hand
	Extracted = "extracted" // from what was said in a turn
)

// Item is one line of the plan.
type Item struct {
	Kind   Kind   `json:"-"`
	Title  string `json:"title"`
	Choice string `json:"choice"`
	Why    string `json:"why"` // "" for none

	Confidence string `json:"confidence"`     // User or Auto
	Source     string `json:"source"`         // Explicit or Extracted
	From       string `json:"from,omitempty"` // the id of the dialog that it comes from, "" for none
}

// Confirmed reports whether a human stands behind the item.
func (it Item) Confirmed() bool { return it.Confidence == User }

// same reports whether two items are about one thing: capitals and blanks apart they
// have the same title.
func (it Item) same(other Item) bool {
	return it.Kind == other.Kind && strings.EqualFold(strings.Join(strings.Fields(it.Title), " "), strings.Join(strings.Fields(other.Title), " "))
}

// Items returns the items of a doc, in its order.
func Items(doc string) []Item {
	var items []Item
	for _, l := range scan(doc) {
		if l.item != nil {
			items = append(items, *l.item)
		}
	}
	return items
}

// Problems tells of the lines in the parts of a doc that look like items and are none, such
// as "- [ ] buy milk": who wrote them means them to count.
func Problems(doc string) (problems []dialog.SyntaxError) {
	for i, l := range scan(doc) {
		marker, rest, _ := strings.Cut(strings.TrimRight(l.text, " \t\r\n"), " ")
		if l.kind != "" && l.item == nil && (marker == "-" || marker == "*" || marker == "+") && rest != "" {
			problems = append(problems, dialog.SyntaxError{Line: i + 1, Rule: "plan", Text: "this is no item of the plan; write - **Title**: what is chosen (why: the reason)"})
		}
	}
	return problems
}

// itemLine matches a line that is an item; tags matches what stands at the end of one
// that a program wrote. Their groups are the title and the rest, and the tags.
var (
	itemLine = dialog.Lazily(`^[-*][ \t]+\*\*(.+?)\*\*(:.*|[ \t]+\{.*|)$`)
	tags     = dialog.Lazily(`[ \t]*\{((?:[a-z]+=[^ \t{}]*)(?:[ \t]+[a-z]+=[^ \t{}]*)*)\}$`)
)

// whyMark begins the reason of an item, and notSaid is written where there is none.
const (
	whyMark = "(why:"
	notSaid = "not said"
)

// parseItem reads a line without its line end. An item without tags was written by a
// human's hand: programs always write them.
func parseItem(kind Kind, line string) (it Item, ok bool) {
	m := itemLine().FindStringSubmatch(strings.TrimRight(line, " \t"))
	if m == nil || kind == "" {
		return it, false
	}
	it = Item{Kind: kind, Title: strings.TrimSpace(m[1]), Confidence: User, Source: Explicit}
	rest := strings.TrimSpace(strings.TrimPrefix(m[2], ":"))
	if t := tags().FindStringSubmatchIndex(rest); t != nil {
		it.readTags(rest[t[2]:t[3]])
		rest = strings.TrimSpace(rest[:t[0]])
	}
	it.Choice = rest
	if choice, why, has := strings.Cut(rest, whyMark); has && strings.HasSuffix(why, ")") {
		it.Choice, it.Why = strings.TrimSpace(choice), strings.TrimSpace(strings.TrimSuffix(why, ")"))
		if it.Why == notSaid {
			it.Why = ""
		}
	}
	return it, it.Title != ""
}

// readTags reads "confidence=auto source=extracted from=…". What is not there, or
// says nothing known, is a model's word.
func (it *Item) readTags(text string) {
	it.Confidence, it.Source = Auto, Explicit
	for word := range strings.FieldsSeq(text) {
		switch key, value, _ := strings.Cut(word, "="); {
		case key == "confidence" && value == User:
			it.Confidence = User
		case key == "source" && value == Extracted:
			it.Source = Extracted
		case key == "from":
			it.From = value
		}
	}
}

// The most bytes of an item's texts: it is one line, and all of the plan stands in
// each new dialog.
const (
	titleMost = 120
	textMost  = 500
)

// format returns the item as a line of the doc, without a line end. Nothing that its
// texts hold can make another item, a heading, or tags of it.
func (it Item) format() string {
	var b strings.Builder
	b.WriteString("- **" + it.title() + "**:")
	if choice := strings.TrimSpace(without(clean(it.Choice, textMost), whyMark, "(why")); choice != "" {
		b.WriteString(" " + choice)
	}
	b.WriteString(" " + whyMark + " " + cmp.Or(clean(it.Why, textMost), notSaid) + ")")
	b.WriteString(" {confidence=" + known(it.Confidence, User, Auto) + " source=" + known(it.Source, Extracted, Explicit))
	if dialog.ValidID(it.From) {
		b.WriteString(" from=" + it.From)
	}
	b.WriteString("}")
	return b.String()
}

// title is the item's title as it is written.
func (it Item) title() string {
	title := without(clean(it.Title, titleMost), "**", "*")
	return strings.TrimFunc(title, func(r rune) bool { return r == '*' || unicode.IsSpace(r) })
}

// tagged matches braces that a human would take for an item's tags.
var tagged = dialog.Lazily(`(?i)\{[^{}]*\b(?:confidence|source|from)[ \t]*=[^{}]*\}?`)

// clean returns a text as one line of at most most bytes that says nothing in braces
// as tags do: it gets round ones.
func clean(text string, most int) string {
	return tagged().ReplaceAllStringFunc(dialog.Clean(text, most), strings.NewReplacer("{", "(", "}", ")").Replace)
}

// without returns the text with by instead of each old, of which by has a part.
func without(text, old, by string) string {
	for strings.Contains(text, old) {
		text = strings.ReplaceAll(text, old, by)
	}
	return text
}

// known returns the value if it is the one that must be said, else the other.
func known(value, one, other string) string {
	if value == one {
		return one
	}
	return other
}
