package server

import (
	"net/http"

	"github.com/gorilla/mux"

	"vibey/server/project"
)

// intentBody is a text that a human writes and has not sent.
type intentBody struct {
	Prompt string `json:"prompt"`
}

// intentAnswer is one of grant.Intents, or "".
type intentAnswer struct {
	Intent string `json:"intent"`
}

func (s *server) postIntent(w http.ResponseWriter, r *http.Request, p *project.Project, body intentBody) error {
	intent, err := s.Turns.Intent(p, mux.Vars(r)["id"], body.Prompt)
	if err != nil {
		return err
	}
	return writeJSON(w, intentAnswer{intent})
}
