package layer

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"time"

	"vibey/tools/disk/tree"
)

// Clear makes ready for Again the folder of a layer to which, as Read has found, its command
// wrote nothing. It reports false where the layer is to be dropped instead.
//
// A folder takes ext4 some 0.2 ms, and a layer has six, of which three are the kernel's: for
// most short commands that was more than all else about their layer.
func (l *Layer) Clear() bool {
	if l.By != Overlay || !l.unwritten {
		return false
	}
	left, err := os.ReadDir(l.Up())
	if err != nil || len(left) > 0 {
		return false
	}
	attrs, err := attrsOf(l.Up())
	if err != nil || slices.ContainsFunc(attrs, func(key string) bool { return key != "user.overlay.uuid" }) { // which each mount uses anew
		return false
	}
	// No folder that bears the mark of a volatile mount is mounted once more.
	work, err := os.OpenRoot(filepath.Join(l.Dir, "work"))
	if err != nil {
		return false
	}
	defer work.Close()
	return tree.Remove(work, "work") == nil
}

// Again returns a new layer above the same deed, in the folder of l, which was cleared: with
// the mode and the times that Make would give it.
func (l *Layer) Again() (*Layer, error) {
	info, err := os.Lstat(l.Deed)
	if err == nil {
		err = cmp.Or(os.Chmod(l.Up(), info.Mode()), os.Chtimes(l.Up(), time.Now(), time.Now()))
	}
	return &Layer{Dir: l.Dir, Deed: l.Deed, By: l.By, count: &counter{}}, err
}
