package server

import (
	"net/http"

	"vibey/dialog/change"
	"vibey/server/project"
	"vibey/server/turn"
)

// undoBody is the body of POST undo: the id of a call, of an undo or of a Summary, or
// that of the User section whose turn is taken back.
type undoBody struct {
	DialogID string `json:"dialogId"`
	ID       string `json:"id,omitempty"`
	Turn     string `json:"turn,omitempty"`
}

// undone is the answer of POST undo. Refused lists the files that were left as they are,
// or could not be put back all the way.
type undone struct {
	Undone  []undoneItem         `json:"undone"`
	Refused []change.RefusedFile `json:"refused"`
}

// undoneItem is a file that is as it was before, its hash "" if it is gone; or the id
// of a Summary.
type undoneItem struct {
	Path   string  `json:"path,omitempty"`
	SHA256 *string `json:"sha256,omitempty"`
	ID     string  `json:"id,omitempty"`
}

func (s *server) postUndo(w http.ResponseWriter, r *http.Request, p *project.Project, body undoBody) error {
	switch {
	case body.DialogID == "":
		return badField(`The field "dialogId" is missing or empty.`)
	case body.ID == "" && body.Turn == "":
		return badField(`The field "id" is missing or empty: it names the call, the undo or the summary; or send "turn", the message whose calls are to be taken back.`)
	case body.ID != "" && body.Turn != "":
		return badField(`Send one of the fields "id" and "turn".`)
	}
	done, err := s.Turns.Undo(r.Context(), p, turn.Undoing{DialogID: body.DialogID, ID: body.ID, Turn: body.Turn})
	if err != nil {
		return err
	}
	if done.Summary != "" {
		return writeJSON(w, undone{[]undoneItem{{ID: done.Summary}}, []change.RefusedFile{}})
	}
	out := undone{[]undoneItem{}, done.Refused}
	for i := range done.Undone.Undone {
		f := &done.Undone.Undone[i]
		out.Undone = append(out.Undone, undoneItem{Path: f.Path, SHA256: &f.SHA256})
	}
	return writeJSON(w, out)
}
