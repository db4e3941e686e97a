package server

import (
	"cmp"
	"net/http"
	"time"

	"github.com/gorilla/mux"

	"vibey/dialog"
	"vibey/server/hub"
	"vibey/server/project"
	"vibey/server/turn"
	"vibey/server/view"
)

// draftBody is the body of POST dialog/new.
type draftBody struct {
	Provider string `json:"provider"`
	Model    string `json:"model,omitempty"`
	Slug     string `json:"slug,omitempty"`
	Title    string `json:"title,omitempty"` // one line, 200 characters at most
}

// draft is the answer of POST dialog/new.
type draft struct {
	DialogID string        `json:"dialogId"`
	Filename string        `json:"filename"`
	Status   dialog.Status `json:"status"`
	Provider string        `json:"provider"`
	Model    string        `json:"model"`
}

// startBody is the body of POST dialog.
type startBody struct {
	Provider string       `json:"provider"`
	Model    string       `json:"model,omitempty"`
	Prompt   *turn.Prompt `json:"prompt"`
	On       turn.On      `json:"on,omitempty"` // the passages that the prompt is about
	Slug     string       `json:"slug,omitempty"`
	Title    string       `json:"title,omitempty"` // one line, 200 characters at most
	Intent   string       `json:"intent,omitempty"`
}

// changeBody is the body of PUT dialog, dialogState its answer if nothing runs.
type (
	changeBody  turn.Input
	dialogState view.State
)

func (s *server) newDialog(w http.ResponseWriter, r *http.Request, p *project.Project, body draftBody) error {
	st, err := s.Turns.Draft(r.Context(), turn.Input{Project: p, Provider: body.Provider, Model: body.Model, Slug: body.Slug, Title: &body.Title})
	if err != nil {
		return err
	}
	return writeJSON(w, draft{st.DialogID, st.Filename, st.Status, st.Provider, st.Model})
}

func (s *server) postDialog(w http.ResponseWriter, r *http.Request, p *project.Project, body startBody) error {
	in := turn.Input{
		Project: p, Provider: body.Provider, Model: body.Model, Slug: body.Slug, Title: &body.Title, Intent: body.Intent,
		Prompt: body.Prompt, On: body.On,
	}
	sub, err := s.Turns.Start(r.Context(), in)
	if err != nil {
		return err
	}
	return s.stream(w, r, sub)
}

func (s *server) putDialog(w http.ResponseWriter, r *http.Request, p *project.Project, body changeBody) error {
	if body.DialogID == "" {
		return badField(`The field "dialogId" is missing or empty.`)
	}
	body.Project = p
	// Approved commands may run before a JSON answer, for longer than WriteTimeout.
	unlimited(w)
	st, sub, err := s.Turns.Put(r.Context(), turn.Input(body))
	if err != nil {
		return err
	}
	if sub != nil {
		return s.stream(w, r, sub)
	}
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(slowest))
	return writeJSON(w, dialogState(st))
}

func (s *server) joinDialog(w http.ResponseWriter, r *http.Request, p *project.Project) error {
	sub, err := s.Turns.Join(r.Context(), p, mux.Vars(r)["id"], lastPos(r))
	if err != nil {
		return err
	}
	return s.stream(w, r, sub)
}

// lastPos returns the position behind the last event that a client has, or nil for
// one that has none. For an id that is no position it returns one that no dialog
// has, so that the stream begins again.
func lastPos(r *http.Request) *hub.Pos {
	last := cmp.Or(r.Header.Get("Last-Event-ID"), r.URL.Query().Get("last"))
	if last == "" {
		return nil
	}
	pos, ok := hub.ParsePos(last)
	if !ok {
		pos = hub.Pos{Whole: -1}
	}
	return &pos
}
