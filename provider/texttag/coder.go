package texttag

import (
	"vibey/dialog/history"
	"vibey/dialog/jsontext"
	"vibey/provider"
	"vibey/provider/chat"
	"vibey/provider/wire"
)

// coder writes a history as chat messages that hold text and pictures alone: a call is the tag
// that the model wrote, right behind its words, and a result is a user's text. All
// of its parts are JSON strings.
type coder struct {
	told bool // the system text has the instructions
}

func newCoder(r *provider.Request) coder { return coder{told: r.History.ByTags} }

func (coder) API() string { return api }

func (coder) System(dst []byte, text string) []byte { return jsontext.AppendString(dst, text) }

func (c coder) Tools(dst []byte, tools []history.ToolSpec) []byte {
	if c.told {
		tools = nil
	}
	return jsontext.AppendString(dst, instructions(howToBefore, tools))
}

func (coder) Item(dst []byte, it *history.Item) []byte {
	switch it.Kind {
	case history.CallItem:
		return jsontext.AppendString(dst, render(it.Tool, it.Args))
	case history.ResultItem:
		return jsontext.AppendString(dst, "["+it.Tool+" returned]\n"+it.Text)
	}
	return jsontext.AppendString(dst, it.Text)
}

func (coder) Picture(dst []byte, p wire.Picture) []byte { return chat.AppendPicture(dst, p) }

// Lay puts neighbours by one side into one message. A call follows the words before
// it without anything between, as the model wrote the two.
func (c coder) Lay(l *wire.Layout, kind history.Kind, item []byte) {
	by := wire.By(kind)
	if kind == history.ReasoningItem {
		return // nothing of it travels
	}
	if l.Open != by {
		c.Close(l)
	}
	switch {
	case kind == history.PictureItem:
		l.LayPart(item)
	case kind == history.CallItem && len(l.Calls) == 0:
		l.Texts = append(l.Texts, item[1:len(item)-1]...)
	default:
		l.LayText(item)
	}
	if l.Calls = nil; kind == history.CallItem {
		l.Calls = called
	}
	l.Open = by
}

// called, in a layout's Calls, says that its text ends with a call.
var called = []byte{1}

// Close writes the open message out.
func (coder) Close(l *wire.Layout) {
	if l.Open == 0 {
		return
	}
	l.Comma()
	role := `{"role":"assistant","content":`
	if l.Open == wire.ByUser {
		role = `{"role":"user","content":`
	}
	l.Out = append(append(append(l.Out, role...), l.Content()...), '}')
	l.Calls, l.Open = nil, 0
}
