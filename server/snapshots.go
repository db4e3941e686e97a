package server

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"vibey/server/project"
)

func (s *server) getSnapshot(w http.ResponseWriter, r *http.Request, p *project.Project) error {
	scope := cmp.Or(project.Scope(r.URL.Query().Get("scope")), project.ScopeAll)
	if !scope.Valid() {
		return refuse(400, "bad-query", "?scope is none of docs, dialogs, all. Nothing was done.")
	}
	h := w.Header()
	h.Set("Content-Type", zipType)
	h.Set("Content-Disposition", `attachment; filename="`+p.Name()+"-"+string(scope)+time.Now().UTC().Format("-20060102-150405")+`.zip"`)
	missing, err := p.LeftOut(scope)
	if err != nil {
		h.Del("Content-Disposition")
		return err
	}
	if len(missing) > 0 {
		h.Set("Vibey-Left-Out", strconv.Itoa(len(missing)))
	}
	if r.Method == http.MethodHead {
		return nil
	}
	unlimited(w)
	out := &steady{w: w, ctl: http.NewResponseController(w)}
	switch leftOut, err := p.Snapshot(out, scope); {
	case err == nil && len(leftOut) > 0:
		s.Log.Warn("left out of a snapshot; its LEFT-OUT.txt names all of it", "project", p.Name(), "files", len(leftOut), "first", leftOut[0].File, "why", leftOut[0].Why)
	case err != nil && !out.started:
		h.Del("Content-Disposition")
		h.Del("Vibey-Left-Out")
		return err
	case err != nil:
		// The status has been sent. A client sees that a zip without its end is none.
		s.Log.Warn("snapshot broken off", "project", p.Name(), "err", err)
		panic(http.ErrAbortHandler)
	}
	return nil
}

// steady is a writer that gives the client slowest for each write.
type steady struct {
	w       io.Writer
	ctl     *http.ResponseController
	started bool
}

func (s *steady) Write(p []byte) (int, error) {
	s.started = true
	s.ctl.SetWriteDeadline(time.Now().Add(slowest))
	return s.w.Write(p)
}

// restoreProject is POST /projects?name= with a zip.
func (s *server) restoreProject(w http.ResponseWriter, r *http.Request) error {
	if err := wantType(r, zipType); err != nil {
		return err
	}
	name := r.URL.Query().Get("name")
	if !project.ValidProject(name) {
		return fmt.Errorf("restore %q: %w", name, project.ErrName)
	}
	body, err := readBody(w, r)
	if err != nil {
		return err
	}
	disarmed, err := s.Store.Restore(name, bytes.NewReader(body), int64(len(body)), project.UploadLimits, s.Key)
	if bad, ok := errors.AsType[*project.ZipError](err); ok {
		return refuse(400, "bad-zip", "This is no snapshot that could be restored: "+bad.Why+". Nothing was made. A snapshot holds doc-….md and dialog-….md files, what was added to files/, and a folder deed/.")
	}
	if err != nil {
		return err
	}
	return writeJSON(w, projectName{s.Store.Listed(name), disarmed})
}
