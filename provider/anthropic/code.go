package anthropic

import (
	"vibey/dialog/history"
	"vibey/dialog/jsontext"
	"vibey/provider/wire"
)

// coder writes a history as Messages.
type coder struct{}

func (coder) API() string { return api }

func (coder) System(dst []byte, text string) []byte {
	return append(jsontext.AppendString(append(dst, `[{"type":"text","text":`...), text), `}]`...)
}

func (coder) Tools(dst []byte, tools []history.ToolSpec) []byte {
	return wire.AppendTools(dst, tools, `{"name":`, `,"input_schema":`, `}`)
}

func (coder) Item(dst []byte, it *history.Item) []byte {
	switch it.Kind {
	case history.CallItem:
		dst = jsontext.AppendString(append(dst, `{"type":"tool_use","id":`...), it.CallID)
		dst = jsontext.AppendString(append(dst, `,"name":`...), it.Tool)
		dst = append(append(dst, `,"input":`...), it.Args...)
	case history.ResultItem:
		dst = jsontext.AppendString(append(dst, `{"type":"tool_result","tool_use_id":`...), it.CallID)
		dst = jsontext.AppendString(append(dst, `,"content":`...), it.Text)
		if it.Failed {
			dst = append(dst, `,"is_error":true`...)
		}
	default:
		dst = jsontext.AppendString(append(dst, `{"type":"text","text":`...), it.Text)
	}
	return append(dst, '}')
}

func (coder) Picture(dst []byte, p wire.Picture) []byte {
	dst = append(append(append(dst, `{"type":"image","source":{"type":"base64","media_type":"`...), p.Type...), `","data":"`...)
	return append(p.AppendBase64(dst), `"}}`...)
}

func (c coder) Lay(l *wire.Layout, kind history.Kind, item []byte) {
	by, role := wire.By(kind), `{"role":"assistant","content":[`
	if by == wire.ByUser {
		role = `{"role":"user","content":[`
	}
	begins := l.Open != by
	if begins {
		c.Close(l)
		l.Comma()
		l.Out = append(l.Out, role...)
		l.Open = by
	} else {
		l.Out = append(l.Out, ',')
	}
	l.Out = append(l.Out, item...)
	if by == wire.ByUser {
		l.Mark(begins)
	}
}

func (coder) Close(l *wire.Layout) {
	if l.Open != 0 {
		l.Out = append(l.Out, `]}`...)
		l.Open = 0
	}
}
