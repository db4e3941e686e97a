package server

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"syscall"

	"github.com/google/uuid"

	"vibey/dialog/jsontext"
	"vibey/server/project"
	"vibey/server/turn"
	"vibey/tools/caught"
)

// problem is the answer to a request that was refused or failed: RFC 9457 problem
// details. detail says what happened, what is safe, and what to do next.
type problem struct {
	status int
	kind   string // the last word of its type: urn:vibey:problem:<kind>
	detail string
	lost   problemDetails // its Yours, Current and ETag are those of a lost race
	id     string         // of a 500: the uuid under which the log has its error
}

func (p *problem) Error() string { return p.kind + ": " + p.detail }

func refuse(status int, kind, detail string) error {
	return &problem{status: status, kind: kind, detail: detail}
}

var (
	problemJSON = []string{"application/problem+json"}
	jsonType    = []string{"application/json"}
)

func (p *problem) write(w http.ResponseWriter) {
	d := p.lost
	d.Type, d.Title, d.Status, d.Detail = "urn:vibey:problem:"+p.kind, http.StatusText(p.status), p.status, p.detail
	if p.id != "" {
		d.Instance = "urn:uuid:" + p.id
	}
	b, _ := jsontext.Marshal(d) // texts and a number: no error
	h := w.Header()
	h["Content-Type"] = problemJSON
	h["Cache-Control"] = noStore
	h["Content-Security-Policy"] = dataPolicy
	h.Del("ETag")
	h.Del("Content-Length") // of an answer that was withheld
	w.WriteHeader(p.status)
	w.Write(append(b, '\n'))
}

// kind is what errors of the rooms below become.
type kind struct {
	is     []error // an error of the kind is one of these
	unless error   // and not this too; nil for no exception
	status int
	name   string // of the problem
	detail string // "" if the error's own words are for people
}

// The kinds are two sets, in which order means nothing. An error of a room's kind
// may wrap one of the system's: then the room's is the one that counts.
var roomKinds = []kind{
	{is: errs{turn.ErrInput}, status: 400, name: "bad-request"},
	{is: errs{turn.ErrActive}, status: 409, name: "active"},
	{is: errs{turn.ErrStale}, status: 409, name: "stale"},
	{is: errs{turn.ErrTags}, status: 409, name: "other-calls"},
	{is: errs{turn.ErrMoved}, status: 409, name: "target-changed"},
	{is: errs{turn.ErrNothing}, status: 409, name: "nothing-to-do"},
	{is: errs{turn.ErrDeed}, status: 409, name: "bad-deed"},
	{is: errs{turn.ErrStopping}, status: 503, name: "stopping"},
	{is: errs{project.ErrAway}, status: 503, name: "away"},
	{is: errs{project.ErrName}, status: 400, name: "bad-name", detail: "This name is not allowed. Nothing was changed. Use letters, digits, - and _ and dots (not first, not two in a row); a document's name ends in .md, a project's has at most 100 characters."},
	{is: errs{project.ErrDeed}, status: 400, name: "bad-deed"},
	{is: errs{project.ErrLeads}, status: 409, name: "bad-deed"},
	{is: errs{project.ErrLeft}, status: 500, name: "left-over", detail: "The project is deleted, but some of its files could not be removed. They lie in a folder whose name begins with .removed- beside the projects, or beside the homes in the state folder; the log says why. Remove them by hand."},
	{is: errs{project.ErrElsewhere}, status: 409, name: "active"},
	{is: errs{project.ErrHeld}, status: 409, name: "locked"},
	{is: errs{project.ErrUTF8}, status: 400, name: "not-utf8", detail: "The text is not UTF-8. Nothing was written. Save it as UTF-8 and send it again."},
	{is: errs{project.ErrNoPage}, status: 409, name: "no-page"},
	{is: errs{project.ErrTwoFiles}, status: 409, name: "two-files"},
	{is: errs{project.ErrActive}, status: 409, name: "active", detail: "This dialog is working, so its file can't be written or deleted. Nothing was changed. Stop it first, or wait until it is done."},
	{is: errs{project.ErrBusy}, status: 409, name: "active", detail: "This dialog is being written right now. Nothing was changed. Wait a moment, or stop it, and try again."},
	{is: errs{project.ErrConflict}, status: 409, name: "conflict", detail: "Somebody else changed this file meanwhile. Nothing of theirs was lost. Read it again before you go on."},
	{is: errs{project.ErrTooLarge}, status: 409, name: "too-large", detail: "This doc is larger than 64 MiB, so it can't be shown here, and no agent reads it. It stands in the folder untouched. Make it smaller there, or move it into deed/."},
	{is: errs{project.ErrFilesFolder}, status: 409, name: "not-plain", detail: "Where the project's folder files/ should be, there is a link or a file. Nothing was written, and it was not followed. Move it away and try again."},
	{is: errs{project.ErrNotPlain}, unless: fs.ErrNotExist, status: 409, name: "not-plain", detail: "A folder or link stands where the file should be. Nothing was written, and it was not followed. Move it away and try again."},
}

var systemKinds = []kind{
	{is: errs{fs.ErrNotExist}, status: 404, name: "not-found", detail: "There is no such project, file or dialog. It may have been deleted or renamed; read the list again."},
	{is: errs{fs.ErrExist}, status: 409, name: "name-taken", detail: "This name is taken already, perhaps in other capitals. Nothing was changed. Choose another one."},
	{is: errs{syscall.ENOSPC, syscall.EDQUOT}, status: 507, name: "disk-full", detail: "The disk is full, or its quota is used up. What was acknowledged before is kept; this was not written. Make room and try again."},
	{is: errs{syscall.EFBIG}, status: 507, name: "file-too-large", detail: "The disk takes no file of this size. What was acknowledged before is kept; this was not written. Make it smaller, or keep the folder on a disk of another kind."},
	{is: errs{syscall.EROFS}, status: 507, name: "read-only", detail: "The disk is read-only, so this was not written. What was acknowledged before is kept. Make the disk writable, or start the server with --dir on another one."},
	{is: errs{syscall.EIO}, status: 500, name: "disk-error", detail: "The disk reported an input/output error, so this may not be written or read. What was acknowledged before is kept. Look at the disk and its connection (the system's own log says more), then try again."},
	{is: errs{syscall.ESTALE, syscall.ENODEV, syscall.ENXIO, syscall.ENOTCONN, syscall.ECONNABORTED}, status: 503, name: "disk-gone", detail: "The folder, or the disk that it is on, is not there any more. Nothing was changed. Bring it back, then start the server anew."},
	{is: errs{syscall.ENOLCK}, status: 503, name: "no-locks", detail: "The disk gives no locks now, and without them two programs could write one file at the same time. Nothing was changed. Make locks work there (on a network disk, its lock service), or keep the folder on another disk."},
	{is: errs{syscall.EMFILE, syscall.ENFILE}, status: 503, name: "too-many-files", detail: "Too many files are open on this machine, or in this server. Nothing was changed. Wait a moment and try again; if it stays, start the server with a higher limit (ulimit -n)."},
	// Not 403, which is about who asks, nor 507: no room helps. The folder's owner must look.
	{is: errs{fs.ErrPermission}, status: 500, name: "no-access", detail: "The server may not read or write this file or folder. What was acknowledged before is kept; nothing was changed. Give the user that runs the server access to it, then try again; the log names it."},
}

type errs = []error

// kindOf returns the one kind of a set that err is of, or nil. several reports
// whether it is of more than one.
func kindOf(err error, set []kind) (k *kind, several bool) {
	for i := range set {
		one := func(target error) bool { return errors.Is(err, target) }
		if !slices.ContainsFunc(set[i].is, one) || set[i].unless != nil && one(set[i].unless) {
			continue
		}
		if k != nil {
			return nil, true
		}
		k = &set[i]
	}
	return k, false
}

// problemOf returns what err is for a client. An error of several kinds, as a write
// that failed twice, is a fault that only the log explains.
func problemOf(err error) *problem {
	if p, ok := errors.AsType[*problem](err); ok {
		return p
	}
	k, several := kindOf(err, roomKinds)
	if k == nil && !several {
		k, _ = kindOf(err, systemKinds)
	}
	if k == nil {
		k = &kind{status: 500, name: "internal", detail: "The server could not do this, " + project.Reason(err) + ". What was acknowledged before is kept. Try again; if it stays, start the server anew."}
	}
	p := &problem{status: k.status, kind: k.name, detail: k.detail}
	if r, ok := errors.AsType[*turn.Refusal](err); ok {
		p.detail = r.Message
	} else if a, ok := errors.AsType[*project.AwayError](err); ok {
		p.detail = strings.ToUpper(a.What[:1]) + a.Error()[1:] + "."
	} else if p.detail == "" {
		p.detail = err.Error() + ". Nothing was changed."
	}
	if broken := caught.Of(err); p.status == 500 && broken != nil {
		p.id = broken.ID
	} else if p.status == 500 {
		p.id = uuid.NewString()
	}
	return p
}

// answerError answers with err's problem, and logs err if the status is 5xx.
func (s *server) answerError(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return // the client has left
	}
	p := problemOf(err)
	if p.status >= 500 {
		s.Log.Error("request failed", "method", r.Method, "path", r.URL.Path, "status", p.status, "id", p.id, "err", err)
	}
	p.write(w)
}
