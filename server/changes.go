package server

import (
	"errors"
	"io/fs"
	"net/http"
	"time"

	"vibey/dialog/jsontext"
	"vibey/server/project"
)

// projectChange is the data of a frame in a project's stream. Item, of a dialog, is its
// entry in the list as it is now, and null if it is gone. A dialog is sent at
// most five times a second, the last change always.
type projectChange struct {
	Type string `json:"type"` // "change"
	project.Change
	Item **dialogItem `json:"item,omitempty"`
}

// watchProject answers with a project's changes until the client leaves.
func (s *server) watchProject(w http.ResponseWriter, r *http.Request, p *project.Project) error {
	changes, err := s.Store.Watch(r.Context(), p.Name())
	if err != nil {
		return err
	}
	out := openStream(w)
	out.comment() // sends the header at once
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for out.err == nil {
		select {
		case c, ok := <-changes:
			if !ok {
				return nil
			}
			out.buf = s.appendChangeData(append(out.buf, "event: change\ndata: "...), p.Name(), c)
			out.buf = append(out.buf, "\n\n"...)
			out.flush()
		case <-beat.C:
			out.comment()
		}
	}
	return nil
}

// appendChangeData appends the JSON of a change in a project.
func (s *server) appendChangeData(b []byte, name string, c project.Change) []byte {
	if c.Kind == project.OpenChanged {
		c.Kind = project.DialogsChanged // its entry in the list has the last words
	}
	frame := projectChange{Type: "change", Change: c}
	if c.Kind == project.DialogsChanged {
		info, err := s.dialogInfo(name, c.DialogID)
		switch {
		case err == nil:
			frame.Name, frame.Item = info.Filename, new(new(newItem(&info)))
		case errors.Is(err, fs.ErrNotExist):
			frame.Item = new(*dialogItem)
		default: // the list has it
			s.Log.Warn("a changed dialog is not told", "project", name, "dialog", c.DialogID, "err", err)
		}
	}
	data, _ := jsontext.Marshal(frame) // texts and numbers: no error
	return append(b, data...)
}

func (s *server) dialogInfo(name, id string) (project.DialogInfo, error) {
	p, err := s.Store.Project(name) // it may be another folder by now
	if err != nil {
		return project.DialogInfo{}, err
	}
	return p.Dialog(id)
}
