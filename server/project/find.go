package project

import (
	"fmt"
	"io/fs"
	"slices"

	"vibey/dialog"
)

// statuses are ordered by rank: of two files written in the same moment the one
// with the later status is taken, since a dialog that is done runs nothing.
var statuses = []dialog.Status{dialog.Active, dialog.Waiting, dialog.Done}

// found is the file of a dialog.
type found struct {
	name   string
	status dialog.Status
	stamp  stamp
	other  string // a second file of the same dialog, or ""
}

// newer reports whether a is the file to take of two for one dialog.
func (a found) newer(b found) bool {
	if a.stamp.mtime != b.stamp.mtime {
		return a.stamp.mtime > b.stamp.mtime
	}
	return slices.Index(statuses, a.status) > slices.Index(statuses, b.status)
}

// find looks for a dialog under its three names. Of two files it takes the one
// written last and names the other.
func (p *Project) find(id string) (found, error) {
	if !dialog.ValidID(id) {
		return found{}, fmt.Errorf("dialog %q: %w", id, fs.ErrNotExist)
	}
	var at found
	for range 16 { // a rename to a name already looked at hides the file
		at = found{}
		twice := false
		for _, st := range statuses {
			next := found{name: dialog.Filename(id, st), status: st}
			var err error
			if next.stamp, err = p.dir.lstat(next.name); err != nil || !next.stamp.plain || p.dir.exact(next.name) != nil {
				continue
			}
			switch {
			case at.name == "":
				at = next
			case at.stamp.same(next.stamp):
				at.other, twice = next.name, true // renamed meanwhile, or a hard link
			case next.newer(at):
				next.other = at.name
				at = next
			default:
				at.other = next.name
			}
		}
		if at.name != "" && !twice {
			return at, nil
		}
	}
	if at.name != "" {
		return at, nil
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
