package layer

import (
	"encoding/gob"
	"os"
	"path/filepath"

	"vibey/tools/disk/tree"
)

// record is what Copy writes down, in Dir/copied.
type record struct {
	All   map[string]copied // by name in the deed
	Usage usage             // of the copy
}

func (l *Layer) recordPath() string { return filepath.Join(l.Dir, "copied") }

// readRecord reads it again: a layer may be read by another process than made it.
func (l *Layer) readRecord() (r record, err error) {
	f, err := os.Open(l.recordPath())
	if err != nil {
		return r, err
	}
	defer f.Close()
	return r, gob.NewDecoder(f).Decode(&r)
}

// copies reads what a command made of a copy of the deed.
type copies struct {
	all   map[string]copied
	began int64 // nanoseconds since 1970
}

func (c *copies) covers(name string, up tree.Stamp) bool { return !c.same(name, up) }

// as takes a folder for what it was if its mode is: its entries are read anyway.
func (c *copies) as(name string, up tree.Stamp) bool {
	return c.same(name, up) || up.Kind() == tree.DirKind && c.all[name].Up.Mode == up.Mode
}

// same reports whether nothing was done to an entry. Where stamps are coarse, one may have been
// written in the same tick in which it was copied.
func (c *copies) same(name string, up tree.Stamp) bool {
	is, has := c.all[name]
	return has && sameStamp(is.Up, up) && up.Ctime < c.began
}

func (c *copies) saw(name string) bool { _, has := c.all[name]; return has }
func (c *copies) whiteout(uint64) bool { return false }

func (c *copies) touched(name string, low, _ tree.Stamp) bool {
	is := c.all[name]
	if is.Low.Kind() == tree.DirKind && low.Kind() == tree.DirKind {
		return is.Low.Inode != low.Inode || is.Low.Mode != low.Mode
	}
	return !sameStamp(is.Low, low)
}

// sameStamp reports whether nothing was done to what has the stamps.
func sameStamp(a, b tree.Stamp) bool {
	return a.Ctime == b.Ctime && a.Inode == b.Inode && a.Size == b.Size
}
