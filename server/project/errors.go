package project

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"vibey/server/project/folder"
	"vibey/tools/disk"
)

// The kinds of errors besides io/fs's: fs.ErrNotExist for what is missing,
// fs.ErrExist for a name that is taken.
var (
	// ErrName is a project's, document's or dialog's name that is not allowed.
	ErrName = errors.New("this name is not allowed")
	// ErrDeed is a deed folder that can't be linked to.
	ErrDeed = errors.New("this folder can't be the deed")
	// ErrLeads is a project's deed that is, holds, or lies in a folder which is
	// not its own: the state dir, the projects' folder, a project.
	ErrLeads = errors.New("deed leads where agents must not write")
	// ErrLeft is a project that was deleted, and files of it that could not be
	// removed. They lie aside, where no list has them.
	ErrLeft = errors.New("the project is deleted, but something of it is left")
	// ErrUTF8 is a document's content that is not UTF-8. Nothing was written.
	ErrUTF8 = errors.New("the text is not UTF-8")
	// ErrNoPage is a text that can't be taken in as a doc. Nothing was written.
	ErrNoPage = errors.New("no doc can be made of this file")
	// ErrNotPlain is a folder, link, pipe or device where a file should be.
	// It is never opened. It is wrapped together with fs.ErrNotExist by a read,
	// with fs.ErrExist by a write.
	ErrNotPlain = folder.ErrNotPlain
	// ErrBusy is a dialog that a turn of this server, or another process, is writing.
	ErrBusy = folder.ErrBusy
	// ErrUnkept is an effect that waits and whose bytes are gone, or lie on another machine.
	ErrUnkept = errors.New("what it wrote is no longer kept")

	// ErrHeld is a project whose lock another program keeps. Nothing was changed.
	ErrHeld = errors.New("the project's lock is held")
	// ErrElsewhere is a dialog that another process writes.
	ErrElsewhere = errors.New("another program is writing a dialog of the project")
	// ErrActive is an edit or a deletion of a dialog that runs.
	ErrActive = errors.New("the dialog is active")
	// ErrTwoFiles is a dialog with two files, of different statuses. Nothing is written
	// to it while both are there.
	ErrTwoFiles = errors.New("two files of one dialog are in the folder; delete one of them, or run `vibey repair`, which makes the older one a dialog of its own")
	// ErrConflict is a text that another writer changed meanwhile.
	// *ConflictError and *OverwrittenError are of this kind.
	ErrConflict = errors.New("the file was changed by somebody else")
)

// wrap puts in front of an error what failed: "append to ID: …". It is deferred.
func wrap(err *error, format string, args ...any) {
	if *err != nil {
		*err = fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), *err)
	}
}

// twoFiles is ErrTwoFiles with their names.
func twoFiles(a, b string) error { return fmt.Errorf("%w (%s and %s)", ErrTwoFiles, a, b) }

// ConflictError is a write whose ifMatch does not match. Nothing was written.
// Current is the file as it is now; its ETag is "" if it is missing.
type ConflictError struct{ Current File }

func (e *ConflictError) Error() string {
	if e.Current.ETag == "" {
		return fmt.Sprintf("%s: %v: it was deleted", e.Current.Name, ErrConflict)
	}
	return fmt.Sprintf("%s: %v", e.Current.Name, ErrConflict)
}

// Is makes a ConflictError an ErrConflict.
func (e *ConflictError) Is(target error) bool { return target == ErrConflict }

// OverwrittenError is a running dialog whose file vanished, or was overwritten by an
// editor that did not have what the turn had written. The editor's text stays under
// the dialog's name, followed by Notes for the calls that ran, so that none runs
// twice. The turn's text, with the sections of the refused append, is kept in the
// dialog file Kept. Kept is "" if nothing of it was missing, or if it could not be
// written; then Err is the cause.
type OverwrittenError struct {
	ID   string
	Kept string
	Gone bool // the file vanished; this DialogFile can only be closed
	Err  error
}

func (e *OverwrittenError) Error() string {
	what := "its file was overwritten"
	if e.Gone {
		what = "its file vanished"
	}
	s := fmt.Sprintf("dialog %s: %s while it ran", e.ID, what)
	if e.Kept != "" {
		s += "; the text of the run is kept as " + e.Kept
	}
	if e.Err != nil {
		s += "; " + e.Err.Error()
	}
	return s
}

// Is makes a OverwrittenError an ErrConflict.
func (e *OverwrittenError) Is(target error) bool { return target == ErrConflict }

func (e *OverwrittenError) Unwrap() error { return e.Err }

// Reason says within a sentence why something failed whose error is of no one kind: what
// the system said, in the order of the alphabet, or that the log has it.
func Reason(err error) string {
	var said []string
	for _, e := range disk.Causes[syscall.Errno](err) {
		said = append(said, e.Error())
	}
	if len(said) == 0 {
		return "for a reason of its own that stands in its log"
	}
	slices.Sort(said)
	return "for the system said: " + strings.Join(slices.Compact(said), "; ") + ". Its log has more"
}
