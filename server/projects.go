package server

import (
	"mime"
	"net/http"

	"vibey/server/project"
)

// newProject is the body of POST /projects.
type newProject struct {
	Name string `json:"name"`
	// Deed is the absolute path of an existing folder to link as the deed.
	Deed string `json:"deed,omitempty"`
}

type projectName struct {
	Name string `json:"name"`
	// Disarmed lists what git would have run in a restored project's deed, each as a
	// path and what became of it.
	Disarmed []string `json:"disarmed,omitempty"`
}

func (s *server) listProjects(w http.ResponseWriter, _ *http.Request) error {
	names, err := s.Store.Projects()
	if err != nil {
		return err
	}
	return writeJSON(w, names)
}

func (s *server) postProjects(w http.ResponseWriter, r *http.Request) error {
	if typ, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); typ == zipType {
		return s.restoreProject(w, r)
	}
	var body newProject
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	if body.Name == "" {
		return badField(`The field "name" is missing or empty.`)
	}
	if err := s.Store.Create(body.Name, body.Deed); err != nil {
		return err
	}
	return writeJSON(w, projectName{Name: body.Name})
}

func (s *server) deleteProject(w http.ResponseWriter, r *http.Request, p *project.Project) error {
	// A client that hangs up stops nothing in the middle.
	if err := s.Store.Delete(p.Name(), func() error { return s.Turns.StopProject(detached(r), p) }); err != nil {
		return err
	}
	s.Previews.forget(p.Name())
	return noContent(w)
}
