package responses

import (
	"vibey/dialog/history"
	"vibey/dialog/jsontext"
	"vibey/provider/wire"
)

// coder writes a history as input items. They are flat: there is nothing to group.
type coder struct{}

func (coder) API() string { return api }

func (coder) System(dst []byte, text string) []byte { return jsontext.AppendString(dst, text) }

// Tools are not strict: the API's strict mode wants every property required.
func (coder) Tools(dst []byte, tools []history.ToolSpec) []byte {
	return wire.AppendTools(dst, tools, `{"type":"function","name":`, `,"parameters":`, `,"strict":false}`)
}

func (coder) Item(dst []byte, it *history.Item) []byte {
	switch it.Kind {
	case history.CallItem:
		dst = jsontext.AppendString(append(dst, `{"type":"function_call","call_id":`...), it.CallID)
		dst = jsontext.AppendString(append(dst, `,"name":`...), it.Tool)
		dst = jsontext.AppendString(append(dst, `,"arguments":`...), it.Args)
		return append(dst, '}')
	case history.ResultItem:
		dst = jsontext.AppendString(append(dst, `{"type":"function_call_output","call_id":`...), it.CallID)
		dst = jsontext.AppendString(append(dst, `,"output":`...), it.Text)
		return append(dst, '}')
	case history.AssistantText:
		dst = append(dst, `{"type":"message","role":"assistant","content":[{"type":"output_text","text":`...)
	default:
		dst = append(dst, `{"type":"message","role":"user","content":[{"type":"input_text","text":`...)
	}
	return append(jsontext.AppendString(dst, it.Text), `}]}`...)
}

func (coder) Picture(dst []byte, p wire.Picture) []byte {
	dst = append(dst, `{"type":"message","role":"user","content":[{"type":"input_image","detail":"auto","image_url":"`...)
	return append(p.AppendURL(dst), `"}]}`...)
}

func (coder) Lay(l *wire.Layout, _ history.Kind, item []byte) {
	l.Comma()
	l.Out = append(l.Out, item...)
}

func (coder) Close(*wire.Layout) {}
