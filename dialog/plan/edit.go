package plan

import (
	"slices"
	"strings"
)

// line is one line of a doc, with its line end.
type line struct {
	text string
	kind Kind  // of the part that it is in, "" for none
	head bool  // it is that part's heading
	item *Item // nil if it is none
}

// scan reads a doc line by line. Joined, the texts are the doc.
func scan(doc string) (lines []line) {
	kind := Kind("")
	for text := range strings.Lines(doc) {
		l, bare := line{text: text}, strings.TrimRight(text, "\r\n")
		if strings.HasPrefix(bare, "# ") || strings.HasPrefix(bare, "## ") {
			kind = kindOf(bare)
			l.head = kind != ""
		} else if it, ok := parseItem(kind, bare); ok {
			l.item = &it
		}
		l.kind = kind
		lines = append(lines, l)
	}
	return lines
}

// kindOf is the kind whose part a heading begins, or "".
func kindOf(heading string) Kind {
	for _, k := range Kinds {
		if strings.EqualFold(strings.TrimSpace(heading), k.heading()) {
			return k
		}
	}
	return ""
}

// Empty is a plan without items.
const Empty = `# Plan

One item a line. What a human has confirmed says confidence=user; what a model wrote says confidence=auto, and is tentative until you confirm it. Write between the items what you like.

## Decisions

## Tasks

## Ideas
`

// Add returns the doc with the items, in an empty one the headings too. Their texts
// are cut to what one line may hold; one without a title is left out.
//
// What the doc has already is not written again. A tentative item of the same title
// gives way to the new one, but not an explicit one to one that was extracted. A
// confirmed item stays; one that chooses otherwise comes behind it, for a human to
// decide.
func Add(doc string, items ...Item) string {
	if strings.TrimSpace(doc) == "" {
		doc = Empty
	}
	for _, it := range items {
		if it.title() == "" || it.Kind.heading() == "" {
			continue
		}
		if it, ok := parseItem(it.Kind, it.format()); ok { // as it will be read
			doc = add(doc, it)
		}
	}
	return doc
}

func add(doc string, it Item) string {
	lines, end := scan(doc), lineEnd(doc)
	for i, l := range lines {
		old := l.item
		if old == nil || !old.same(it) {
			continue
		}
		alike := old.Choice == it.Choice && old.Why == it.Why
		switch {
		case old.Confirmed() && old.Choice == it.Choice, it.rank() < old.rank() && !old.Confirmed(), it.rank() == old.rank() && alike:
			return doc
		case !old.Confirmed():
			lines[i].text = it.format() + end
			return join(lines)
		}
	}
	return insert(lines, it, end)
}

// Find returns the item of a doc that says the same as it: the one that Add wrote, or
// for which it wrote nothing. ok is false where there is none.
func Find(doc string, it Item) (found Item, ok bool) {
	it, ok = parseItem(it.Kind, it.format())
	for _, now := range Items(doc) {
		if ok && now.same(it) && (!found.same(it) || now.Choice == it.Choice) {
			found = now
		}
	}
	return found, ok && found.same(it)
}

// rank orders items by whose word they are.
func (it Item) rank() int {
	switch {
	case it.Confirmed():
		return 2
	case it.Source == Explicit:
		return 1
	}
	return 0
}

// insert puts an item behind the last one of its kind, or below the heading of its
// part, which is made where it is missing.
func insert(lines []line, it Item, end string) string {
	at := -1
	for i, l := range lines {
		if l.kind == it.Kind && (l.item != nil || l.head && at < 0) {
			at = i
		}
	}
	var add []line
	if at < 0 {
		if at = len(lines) - 1; strings.TrimSpace(lines[at].text) != "" {
			add = append(add, line{text: end})
		}
		add = append(add, line{text: it.Kind.heading() + end})
	}
	if !strings.HasSuffix(lines[at].text, "\n") {
		lines[at].text += end
	}
	return join(slices.Insert(lines, at+1, append(add, line{text: it.format() + end})...))
}

// lineEnd is how the doc's lines end, as its first one does.
func lineEnd(doc string) string {
	if first, _, more := strings.Cut(doc, "\n"); more && strings.HasSuffix(first, "\r") {
		return "\r\n"
	}
	return "\n"
}

func join(lines []line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.text)
	}
	return b.String()
}
