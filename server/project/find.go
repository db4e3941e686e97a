package project

import (
	"fmt"
	"io/fs"

	"vibey/dialog"
)

// statuses in the order in which, of two files written in the same moment, the
// later one is taken: what is done runs nothing.
var statuses = [...]dialog.Status{dialog.Active, dialog.Waiting, dialog.Done}

// found is the file of a dialog.
type found struct {
	name   string
	status dialog.Status
	stamp  stamp
	other  string // a second file of the same dialog, or ""
}

// newer tells whether a is the file to take of two for one dialog.
func (a found) newer(b found) bool {
	if a.stamp.mtime != b.stamp.mtime {
		return a.stamp.mtime > b.stamp.mtime
	}
	return rank(a.status) > rank(b.status)
}

func rank(st dialog.Status) int {
	for i, s := range statuses {
		if s == st {
			return i
		}
	}
	return -1
}

// find looks for a dialog under its three names. Of two files it takes the one
// written last and names the other.
func (p *Project) find(id string) (found, error) {
	if !dialog.ValidID(id) {
		return found{}, fmt.Errorf("dialog %q: %w", id, fs.ErrNotExist)
	}
	var at found
	for range 4 { // it may be renamed from a name not yet looked at to one that was
		at = found{}
		twice := false
		for _, st := range statuses {
			next := found{name: dialog.Filename(id, st), status: st}
			var err error
			if next.stamp, err = p.dir.lstat(next.name); err != nil || !next.stamp.plain {
				continue
			}
			switch {
			case at.name == "":
				at = next
			case at.stamp.same(next.stamp):
				at.other, twice = next.name, true // renamed while we looked, or linked
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

// isDialog reports whether a valid file name is a dialog's; all others are docs.
func isDialog(name string) bool {
	_, _, ok := dialog.ParseName(name)
	return ok
}
