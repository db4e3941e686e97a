package server

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"strconv"
	"syscall"

	"vibey/dialog/jsontext"
	"vibey/server/project"
	"vibey/server/turn"
	"vibey/tools/caught"
)

// problem is a refused or failed request: RFC 9457 problem details. detail says
// what happened, what is safe, and what to do next.
type problem struct {
	status int
	kind   string // the last word of its type: urn:vibey:problem:<kind>
	detail string
	extra  []byte // further members, ",\"name\":…", or nothing
	id     string // of a fault of our own: the uuid under which the log tells of it
}

func (p *problem) Error() string { return p.kind + ": " + p.detail }

func refuse(status int, kind, detail string) error {
	return &problem{status: status, kind: kind, detail: detail}
}

// fail answers with a problem.
func fail(w http.ResponseWriter, status int, kind, detail string) {
	(&problem{status: status, kind: kind, detail: detail}).write(w)
}

const problemURN = "urn:vibey:problem:"

var (
	problemJSON = []string{"application/problem+json"}
	jsonType    = []string{"application/json"}
)

func (p *problem) write(w http.ResponseWriter) {
	b := make([]byte, 0, 256+len(p.detail)+len(p.extra))
	b = append(b, `{"type":"`+problemURN...)
	b = append(b, p.kind...)
	b = append(b, `","title":`...)
	b = jsontext.AppendLine(b, http.StatusText(p.status))
	b = append(b, `,"status":`...)
	b = strconv.AppendInt(b, int64(p.status), 10)
	b = append(b, `,"detail":`...)
	b = jsontext.AppendLine(b, p.detail)
	if p.id != "" {
		b = jsontext.AppendLine(append(b, `,"instance":`...), "urn:uuid:"+p.id)
	}
	b = append(b, p.extra...)
	b = append(b, '}', '\n')
	h := w.Header()
	h["Content-Type"] = problemJSON
	h["Cache-Control"] = noStore
	h["Content-Security-Policy"] = dataPolicy
	h.Del("ETag")
	w.WriteHeader(p.status)
	w.Write(b)
}

// kinds is which status an error of the rooms below becomes. The first that
// fits counts, so the narrower kinds stand first.
var kinds = []struct {
	err    error
	status int
	kind   string
	detail string // "" where the error's own words are for people
}{
	{turn.ErrInput, 400, "bad-request", ""},
	{turn.ErrActive, 409, "active", ""},
	{turn.ErrStale, 409, "stale", ""},
	{turn.ErrMoved, 409, "target-changed", ""},
	{turn.ErrNothing, 409, "nothing-to-do", ""},
	{turn.ErrStopping, 503, "stopping", ""},
	{project.ErrName, 400, "bad-name", "This name is not allowed. Nothing was changed. Use letters, digits, - and _ and dots (not first, not two in a row); a document's name ends in .md, a project's has at most 100 characters."},
	{project.ErrDeed, 400, "bad-deed", ""},
	{project.ErrLeads, 409, "bad-deed", ""},
	{project.ErrUTF8, 400, "not-utf8", "The text is not UTF-8. Nothing was written. Save it as UTF-8 and send it again."},
	{project.ErrTwoFiles, 409, "two-files", "There are two files of this dialog, with different statuses. Nothing was changed. Look at both in the folder and delete one."},
	{project.ErrActive, 409, "active", "This dialog is working, so its file can't be written or deleted. Nothing was changed. Stop it first, or wait until it is done."},
	{project.ErrBusy, 409, "active", "This dialog is being written right now. Nothing was changed. Wait a moment, or stop it, and try again."},
	{project.ErrConflict, 409, "conflict", "Somebody else changed this file meanwhile. Nothing of theirs was lost. Read it again before you go on."},
	{fs.ErrNotExist, 404, "not-found", "There is no such project, file or dialog. It may have been deleted or renamed; read the list again."},
	{project.ErrNotPlain, 409, "not-plain", "A folder or link stands where the file should be. Nothing was written, and it was not followed. Move it away and try again."},
	{fs.ErrExist, 409, "name-taken", "This name is taken already, perhaps in other capitals. Nothing was changed. Choose another one."},
	{syscall.ENOSPC, 507, "disk-full", "The disk is full. What was acknowledged before is kept; this was not written. Make room and try again."},
	{syscall.EDQUOT, 507, "disk-full", "The disk quota is used up. What was acknowledged before is kept; this was not written. Make room and try again."},
	{syscall.EROFS, 507, "disk-full", "The folder can't be written to. What was acknowledged before is kept; this was not written."},
	{fs.ErrPermission, 507, "disk-full", "The folder may not be written to by this program. What was acknowledged before is kept; this was not written. Check who owns it."},
}

// problemOf makes the one answer that an error has.
func problemOf(err error) *problem {
	var p *problem
	if errors.As(err, &p) {
		return p
	}
	for _, k := range kinds {
		if !errors.Is(err, k.err) {
			continue
		}
		p := &problem{status: k.status, kind: k.kind, detail: k.detail}
		var r *turn.Refusal
		if errors.As(err, &r) {
			p.detail = r.Message
		} else if p.detail == "" {
			p.detail = err.Error() + ". Nothing was changed."
		}
		return p
	}
	internal := &problem{status: 500, kind: "internal", id: caught.NewID(),
		detail: "The server could not do this, for a reason of its own that stands in its log. What was acknowledged before is kept. Try again; if it stays, start the server anew."}
	if broken := caught.Of(err); broken != nil {
		internal.id = broken.ID
	}
	return internal
}

// answerError tells the client, and the log where it is our own fault.
func (s *server) answerError(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return // nobody is there to be told
	}
	p := problemOf(err)
	if p.status >= 500 {
		s.Log.Error("request failed", "method", r.Method, "path", r.URL.Path, "status", p.status, "id", p.id, "err", err)
	}
	p.write(w)
}
