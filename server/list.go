package server

import (
	"net/http"
	"strconv"
	"time"

	"vibey/dialog"
	"vibey/dialog/jsontext"
	"vibey/server/project"
)

// dialogItem is one entry of the list of dialogs. Title is the one that it was given,
// or the first line of its first message. Words is what it wants of a human, or its
// last words. Both are one line of at most 200 characters without marks, and may be
// empty.
type dialogItem struct {
	DialogID string        `json:"dialogId"`
	Status   dialog.Status `json:"status"`
	Needs    dialog.Needs  `json:"needs"`
	Filename string        `json:"filename"`
	MTime    string        `json:"mtime"`
	Title    string        `json:"title"`
	Words    string        `json:"words"`
	From     string        `json:"from,omitempty"`  // the dialog that launched it
	Other    string        `json:"other,omitempty"` // a second file of the same dialog: it takes no request until one is gone
	Tokens   tokens        `json:"tokens"`
	Cost     *cost         `json:"cost,omitempty"` // if the price of each of its models is known
}

// tokens are those that a dialog's models read and wrote, as they counted them.
type tokens struct {
	In  int64 `json:"in"`
	Out int64 `json:"out"`
}

// cost is what tokens cost at the list prices of that day, without what a cache saves.
type cost struct {
	USD  float64 `json:"usd"`
	AsOf string  `json:"asOf"`
}

func (s *server) listDialogs(w http.ResponseWriter, r *http.Request, p *project.Project) error {
	all, err := p.Dialogs()
	if err != nil {
		return err
	}
	b := make([]byte, 0, 2+600*len(all))
	b = append(b, '[')
	for i := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendItem(b, &all[i])
	}
	writeBytes(w, http.StatusOK, append(b, ']', '\n'))
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
	b = jsontext.AppendLine(append(b, `","title":`...), d.Title)
	b = jsontext.AppendLine(append(b, `,"words":`...), d.Words)
	if d.From != "" {
		b = jsontext.AppendLine(append(b, `,"from":`...), d.From)
	}
	if d.Other != "" {
		b = jsontext.AppendLine(append(b, `,"other":`...), d.Other)
	}
	b = strconv.AppendInt(append(b, `,"tokens":{"in":`...), d.In, 10)
	b = strconv.AppendInt(append(b, `,"out":`...), d.Out, 10)
	if d.AsOf != "" {
		b = strconv.AppendFloat(append(b, `},"cost":{"usd":`...), d.USD, 'f', -1, 64)
		b = jsontext.AppendLine(append(b, `,"asOf":`...), d.AsOf)
	}
	return append(b, "}}"...)
}
