package server

import (
	"net/http"

	"github.com/gorilla/mux"

	"vibey/server/project"
	"vibey/server/view"
)

// targetFile is the file that a call would write. Content is absent if there is
// no file, and if the file is not text or larger than 5 MiB.
type targetFile struct {
	Path    string  `json:"path"`
	SHA256  string  `json:"sha256,omitempty"`
	Exists  bool    `json:"exists"`
	Content *string `json:"content,omitempty"`
}

func (s *server) getTarget(w http.ResponseWriter, r *http.Request, p *project.Project) error {
	t, text, ok, err := view.TargetOf(p, mux.Vars(r)["id"], mux.Vars(r)["call"])
	if err != nil {
		return err
	}
	if !ok {
		return refuse(404, "no-target", "This call writes no file that could be shown: it is no write_file or edit_file, or its path is not one that it may write. Read its exact input before you decide.")
	}
	return writeJSON(w, targetFile{t.Path, t.SHA256, t.Exists, text})
}
