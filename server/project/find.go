package project

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"vibey/dialog"
	"vibey/server/project/folder"
)

// statuses are ordered by rank: of two files written in the same moment the one
// with the later status is taken, since a dialog that is done runs nothing.
var statuses = []dialog.Status{dialog.Active, dialog.Waiting, dialog.Done}

// found is the file of a dialog.
type found struct {
	name   string
	status dialog.Status
	stamp  folder.Stamp
	other  string // a second file of the same dialog, or ""
}

// newer reports whether a is the file to take of two for one dialog.
func (a found) newer(b found) bool {
	if a.stamp.Mtime != b.stamp.Mtime {
		return a.stamp.Mtime > b.stamp.Mtime
	}
	return slices.Index(statuses, a.status) > slices.Index(statuses, b.status)
}

// either returns the file to take of two for one dialog, which names the other: that of the
// turn that runs, else the newer.
func (p *Project) either(id string, a, b found) found {
	runs := (a.status == dialog.Active) != (b.status == dialog.Active) && p.held(id)
	if runs && b.status == dialog.Active || !runs && b.newer(a) {
		a, b = b, a
	}
	a.other = b.name
	return a
}

// shownStatus is the status of a dialog as it is shown. One whose file is called active,
// and that no process writes, waits: a kill left it, and its file could not be renamed, as
// on a disk that is read-only, or because a second file of it is there.
func (p *Project) shownStatus(id string, at found) dialog.Status {
	if at.status == dialog.Active && !p.Holds(id) && !p.held(id) && !p.locked(at.name) {
		return dialog.Waiting
	}
	return at.status
}

// find looks for a dialog under its three names. Of two files it takes one as either does.
// The error is fs.ErrNotExist only where the disk said so of each name.
func (p *Project) find(id string) (found, error) {
	if !dialog.ValidID(id) {
		return found{}, fmt.Errorf("dialog %q: %w", id, fs.ErrNotExist)
	}
	var at found
	why := fs.ErrNotExist
	for range 16 { // a rename to a name already looked at hides the file
		at = found{}
		twice := false
		for _, st := range statuses {
			next := found{name: dialog.Filename(id, st), status: st}
			var err error
			if next.stamp, err = p.dir.Lstat(next.name); err == nil && next.stamp.Plain {
				err = p.dir.Exact(next.name)
			}
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				why = err
			}
			if err != nil || !next.stamp.Plain {
				continue
			}
			switch {
			case at.name == "":
				at = next
			case at.stamp.Same(next.stamp):
				at.other, twice = next.name, true // renamed meanwhile, or a hard link
			default:
				at = p.either(id, at, next)
			}
		}
		if at.name != "" && !twice {
			return at, nil
		}
	}
	if at.name != "" {
		return at, nil
	}
	names, err := p.dir.Names()
	if why == fs.ErrNotExist && err != nil {
		why = err
	}
	if why != fs.ErrNotExist {
		return found{}, fmt.Errorf("dialog %s: %w", id, why)
	}
	for _, n := range names {
		if of, _, ok := dialog.ParseName(n); !ok || of != id {
			continue
		}
		if st, err := p.dir.Lstat(n); err != nil || st.Plain { // each time it had the name that was looked at before
			return found{}, fmt.Errorf("dialog %s is being renamed: %w", id, ErrBusy)
		}
	}
	return found{}, fmt.Errorf("dialog %s: %w", id, fs.ErrNotExist)
}

// StatusOf returns the status that the name of a dialog's file says. The error is
// fs.ErrNotExist where there is no such dialog.
func (p *Project) StatusOf(id string) (dialog.Status, error) {
	at, err := p.find(id)
	return at.status, err
}

// isDialog reports whether a valid file name is a dialog's; all others are docs.
func isDialog(name string) bool {
	_, _, ok := dialog.ParseName(name)
	return ok
}
