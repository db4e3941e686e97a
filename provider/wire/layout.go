package wire

import (
	"slices"

	"vibey/dialog/history"
)

// A message is the user's, results of tools among it, or the model's.
const (
	ByUser = iota + 1
	ByModel
)

// By returns whose message an item is a part of.
func By(kind history.Kind) int {
	if kind == history.UserText || kind == history.PictureItem || kind == history.ResultItem {
		return ByUser
	}
	return ByModel
}

// Layout is the messages of a request as they grow.
type Layout struct {
	Out []byte
	// Open is ByUser or ByModel for a message that may still grow; 0 is none.
	Open int
	// Texts and Calls are parts of the open message that its end puts together. Parts are
	// those before Texts, of a message with pictures.
	Texts, Calls, Extra, Parts []byte
	// Queue is what the next calls of the open message must carry, one each.
	Queue [][]byte

	base  int    // bytes laid out before Out began
	marks [2]int // ends of the last block in the last two user messages
}

// Comma appends a comma, unless nothing stands before.
func (l *Layout) Comma() {
	if l.base+len(l.Out) > 0 {
		l.Out = append(l.Out, ',')
	}
}

// Mark notes the end of a user message's last block; begins tells that the
// message is another one than that of the last Mark.
func (l *Layout) Mark(begins bool) {
	if begins {
		l.marks[0] = l.marks[1]
	}
	l.marks[1] = l.base + len(l.Out)
}

// LayText adds a text, a JSON string, to those of the open message, with an empty line between.
func (l *Layout) LayText(text []byte) {
	if len(l.Texts) > 0 {
		l.Texts = append(l.Texts, `\n\n`...)
	}
	l.Texts = append(l.Texts, text[1:len(text)-1]...)
}

// LayPart adds a part to the open message behind its texts, which become one before it.
func (l *Layout) LayPart(part []byte) {
	l.closeTexts()
	l.Parts = append(append(l.Parts, part...), ',')
}

func (l *Layout) closeTexts() {
	if len(l.Texts) > 0 {
		l.Parts = append(append(append(l.Parts, `{"type":"text","text":"`...), l.Texts...), `"},`...)
		l.Texts = nil // and not [:0]: another layout may hold the same bytes
	}
}

// Content ends what the open message says: a JSON string, or a list of parts where there
// are any beside texts. It returns nil where there is nothing.
func (l *Layout) Content() (content []byte) {
	switch {
	case len(l.Parts) > 0:
		l.closeTexts()
		content = append(append([]byte{'['}, l.Parts[:len(l.Parts)-1]...), ']')
	case len(l.Texts) > 0:
		content = append(append([]byte{'"'}, l.Texts...), '"')
	}
	l.Texts, l.Parts = nil, nil
	return content
}

// fork returns a layout that continues l in bytes of its own.
func (l *Layout) fork() Layout {
	f := *l
	f.base, f.Out = l.base+len(l.Out), nil
	f.Texts, f.Calls, f.Extra = slices.Clip(l.Texts), slices.Clip(l.Calls), slices.Clip(l.Extra)
	f.Queue, f.Parts = slices.Clip(l.Queue), slices.Clip(l.Parts)
	return f
}
