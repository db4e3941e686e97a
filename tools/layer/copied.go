package layer

import (
	"encoding/gob"
	"os"

	"vibey/tools/disk/tree"
)

// copies reads what a command made of a copy of the deed.
type copies map[string]copied

func (l *Layer) makerOf() (maker, error) {
	if l.By != Copy {
		return &overlay{l.Up(), l.Began.UnixNano()}, nil
	}
	f, err := os.Open(l.record())
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all copies
	return all, gob.NewDecoder(f).Decode(&all)
}

func (all copies) covers(name string, up tree.Stamp) bool {
	is, has := all[name]
	return !has || !sameStamp(is.Up, up)
}

// as takes a folder for what it was if its mode is: its entries are read anyway.
func (all copies) as(name string, up tree.Stamp) bool {
	is, has := all[name]
	return has && (sameStamp(is.Up, up) || up.Kind() == tree.DirKind && is.Up.Mode == up.Mode)
}

func (all copies) saw(name string) bool { _, has := all[name]; return has }
func (all copies) whiteout(uint64) bool { return false }

func (all copies) touched(name string, low, _ tree.Stamp) bool {
	is, has := all[name]
	if is.Low.Kind() == tree.DirKind && low.Kind() == tree.DirKind {
		return is.Low.Inode != low.Inode || is.Low.Mode != low.Mode
	}
	if !has {
		return low != tree.Stamp{}
	}
	return !sameStamp(is.Low, low)
}

// sameStamp reports whether nothing was done to what has the stamps.
func sameStamp(a, b tree.Stamp) bool { return a.Ctime == b.Ctime && a.Inode == b.Inode }
