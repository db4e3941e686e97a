package replay

import (
	"strconv"

	"vibey/dialog/history"
	"vibey/dialog/jsontext"
	"vibey/provider/wire"
)

// coder writes a history for its hash alone; it is sent nowhere.
type coder struct{}

func (coder) API() string { return api }

func (coder) System(dst []byte, text string) []byte { return jsontext.AppendString(dst, text) }

func (coder) Tools(dst []byte, tools []history.ToolSpec) []byte {
	for _, t := range tools {
		dst = jsontext.AppendString(dst, t.Name)
		dst = jsontext.AppendString(dst, t.Description)
		dst = append(dst, t.Schema...)
	}
	return dst
}

func (coder) Item(dst []byte, it *history.Item) []byte {
	dst = strconv.AppendUint(append(dst, '['), uint64(it.Kind), 10)
	for _, s := range []string{it.Text, it.CallID, it.Tool, it.Args} {
		dst = jsontext.AppendString(append(dst, ','), s)
	}
	return append(dst, ']')
}

func (coder) Picture(dst []byte, p wire.Picture) []byte { return jsontext.AppendString(dst, p.SHA256) }

func (coder) Lay(*wire.Layout, history.Kind, []byte) {}

func (coder) Close(*wire.Layout) {}
