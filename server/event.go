package server

import (
	"slices"
	"strconv"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/dialog/history"
	"vibey/dialog/jsontext"
	"vibey/server/hub"
)

// AppendEvent appends an event as one JSON object on one line: the data of its
// frame in a stream, and its line of `vibey run --json`. html renders markdown;
// if it is nil, sections have no HTML. A chunk, of which a response has
// thousands, is written without an allocation.
// Source: vibey/vibey/doc-reference.md, "The contract for programs".
func AppendEvent(b []byte, e *hub.Event, html func(string) string) []byte {
	b = append(append(append(b, `{"type":"`...), e.Type...), '"')
	switch e.Type {
	case hub.ChunkEvent:
		b = appendText(b, "content", e.Content)
	case hub.SectionEvent:
		b = appendValue(appendDialog(b, e), "section", newSection(e.Section, html))
	case hub.ToolEvent:
		b = appendValue(appendDialog(b, e), "toolCalls", calls(e.Calls))
	case hub.DoneEvent:
		b = appendText(appendDialog(b, e), "status", string(e.Status))
		b = appendText(b, "needs", string(e.Needs))
		b = appendValue(b, "resources", e.Resources)
	case hub.ErrorEvent:
		b = appendText(b, "message", e.Message)
		if e.Code != 0 {
			b = strconv.AppendInt(append(b, `,"status":`...), int64(e.Code), 10)
		}
		b = appendText(b, "kind", e.Kind)
	case hub.BudgetEvent, hub.PhaseEvent, hub.MistakeEvent, hub.CheckEvent, hub.CommitEvent, hub.NoCommit:
		b = appendData(b, e.Data)
	case hub.NoteEvent:
		b = appendText(appendText(b, "kind", e.Kind), "text", e.Text)
	}
	return append(b, '}')
}

func appendDialog(b []byte, e *hub.Event) []byte {
	return appendText(appendText(b, "dialogId", e.DialogID), "filename", e.Filename)
}

func appendText(b []byte, name, text string) []byte {
	return jsontext.AppendLine(appendName(b, name), text)
}

func appendName(b []byte, name string) []byte {
	return append(append(append(b, `,"`...), name...), `":`...)
}

// appendValue appends a member whose value is encoded by reflection.
func appendValue(b []byte, name string, v any) []byte {
	j, err := jsontext.Marshal(v)
	if err != nil {
		j = []byte("null") // our own structs: only an input that is no JSON could be why
	}
	return append(appendName(b, name), j...)
}

// appendData appends the members of data, which is encoded as one object.
func appendData(b []byte, data any) []byte {
	j, err := jsontext.Marshal(data)
	if err != nil || len(j) < 3 || j[0] != '{' {
		return b
	}
	return append(append(b, ','), j[1:len(j)-1]...)
}

// requestedCall is one call of a tool_request. InputText is the exact bytes that SHA256 is
// over; Target is the file that the call would write; Server is the MCP server whose tool
// it calls; Effect is what it did, where it was tried and waits with that.
type requestedCall struct {
	ID          string          `json:"id"`
	Name        string          `json:"name"`
	Input       history.RawJSON `json:"input"`
	InputText   string          `json:"inputText"`
	SHA256      string          `json:"sha256"`
	Description string          `json:"description,omitempty"`
	Target      *grant.Target   `json:"target,omitempty"`

	Server *hub.ServerTool `json:"server,omitempty"`
	Effect *hub.Effect     `json:"effect,omitempty"`
}

func calls(pending []hub.Pending) []requestedCall {
	out := make([]requestedCall, len(pending))
	for i, p := range pending {
		out[i] = requestedCall{p.ID, p.Tool, p.Input, p.InputText, p.SHA256, p.Description, p.Target, p.Server, p.Effect}
	}
	return out
}

// section is one "## Role" of a dialog. Time is "start - end"; Meta holds all
// other lines; HTML is the first payload that is no
// passage, rendered, if it is markdown. Loose is
// hand-written text beside the payloads. Torn is set if a crash cut the section
// off: it can be read, and has no effect. Void is set if the section ended every
// allow above it, because it is not an Authorization as a human gave it.
type section struct {
	Role      dialog.Role       `json:"role"`
	ID        string            `json:"id"`
	Time      string            `json:"time"`
	Resources dialog.Resources  `json:"resources"`
	Meta      map[string]string `json:"meta"`
	Payloads  []dialog.Payload  `json:"payloads"`
	HTML      string            `json:"html,omitempty"`
	Loose     string            `json:"loose,omitempty"`
	Torn      bool              `json:"torn,omitempty"`
	Void      bool              `json:"void,omitempty"`
}

// newSection returns a section's JSON form. html may be nil, as in AppendEvent.
func newSection(d *dialog.Section, html func(string) string) section {
	s := section{
		Role: d.Role, ID: d.ID, Time: d.Time, Resources: d.Resources, Meta: make(map[string]string, len(d.Meta)),
		Payloads: sentPayloads(d.Payloads), Loose: dialog.Shown(d.Loose), Torn: d.Torn, Void: d.Void,
	}
	for _, f := range d.Meta {
		s.Meta[f.Key] = f.Value
	}
	if words := firstWords(d); html != nil && words != nil && len(words.Text) <= htmlMost {
		switch words.Type {
		case dialog.InputMarkdown, dialog.OutputMarkdown, dialog.SystemMarkdown, dialog.ReasoningMarkdown, dialog.NoteMarkdown, dialog.SummaryMarkdown:
			if d.Kind() != dialog.TitleNote { // its words are no markdown
				s.HTML = html(words.Text)
			}
		}
	}
	return s
}

// firstWords returns the first payload that is no passage, or nil.
func firstWords(d *dialog.Section) *dialog.Payload {
	i := slices.IndexFunc(d.Payloads, func(p dialog.Payload) bool { return p.Type != dialog.PassageText })
	if i < 0 {
		return nil
	}
	return &d.Payloads[i]
}

// htmlMost is how long a text may be, in bytes, of which a section has HTML: the HTML of
// a longer one would be its text once more.
const htmlMost = 1 << 20

// sentPayloads returns payloads with as much of their texts as a client is sent, never nil.
func sentPayloads(all []dialog.Payload) []dialog.Payload {
	out := append([]dialog.Payload{}, all...)
	for i := range out {
		out[i].Text = dialog.Shown(out[i].Text)
	}
	return out
}
