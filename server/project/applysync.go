package project

import (
	"maps"
	"slices"

	"vibey/dialog/effect"
	"vibey/tools/disk"
	"vibey/tools/disk/tree"
)

// syncsEach is how many files and folders are synced one by one; with more it is their disk.
const syncsEach = 16

// syncNew makes what is moved into the deed outlive a power cut.
func (a *applying) syncNew() error {
	var names []string
	for _, c := range a.changes {
		if c.Kind != effect.Deleted && c.Type != effect.Link && !c.conflict {
			names = append(names, c.name())
		}
	}
	if err := a.p.halt("sync"); err != nil {
		return err
	}
	return syncIn(a.up, names)
}

// sync makes what changed in the deed outlive a power cut.
func (a *applying) sync() error {
	if err := a.p.halt("synced"); err != nil {
		return err
	}
	return syncIn(a.deed, slices.Collect(maps.Keys(a.touched)))
}

// syncIn syncs what has those names in d, one by one if they are few, else their disk. What
// is gone, as what was moved already, has no need.
func syncIn(d *tree.Folder, names []string) error {
	if len(names) <= syncsEach {
		left := slices.DeleteFunc(names, func(name string) bool {
			f, err := d.Read(name)
			if err != nil {
				return standsOther(err)
			}
			defer f.Close()
			return disk.SyncFolder(f) == nil
		})
		if len(left) == 0 {
			return nil
		}
	}
	f, err := d.Read(".")
	if err != nil {
		return err
	}
	defer f.Close()
	return disk.SyncDisk(f)
}
