package server

import (
	"net/http"

	"vibey/server/project"
)

// undoBody is the body of POST undo. ID is that of a Summary.
type undoBody struct {
	DialogID string `json:"dialogId"`
	ID       string `json:"id"`
}

// undone is the answer of POST undo. Refused lists what could not be undone beside
// the rest; where nothing could, the answer is a problem.
type undone struct {
	Undone  []undoneSection `json:"undone"`
	Refused []undoneSection `json:"refused"`
}

// undoneSection names a section by its id.
type undoneSection struct {
	ID string `json:"id"`
}

func (s *server) postUndo(w http.ResponseWriter, r *http.Request, p *project.Project) error {
	var body undoBody
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	switch {
	case body.DialogID == "":
		return badField(`The field "dialogId" is missing or empty.`)
	case body.ID == "":
		return badField(`The field "id" is missing or empty: it names the summary.`)
	}
	if err := s.Turns.UndoSummary(p, body.DialogID, body.ID); err != nil {
		return err
	}
	return writeJSON(w, undone{[]undoneSection{{body.ID}}, []undoneSection{}})
}
