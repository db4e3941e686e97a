package server

import (
	"context"
	"errors"
	"io/fs"
	"mime"
	"net/http"
	"time"

	"vibey/server/project"
)

// newProject is the body of POST /projects: a name, or a title of which the name is made.
type newProject struct {
	Name  string  `json:"name,omitempty"`
	Title *string `json:"title,omitempty"` // one line, 200 characters at most
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
	// Title is left out if it is the name, and if ?titles=1 does not ask for it.
	Title string `json:"title,omitempty"`
}

func (s *server) listProjects(w http.ResponseWriter, r *http.Request) error {
	needs, err := queryFlag(r, "needs")
	if err != nil {
		return err
	}
	titles, err := queryFlag(r, "titles")
	if err != nil {
		return err
	}
	var all any
	switch {
	case needs:
		all, err = s.needs(r.Context(), titles)
	case titles:
		all, err = s.titledProjects()
	default:
		all, err = s.Store.Projects()
	}
	if err != nil {
		return err
	}
	return writeJSON(w, all)
}

// needs counts for all projects, by name, with titles if they are wanted. One that can't be read is logged, and
// counted as one in which nothing goes on.
func (s *server) needs(ctx context.Context, titles bool) ([]projectNeeds, error) {
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
		if !titles {
			one.Title = ""
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
	if title := p.Title(); title != name {
		n.Title = title
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
	switch {
	case body.Title != nil && body.Name != "":
		return badField(`The fields "name" and "title" exclude each other: of a title the name is made.`)
	case body.Title != nil:
		return s.postTitled(w, *body.Title, body.Deed)
	case body.Name == "":
		return badField(`The field "name" is missing or empty.`)
	}
	if err := s.Store.Create(body.Name, body.Deed); err != nil {
		return err
	}
	return writeJSON(w, projectName{Name: s.Store.Listed(body.Name)})
}

// postTitled makes a project of a title.
func (s *server) postTitled(w http.ResponseWriter, title, deed string) error {
	title, err := checkTitle(title)
	if err != nil {
		return err
	}
	made, err := s.Store.CreateTitled(title, deed)
	if err != nil {
		return err
	}
	return writeCreated(w, made)
}

func (s *server) deleteProject(w http.ResponseWriter, r *http.Request, p *project.Project) error {
	ctx := context.WithoutCancel(r.Context()) // a client that hangs up stops nothing in the middle
	if err := s.Store.Delete(p.Name(), func() error { return s.Turns.StopProject(ctx, p) }); err != nil {
		return err
	}
	s.Previews.forget(p.Name())
	return noContent(w)
}
