package server

import (
	"strconv"

	"vibey/dialog"
	"vibey/dialog/jsontext"
	"vibey/server/turn"
)

// appendFrame appends an event as one frame of a stream: its position as id,
// its type, and JSON with the same type inside. Pieces of text, which come by
// the thousand, are written without reflection.
func (s *server) appendFrame(b []byte, e *turn.Event) []byte {
	b = append(b, "id: "...)
	b = strconv.AppendInt(b, e.Pos.Whole, 10)
	b = append(b, '+')
	b = strconv.AppendInt(b, e.Pos.Open, 10)
	b = append(b, "\nevent: "...)
	b = append(b, e.Type...)
	b = append(b, "\ndata: {\"type\":\""...)
	b = append(b, e.Type...)
	b = append(b, '"')
	b = s.appendMembers(b, e)
	return append(b, "}\n\n"...)
}

// appendMembers appends what an event of that type has beyond it.
func (s *server) appendMembers(b []byte, e *turn.Event) []byte {
	switch e.Type {
	case turn.ChunkEvent:
		return jsontext.AppendLine(append(b, `,"content":`...), e.Content)
	case turn.SectionEvent:
		b = appendMember(appendDialog(b, e), "section", s.section(e.Section, true))
	case turn.ToolEvent:
		b = appendMember(appendDialog(b, e), "toolCalls", calls(e.Calls))
	case turn.DoneEvent:
		b = appendDialog(b, e)
		b = jsontext.AppendLine(append(b, `,"status":`...), string(e.Status))
		b = jsontext.AppendLine(append(b, `,"needs":`...), string(e.Needs))
		b = appendMember(b, "resources", e.Resources)
	case turn.ErrorEvent:
		b = jsontext.AppendLine(append(b, `,"message":`...), e.Message)
		if e.Code != 0 {
			b = strconv.AppendInt(append(b, `,"status":`...), int64(e.Code), 10)
		}
		b = jsontext.AppendLine(append(b, `,"kind":`...), e.Kind)
	case turn.NoteEvent:
		b = jsontext.AppendLine(append(b, `,"kind":`...), e.Kind)
		b = jsontext.AppendLine(append(b, `,"text":`...), e.Text)
	}
	return b
}

func appendDialog(b []byte, e *turn.Event) []byte {
	b = jsontext.AppendLine(append(b, `,"dialogId":`...), e.DialogID)
	return jsontext.AppendLine(append(b, `,"filename":`...), e.Filename)
}

// appendMember appends one member whose value is encoded by reflection.
func appendMember(b []byte, name string, v any) []byte {
	b = append(append(append(b, `,"`...), name...), `":`...)
	j, err := jsontext.Marshal(v)
	if err != nil {
		return append(b, "null"...) // our own structs: only an input that is no JSON could be why
	}
	return append(b, j...)
}

// requestedCall is one call of a tool_request frame.
type requestedCall struct {
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	Input       dialog.RawJSON `json:"input"`
	InputText   string         `json:"inputText"` // the exact bytes that SHA256 is over
	SHA256      string         `json:"sha256"`
	Description string         `json:"description,omitempty"`
	Target      *turn.Target   `json:"target,omitempty"` // the file that the call would write
}

func calls(pending []turn.Pending) []requestedCall {
	out := make([]requestedCall, len(pending))
	for i, p := range pending {
		out[i] = requestedCall{p.ID, p.Tool, p.Input, p.InputText, p.SHA256, p.Description, p.Target}
	}
	return out
}
