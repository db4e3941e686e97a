package server

import (
	"net/http"
	"strconv"

	"vibey/dialog"
	"vibey/server/project"
)

// newPage is the body of POST /project/:p/file.
type newPage struct {
	Title string `json:"title"` // one line, 200 characters at most
}

// postPage makes a doc of a title. Its file's name is made of it.
func (s *server) postPage(w http.ResponseWriter, _ *http.Request, p *project.Project, body newPage) error {
	title, err := checkTitle(body.Title)
	if err != nil {
		return err
	}
	made, err := p.WriteTitled(title)
	if err != nil {
		return err
	}
	return writeCreated(w, made)
}

// titledProjects lists the projects with their titles, by name.
func (s *server) titledProjects() ([]project.Titled, error) {
	projects, err := s.Store.All()
	all := make([]project.Titled, 0, len(projects))
	for _, p := range projects {
		all = append(all, project.Titled{Name: p.Name(), Title: p.Title()})
	}
	return all, err
}

// checkTitle returns a title without outer blanks, or why it is none.
func checkTitle(title string) (string, error) {
	title, problem := dialog.CheckTitle(title)
	switch {
	case problem != "":
		return "", badField("The field \"title\" can't be used: %s.", problem)
	case title == "":
		return "", badField(`The field "title" is missing or empty: it says what people read, in any script.`)
	}
	return title, nil
}

// queryFlag reports whether a parameter of the query is "1".
func queryFlag(r *http.Request, name string) (bool, error) {
	switch v := r.URL.Query().Get(name); v {
	case "", "0":
		return false, nil
	case "1":
		return true, nil
	default:
		return false, refuse(400, "bad-query", "?"+name+" is "+strconv.Quote(excerpt(v))+"; it is 1, or left out. Nothing was done.")
	}
}
