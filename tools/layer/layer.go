// Package layer keeps what a command writes to a project's deed apart from the deed until it
// counts. A Layer is a folder of ours: the command sees the deed through it, and what it
// changed is read from it as an effect (dialog/effect). server/project puts that into the
// deed; nothing else does.
//
//	l, err := layer.Make(dir, deed, layer.Overlay) // before the command; the sandbox mounts it
//	l.Begin()                                       // right before it runs
//	r, err := l.Read(ctx, layer.Options{})          // when all of its processes have ended
//	l.Drop()                                        // or Project.Apply, and then Drop
//
// Words of this package:
//
//   - layer: the folder above the deed; up: in it, what the command wrote; maker: how the
//     command comes to see both as one, Overlay (the kernel's) or Copy.
//   - lower: the deed below it, which the command does not write.
//   - refused: what a command wrote that never counts, such as a hook of git.
package layer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"vibey/dialog/effect"
	"vibey/tools/disk/tree"
	"vibey/tools/git"
)

// By is a maker of layers.
type By string

// The makers.
const (
	Overlay By = "overlay" // the kernel's overlayfs, mounted by the command's first process
	Copy    By = "copy"    // a copy of the deed, bound in its place
)

// Layer is one command's.
type Layer struct {
	Dir  string // its folder, absolute: Up is below it
	Deed string // the deed's folder, absolute and free of links
	By   By
	// Began is by the clock that stamps files: what was touched in the deed at that time or
	// later, the command may not have seen. Copy does without it.
	Began time.Time

	copied    usage // what Make put into Up
	count     *counter
	unwritten bool // Read found nothing at all in it
}

// stored is a Layer in JSON, whose strings are UTF-8, which a path need not be.
type stored struct {
	Dir, Deed []byte
	By        By
	Began     time.Time
}

// MarshalJSON implements json.Marshaler.
func (l Layer) MarshalJSON() ([]byte, error) {
	return json.Marshal(stored{[]byte(l.Dir), []byte(l.Deed), l.By, l.Began})
}

// UnmarshalJSON implements json.Unmarshaler.
func (l *Layer) UnmarshalJSON(b []byte) error {
	var s stored
	err := json.Unmarshal(b, &s)
	*l = Layer{Dir: string(s.Dir), Deed: string(s.Deed), By: s.By, Began: s.Began}
	return err
}

// Reading is what a command left in its layer, held against the deed as it is now.
type Reading struct {
	Changes []Change // by path; what is refused is not among them
	Times   []Time   // of what has another time of change and nothing else, and was not touched in the deed
	Refused []effect.Refused
}

// Time is a time of change, in nanoseconds since 1970, that a command gave a file of the deed.
type Time struct {
	Name     []byte // in the deed
	Was, New int64
}

// Change is one path of the deed that is not as the command found it.
type Change struct {
	effect.Change
	Name       string      // in the deed, as the disk has it: Path is made from it, and UTF-8
	BeforeMode fs.FileMode // permissions of what stood there; 0 for none
	Stood      tree.Stamp  // of what stood there when it was read; the zero Stamp for nothing
	Mtime      int64       // of what the command left there, nanoseconds since 1970
	Git        bool        // it lies in a git folder
	// Conflict: what stands there now was touched since the command began, or is not what it
	// found. Before is then of what stands there now.
	Conflict bool
}

// Listed reports whether a result tells of the change by its path: it is of a file or link
// outside of git's folders.
func (c *Change) Listed() bool {
	return !c.Git && (c.Type != effect.Folder || c.Stood.Kind() == tree.FileKind || c.Stood.Kind() == tree.LinkKind)
}

// ErrTooLarge is a deed that is not copied, and what a command wrote over the limit of a
// layer. The error that is of this kind has the numbers.
var ErrTooLarge = errors.New("too large for a layer")

// Make makes a layer's folder, which must not stand there; the one above it must, and
// should be on the deed's file system. Overlay costs three folders, whatever the deed's size. The
// error of Copy is ErrTooLarge or says what in the deed can't be copied; the folder is gone then.
func Make(dir, deed string, by By) (*Layer, error) {
	l := &Layer{Dir: dir, Deed: deed, By: by, count: &counter{}}
	info, err := os.Lstat(deed)
	if err == nil {
		err = os.Mkdir(dir, 0o700)
	}
	if err != nil {
		return nil, fmt.Errorf("make a layer: %w", err)
	}
	// A mounted overlay has the mode of its upper folder.
	err = cmp.Or(os.Mkdir(l.Up(), 0o700), os.Mkdir(filepath.Join(dir, "work"), 0o700), os.Chmod(l.Up(), info.Mode()))
	if err == nil && by == Copy {
		err = l.copyDeed()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make a layer: %w", err), l.Drop())
	}
	return l, nil
}

// Up is the folder that has what the command wrote. Of Copy it has all of the deed.
func (l *Layer) Up() string { return filepath.Join(l.Dir, "up") }

// Begin is called right before the command is let run. It takes the time from a stamp of
// the disk, whose clock need not be ours, and of which each that was written before is
// earlier. Since Linux 6.13 a second stamp in one tick of that clock is exact if the first was
// looked at, and no later one is before it; elsewhere Begin waits for the next tick, 4 ms or so.
func (l *Layer) Begin() {
	l.Began = time.Now().Add(-10 * time.Millisecond)
	for try := range 20 {
		info, err := os.Stat(l.Up())
		if err != nil || os.Chmod(l.Up(), info.Mode()) != nil {
			return
		}
		stamp, err := tree.StampOf(l.Up())
		if now := time.Unix(0, stamp.Ctime); err == nil && !now.Equal(l.Began) {
			l.Began = now
			if try > 0 {
				return
			}
		} else if try > 1 {
			time.Sleep(time.Millisecond / 2)
		}
	}
}

// Drop removes all of the layer. That it is not there is no error.
func (l *Layer) Drop() error {
	above, err := os.OpenRoot(filepath.Dir(l.Dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = tree.Remove(above, filepath.Base(l.Dir))
		above.Close()
	}
	if err != nil {
		return fmt.Errorf("drop a layer: %w", err)
	}
	return nil
}

// Options say how a layer is read.
type Options struct {
	// Hash is how many of the changes that are Listed get Before and After, the first by path,
	// and no others do; 0 means all changes, a negative number none. What is changed is known of all of them.
	Hash int
	// LinkOK reports whether a new link may lead out of the deed to target. name is the
	// link's in the deed. With nil none may.
	LinkOK func(name, target string) bool
	// Known returns the hash that a file was known to have before the command, if any: where it
	// has that one still, it was not touched, whatever its time says. nil knows none.
	Known func(path string) (sha string, ok bool)
	Human git.Human // what is the human's of git's
	Plain bool      // git's rules don't hold: no human uses git there
}

// Effect is what a human is asked about. What a command saw where there is a Conflict is not
// known: such a change is a Changed without Before, which no deed is taken for.
func (r *Reading) Effect() effect.Effect {
	all := make([]effect.Change, len(r.Changes))
	for i := range r.Changes {
		c := &r.Changes[i]
		if all[i] = c.Change; c.Conflict {
			all[i].Before = ""
		}
		if c.Conflict && c.Kind == effect.Added {
			all[i].Kind = effect.Changed
		}
	}
	return effect.Of(all)
}
