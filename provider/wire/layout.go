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
	if kind == history.UserText || kind == history.ResultItem {
		return ByUser
	}
	return ByModel
}

// Layout is the messages of a request as they grow.
type Layout struct {
	Out []byte
	// Open is ByUser or ByModel for a message that may still grow; 0 is none.
	Open int
	// Texts and Calls are parts of the open message that its end puts together.
	Texts, Calls, Extra []byte
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

// fork returns a layout that continues l in bytes of its own.
func (l *Layout) fork() Layout {
	f := *l
	f.base, f.Out = l.base+len(l.Out), nil
	f.Texts, f.Calls, f.Extra = slices.Clip(l.Texts), slices.Clip(l.Calls), slices.Clip(l.Extra)
	f.Queue = slices.Clip(l.Queue)
	return f
}
