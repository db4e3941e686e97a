package server

import (
	"net/http"

	"github.com/gorilla/mux"

	"vibey/dialog/change"
	"vibey/dialog/jsontext"
	"vibey/server/project"
	"vibey/server/turn"
)

// undoBody is the body of POST undo: the id of a call, of an undo or of a Summary, or
// that of the User section whose turn is taken back. Of a call a hunk alone can be.
type undoBody struct {
	DialogID string    `json:"dialogId"`
	ID       string    `json:"id,omitempty"`
	Turn     string    `json:"turn,omitempty"`
	Hunk     *hunkBody `json:"hunk,omitempty"`
}

// hunkBody is a run of lines that a call changed: those of the file as the call left it,
// from 1 on, or, with from = to + 1, the place at which it only took lines out.
type hunkBody struct {
	Path string `json:"path"`
	From int    `json:"from"`
	To   int    `json:"to"`
}

// NotNull implements jsontext.NotNull: without its hunk the whole call would be taken back.
func (*hunkBody) NotNull() {}

// JSONType implements jsontext.Worded.
func (hunkBody) JSONType() string { return `an object {"path","from","to"}` }

// UnmarshalJSON takes these fields, all of them and no others.
func (h *hunkBody) UnmarshalJSON(b []byte) error {
	type plain hunkBody
	return jsontext.DecodeWhole(b, (*plain)(h))
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

// getChanges answers with what a call, or a turn's calls, made of files, hunk by hunk.
func (s *server) getChanges(w http.ResponseWriter, r *http.Request, p *project.Project) error {
	made, err := s.Turns.Changes(r.Context(), p, mux.Vars(r)["id"], mux.Vars(r)["of"])
	if err != nil {
		return err
	}
	return writeJSON(w, made)
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
	u := turn.Undoing{DialogID: body.DialogID, ID: body.ID, Turn: body.Turn}
	if h := body.Hunk; h != nil {
		switch {
		case body.Turn != "":
			return badField(`The field "hunk" goes with "id", which names the call that changed it.`)
		case h.Path == "":
			return badField(`The field "path" of "hunk" is missing or empty.`)
		case h.From < 1 || h.To < h.From-1:
			return badField(`The field "hunk" names no lines: "from" counts from 1, and "to" is at least "from" - 1, which is where lines were only taken out.`)
		}
		u.Hunk = &change.Part{Path: h.Path, From: h.From, To: h.To}
	}
	done, err := s.Turns.Undo(r.Context(), p, u)
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
