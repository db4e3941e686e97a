package server

import (
	"context"
	"errors"
	"io/fs"
	"mime"
	"net/http"
	"strconv"
	"time"

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

// projectNeeds counts what goes on in a project: dialogs that wait for a human's
// decision or Continue, and those that are active. Changed is when a file came, went or
// was replaced: a word that an active dialog writes is no change.
type projectNeeds struct {
	Name    string `json:"name"`
	Waiting int    `json:"waiting"`
	Active  int    `json:"active"`
	Changed string `json:"changed,omitempty"`
}

// projectList stands in the table of routes for the two answers of GET /projects.
type projectList struct{}

func (s *server) listProjects(w http.ResponseWriter, r *http.Request) error {
	switch v := r.URL.Query().Get("needs"); v {
	case "", "0":
	case "1":
		all, err := s.needs(r.Context())
		if err != nil {
			return err
		}
		return writeJSON(w, all)
	default:
		return refuse(400, "bad-query", "?needs is "+strconv.Quote(excerpt(v))+"; it is 1, or left out. Nothing was done.")
	}
	names, err := s.Store.Projects()
	if err != nil {
		return err
	}
	return writeJSON(w, names)
}

// needs counts for all projects, by name. One that can't be read is logged, and
// counted as one in which nothing goes on.
func (s *server) needs(ctx context.Context) ([]projectNeeds, error) {
	names, err := s.Store.Projects()
	if err != nil {
		return nil, err
	}
	all := make([]projectNeeds, 0, len(names))
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		one, err := s.projectNeeds(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted since it was listed
		}
		if err != nil {
			s.Log.Warn("what a project needs is not known", "project", name, "err", err)
		}
		all = append(all, one)
	}
	return all, nil
}

func (s *server) projectNeeds(name string) (n projectNeeds, err error) {
	n.Name = name
	p, err := s.Store.Project(name)
	if err != nil {
		return n, err
	}
	if at, err := p.Changed(); err == nil {
		n.Changed = at.UTC().Format(time.RFC3339)
	}
	n.Waiting, n.Active, err = p.Needs()
	return n, err
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
