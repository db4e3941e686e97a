package chat

import (
	"encoding/json"
	"strings"

	"vibey/dialog/history"
	"vibey/dialog/jsontext"
	"vibey/provider/wire"
)

// coder writes a history as chat messages. Neighbours by the same side become
// one message, since the templates of some models want the sides to alternate;
// its content is a string, since not every server reads a list of parts, unless it has
// pictures.
type coder struct {
	// reasoning sends reasoning_content along with calls.
	reasoning bool
}

func (coder) API() string { return api }

func (coder) System(dst []byte, text string) []byte {
	return append(jsontext.AppendString(append(dst, `{"role":"system","content":`...), text), '}')
}

func (coder) Tools(dst []byte, tools []history.ToolSpec) []byte {
	return wire.AppendTools(dst, tools, `{"type":"function","function":{"name":`, `,"parameters":`, `}}`)
}

// Item is a text's bare JSON string, a call's object, or a result's message.
func (coder) Item(dst []byte, it *history.Item) []byte {
	switch it.Kind {
	case history.CallItem:
		dst = jsontext.AppendString(append(dst, `{"id":`...), it.CallID)
		dst = jsontext.AppendString(append(dst, `,"type":"function","function":{"name":`...), it.Tool)
		dst = jsontext.AppendString(append(dst, `,"arguments":`...), it.Args)
		return append(dst, `}}`...)
	case history.ResultItem:
		dst = jsontext.AppendString(append(dst, `{"role":"tool","tool_call_id":`...), it.CallID)
		dst = jsontext.AppendString(append(dst, `,"content":`...), it.Text)
		return append(dst, '}')
	}
	return jsontext.AppendString(dst, it.Text)
}

func (coder) Picture(dst []byte, p wire.Picture) []byte { return AppendPicture(dst, p) }

// AppendPicture appends a picture as a part of a message's content.
func AppendPicture(dst []byte, p wire.Picture) []byte {
	return append(p.AppendURL(append(dst, `{"type":"image_url","image_url":{"url":"`...)), `"}}`...)
}

func (c coder) Lay(l *wire.Layout, kind history.Kind, item []byte) {
	by := wire.By(kind)
	if l.Open != by || kind == history.ResultItem {
		c.Close(l)
	}
	switch kind {
	case history.ResultItem:
		l.Comma()
		l.Out = append(l.Out, item...)
		return
	case history.CallItem:
		if len(l.Calls) > 0 {
			l.Calls = append(l.Calls, ',')
		}
		l.Calls = append(l.Calls, withExtra(l, item)...)
	case history.ReasoningItem:
		layNative(l, item)
	case history.PictureItem:
		l.LayPart(item)
	default:
		l.LayText(item)
	}
	l.Open = by
}

// native is what a server wants back with a response of its own, beside what
// every server knows.
type native struct {
	Reasoning *string           `json:"reasoning_content,omitempty"` // DeepSeek, Moonshot
	Extra     []json.RawMessage `json:"extra_content,omitempty"`     // Gemini's signatures, one a call or null
}

func layNative(l *wire.Layout, item []byte) {
	var n native
	if json.Unmarshal(item, &n) != nil {
		return
	}
	if n.Reasoning != nil { // a message has one: more of it goes behind
		before := strings.TrimSuffix(string(l.Extra), `"`)
		if before == "" {
			before = `"`
		}
		l.Extra = append([]byte(before), jsontext.AppendString(nil, *n.Reasoning)[1:]...)
	}
	for _, e := range n.Extra {
		l.Queue = append(l.Queue, e)
	}
}

// withExtra puts the extra content that waits for a call inside it.
func withExtra(l *wire.Layout, call []byte) []byte {
	if len(l.Queue) == 0 {
		return call
	}
	extra := l.Queue[0]
	l.Queue = l.Queue[1:]
	if len(extra) == 0 || string(extra) == "null" {
		return call
	}
	out := append([]byte(nil), call[:len(call)-1]...)
	out = append(append(out, `,"extra_content":`...), extra...)
	return append(out, '}')
}

// Close writes the open message out.
func (c coder) Close(l *wire.Layout) {
	content := l.Content()
	if l.Open == 0 || len(content)+len(l.Calls) == 0 {
		l.Open = 0
		return
	}
	l.Comma()
	role := `{"role":"assistant"`
	if l.Open == wire.ByUser {
		role = `{"role":"user"`
	}
	l.Out = append(l.Out, role...)
	if len(content) > 0 {
		l.Out = append(append(l.Out, `,"content":`...), content...)
	}
	if len(l.Calls) > 0 {
		if c.reasoning { // even an empty one
			if len(l.Extra) == 0 {
				l.Extra = append(l.Extra, `""`...)
			}
			l.Out = append(append(l.Out, `,"reasoning_content":`...), l.Extra...)
		}
		l.Out = append(append(append(l.Out, `,"tool_calls":[`...), l.Calls...), ']')
	}
	l.Out = append(l.Out, '}')
	// nil and not [:0]: another layout may hold the same bytes.
	l.Calls, l.Extra, l.Queue, l.Open = nil, nil, nil, 0
}
