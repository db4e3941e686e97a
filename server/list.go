package server

import (
	"net/http"
	"time"

	"vibey/dialog"
	"vibey/dialog/jsontext"
	"vibey/server/project"
)

// dialogItem is one entry of the list of dialogs. Words is its last line, or what
// it wants of a human; it may be empty.
type dialogItem struct {
	DialogID string        `json:"dialogId"`
	Status   dialog.Status `json:"status"`
	Needs    dialog.Needs  `json:"needs"`
	Filename string        `json:"filename"`
	MTime    string        `json:"mtime"`
	Words    string        `json:"words,omitempty"`
}

func (s *server) listDialogs(w http.ResponseWriter, r *http.Request, p *project.Project) error {
	all, err := p.Dialogs()
	if err != nil {
		return err
	}
	b := make([]byte, 0, 2+260*len(all))
	b = append(b, '[')
	for i := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendItem(b, &all[i])
	}
	writeBytes(w, jsonType, append(b, ']', '\n'))
	return nil
}

// appendItem appends a dialogItem without reflection: a project may have ten
// thousand, and the window reads the list at every change.
func appendItem(b []byte, d *project.DialogInfo) []byte {
	b = jsontext.AppendLine(append(b, `{"dialogId":`...), d.ID)
	b = jsontext.AppendLine(append(b, `,"status":`...), string(d.Status))
	b = jsontext.AppendLine(append(b, `,"needs":`...), string(d.Needs))
	b = jsontext.AppendLine(append(b, `,"filename":`...), d.Filename)
	b = append(b, `,"mtime":"`...)
	b = d.ModTime.UTC().AppendFormat(b, time.RFC3339Nano)
	b = append(b, '"')
	if d.Line != "" {
		b = jsontext.AppendLine(append(b, `,"words":`...), d.Line)
	}
	return append(b, '}')
}
