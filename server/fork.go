package server

import (
	"net/http"

	"github.com/gorilla/mux"

	"vibey/server/project"
)

// forkBody is the body of POST fork: the id of the section at whose end the fork begins.
type forkBody struct {
	At string `json:"at"`
}

func (s *server) postFork(w http.ResponseWriter, r *http.Request, p *project.Project, body forkBody) error {
	id, err := s.Turns.Fork(p, mux.Vars(r)["id"], body.At)
	if err != nil {
		return err
	}
	info, err := p.Dialog(id)
	if err != nil {
		return err
	}
	return writeCreated(w, newItem(&info))
}
