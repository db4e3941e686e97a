package main

import (
	"encoding/json"
	"io"

	"vibey/dialog"
	"vibey/server/turn"
)

// teller returns what tells events: as text for people, or as JSON lines.
func (f jsonFlag) teller(w io.Writer, project string) func(turn.Event) {
	if !f.JSON {
		return (&teller{w: w, project: project}).tell
	}
	return func(e turn.Event) { writeEvent(w, e) }
}

// The shapes of the JSON lines are those of the server's stream, the data of
// each frame: vibey/vibey/doc-main.md, "The contract for programs".
type (
	eventLine struct {
		Type      string            `json:"type"`
		DialogID  string            `json:"dialogId,omitempty"`
		Filename  string            `json:"filename,omitempty"`
		Section   *sectionLine      `json:"section,omitempty"`
		Content   *string           `json:"content,omitempty"`
		ToolCalls []callLine        `json:"toolCalls,omitempty"`
		Status    any               `json:"status,omitempty"` // of done: a word; of error: the provider's number
		Needs     dialog.Needs      `json:"needs,omitempty"`
		Resources *dialog.Resources `json:"resources,omitempty"`
		Message   string            `json:"message,omitempty"`
		Kind      string            `json:"kind,omitempty"`
		Text      string            `json:"text,omitempty"`
	}
	sectionLine struct {
		Role      dialog.Role       `json:"role"`
		ID        string            `json:"id"`
		Time      string            `json:"time"`
		Resources dialog.Resources  `json:"resources"`
		Meta      map[string]string `json:"meta"`
		Payloads  []dialog.Payload  `json:"payloads"`
	}
	callLine struct {
		ID          string         `json:"id"`
		Name        string         `json:"name"`
		Input       dialog.RawJSON `json:"input"`
		InputText   string         `json:"inputText"`
		SHA256      string         `json:"sha256"`
		Description string         `json:"description,omitempty"`
		Target      *turn.Target   `json:"target,omitempty"`
	}
)

func writeEvent(w io.Writer, e turn.Event) {
	line := eventLine{Type: e.Type}
	switch e.Type {
	case turn.ChunkEvent:
		line.Content = &e.Content
	case turn.SectionEvent:
		line.DialogID, line.Filename, line.Section = e.DialogID, e.Filename, sectionOf(e.Section)
	case turn.ToolEvent:
		line.DialogID, line.Filename = e.DialogID, e.Filename
		for _, c := range e.Calls {
			line.ToolCalls = append(line.ToolCalls, callLine{c.ID, c.Tool, c.Input, c.InputText, c.SHA256, c.Description, c.Target})
		}
	case turn.DoneEvent:
		line.DialogID, line.Filename, line.Status, line.Needs, line.Resources = e.DialogID, e.Filename, e.Status, e.Needs, &e.Resources
	case turn.ErrorEvent:
		line.Message, line.Kind = e.Message, e.Kind
		if e.Code != 0 {
			line.Status = e.Code
		}
	case turn.NoteEvent:
		line.Kind, line.Text = e.Kind, e.Text
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.Encode(line)
}

func sectionOf(s *dialog.Section) *sectionLine {
	meta := make(map[string]string, len(s.Meta))
	for _, f := range s.Meta {
		meta[f.Key] = f.Value
	}
	payloads := s.Payloads
	if payloads == nil {
		payloads = []dialog.Payload{}
	}
	return &sectionLine{s.Role, s.ID, s.Time, s.Resources, meta, payloads}
}
