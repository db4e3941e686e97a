package folder

import (
	"fmt"
	"io/fs"
	"slices"
	"time"

	"vibey/tools/disk"
)

// Exact returns fs.ErrNotExist if the folder lists the entry name in another spelling. It
// returns nil where there is no such entry.
func (d *Folder) Exact(name string) error {
	listed, err := d.Spelled(name)
	if err == nil && listed != name {
		err = fmt.Errorf("%s is listed as %s: %w", name, listed, fs.ErrNotExist)
	}
	return err
}

// Spelled returns the name under which the folder lists the entry that it opens as name.
func (d *Folder) Spelled(name string) (string, error) {
	if !d.Folds(name) {
		return name, nil
	}
	at, err := d.Stat()
	if err != nil {
		return "", err
	}
	if l := d.listing.Load(); l != nil && l.at == at {
		if _, there := slices.BinarySearch(l.names, name); there {
			return name, nil
		}
	}
	names, err := d.Names()
	if err != nil {
		return "", err
	}
	if time.Since(at.ModTime()) > coarse {
		slices.Sort(names)
		d.listing.Store(&listing{at, names})
	}
	listed := disk.Listed(names, name)
	if listed == "" {
		err = fmt.Errorf("%s is listed by another name: %w", name, fs.ErrNotExist)
	}
	return listed, err
}

// Folds reports whether the folder may open name without listing it so.
func (d *Folder) Folds(name string) bool {
	return disk.Folds(func(name string) error { _, err := d.Lstat(name); return err }, name)
}

// listing is what a folder of a disk that folds names listed while it had that stamp, so
// that many readings of dialogs do not each list it: one of 10,000 takes 0.15 ms, and 24
// without it. A name that is not in it is looked for anew. Writers of docs do not use it.
type listing struct {
	at    Stamp
	names []string // sorted
}

// coarse is longer than the granularity of the times of disks that fold names, which is
// two seconds on vfat: a folder that changed so lately could change again under one stamp.
const coarse = 3 * time.Second
