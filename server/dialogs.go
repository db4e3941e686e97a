package server

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/gorilla/mux"

	"vibey/dialog"
	"vibey/server/hub"
	"vibey/server/project"
	"vibey/server/turn"
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
	Prompt   *promptField `json:"prompt"`
	Slug     string       `json:"slug,omitempty"`
	Title    string       `json:"title,omitempty"` // one line, 200 characters at most
	Intent   string       `json:"intent,omitempty"`
}

// changeBody is the body of PUT dialog.
type changeBody struct {
	DialogID string       `json:"dialogId"`
	Status   string       `json:"status,omitempty"`
	Prompt   *promptField `json:"prompt,omitempty"`
	Control  *string      `json:"control,omitempty"`
	Seen     string       `json:"seen,omitempty"`
	Continue bool         `json:"continue,omitempty"`
	Compact  bool         `json:"compact,omitempty"`
	Title    *string      `json:"title,omitempty"` // one line, 200 characters at most
	Provider string       `json:"provider,omitempty"`
	Model    string       `json:"model,omitempty"`
	Intent   string       `json:"intent,omitempty"`
}

// dialogState is the answer of PUT dialog where nothing runs.
type dialogState struct {
	DialogID string        `json:"dialogId"`
	Status   dialog.Status `json:"status"`
	Needs    dialog.Needs  `json:"needs"`
	Filename string        `json:"filename"`
	Pending  []hub.Pending `json:"pending"`
	Ignored  []string      `json:"ignored"` // unknown control lines
}

// promptField is a prompt: a string is markdown, an object is kept as its JSON.
type promptField turn.Prompt

// UnmarshalJSON takes a string or an object.
func (p *promptField) UnmarshalJSON(b []byte) error {
	if b[0] == '{' {
		*p = promptField{Text: string(b), JSON: true}
		return nil
	}
	p.JSON = false
	return json.Unmarshal(b, &p.Text)
}

// JSONType implements jsontext.Worded.
func (promptField) JSONType() string { return "a string or an object" }

func (s *server) newDialog(w http.ResponseWriter, r *http.Request, p *project.Project) error {
	var body draftBody
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	st, err := s.Turns.Draft(r.Context(), turn.Input{Project: p, Provider: body.Provider, Model: body.Model, Slug: body.Slug, Title: &body.Title})
	if err != nil {
		return err
	}
	return writeJSON(w, draft{st.DialogID, st.Filename, st.Status, st.Provider, st.Model})
}

func (s *server) postDialog(w http.ResponseWriter, r *http.Request, p *project.Project) error {
	var body startBody
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	in := turn.Input{
		Project: p, Provider: body.Provider, Model: body.Model, Slug: body.Slug, Title: &body.Title, Intent: body.Intent,
		Prompt: (*turn.Prompt)(body.Prompt),
	}
	sub, err := s.Turns.Start(r.Context(), in)
	if err != nil {
		return err
	}
	return s.stream(w, r, sub)
}

func (s *server) putDialog(w http.ResponseWriter, r *http.Request, p *project.Project) error {
	var body changeBody
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	if body.DialogID == "" {
		return badField(`The field "dialogId" is missing or empty.`)
	}
	in := turn.Input{
		Project: p, DialogID: body.DialogID, Status: dialog.Status(body.Status),
		Prompt: (*turn.Prompt)(body.Prompt), Control: body.Control, Seen: body.Seen, Continue: body.Continue, Compact: body.Compact,
		Title: body.Title, Provider: body.Provider, Model: body.Model, Intent: body.Intent,
	}
	// Approved commands may run before a JSON answer, for longer than WriteTimeout.
	unlimited(w)
	st, sub, err := s.Turns.Put(r.Context(), in)
	if err != nil {
		return err
	}
	if sub != nil {
		return s.stream(w, r, sub)
	}
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(slowest))
	return writeJSON(w, dialogState{st.DialogID, st.Status, st.Needs, st.Filename, st.Pending, st.Ignored})
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
// has, so that the stream begins anew.
func lastPos(r *http.Request) *hub.Pos {
	last := r.Header.Get("Last-Event-ID")
	if last == "" {
		last = r.URL.Query().Get("last")
	}
	if last == "" {
		return nil
	}
	pos, ok := hub.ParsePos(last)
	if !ok {
		pos = hub.Pos{Whole: -1}
	}
	return &pos
}
