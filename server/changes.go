package server

import (
	"net/http"
	"time"

	"vibey/dialog/jsontext"
	"vibey/server/project"
)

// projectChange is the data of a frame in a project's stream.
type projectChange struct {
	Type string `json:"type"` // "change"
	project.Change
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
			out.buf = appendChange(out.buf, c)
			out.flush()
		case <-beat.C:
			out.comment()
		}
	}
	return nil
}

// appendChange appends a change as one frame.
func appendChange(b []byte, c project.Change) []byte {
	return append(appendChangeData(append(b, "event: change\ndata: "...), c), "\n\n"...)
}

// appendChangeData appends the JSON of a change.
func appendChangeData(b []byte, c project.Change) []byte {
	b = jsontext.AppendLine(append(b, "{\"type\":\"change\",\"kind\":"...), c.Kind)
	if c.Name != "" {
		b = jsontext.AppendLine(append(b, `,"name":`...), c.Name)
	}
	if c.DialogID != "" {
		b = jsontext.AppendLine(append(b, `,"dialogId":`...), c.DialogID)
	}
	return append(b, '}')
}
