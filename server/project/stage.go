package project

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"vibey/dialog/effect"
	"vibey/tools/disk"
	"vibey/tools/disk/tree"
	"vibey/tools/layer"
)

// Where a layer lies on another disk than the deed, what it has is copied to a folder in the
// deed first, so that each is put in its place by a rename. The folder's name is that of a file
// that is not written yet, which no list shows.

// ready has all that is moved on the deed's disk, whole, synced, and without what the kernel
// left in the layer for itself. None of that needs the lock: the layer is this program's. If
// across, or if the layer can be told to lie across mounts, it is copied, which is written down.
func (a *applying) ready(dir *os.Root, name string, across bool) (err error) {
	stages := !a.j.Staged && (across || !oneMount(a.up, a.deed))
	if stages {
		if err = a.readable(); err == nil {
			err = a.stage()
		}
	}
	if err == nil {
		err = a.ripen()
	}
	if err == nil {
		err = a.syncNew()
	}
	if err == nil && stages {
		err = a.j.write(dir, name)
	}
	return err
}

// ripen readies what lies in the layer or on the stage to be moved.
func (a *applying) ripen() (err error) {
	err = a.readable()
	for i := 0; i < len(a.changes) && err == nil; i++ {
		c := a.changes[i]
		isNew := c.Kind == effect.Added || c.changesType()
		if c.Kind == effect.Deleted || c.conflict || c.Type == effect.Folder && !isNew {
			continue
		}
		if !a.j.Staged {
			err = layer.Strip(filepath.Join(a.upPath, c.name()))
		}
		if err == nil && c.Type == effect.Folder {
			err = a.seeWhole(c)
		}
		if a.again && errors.Is(err, fs.ErrNotExist) { // it is in the deed
			err = nil
		}
		if c.whole {
			i = c.end - 1
		}
	}
	return err
}

// seeWhole looks whether all that is in a new folder of the layer counts.
func (a *applying) seeWhole(c *change) error {
	all := a.changes[c.at:c.end]
	if slices.ContainsFunc(all, func(b *change) bool { return b.Kind == effect.Deleted || b.conflict }) {
		return nil
	}
	names := make(map[string]bool, len(all))
	for _, b := range all {
		names[b.name()] = true
	}
	for _, b := range all {
		if b.Type != effect.Folder {
			continue
		}
		d, err := a.up.Sub(b.name())
		if err != nil {
			return err
		}
		counts := true
		err = d.Each(func(name []byte, _ tree.Kind) bool {
			counts = names[b.name()+"/"+string(name)]
			return counts
		})
		if err == nil && counts && b == c {
			err = d.Chmod(c.perm() | 0o700) // its entry ".." is written
		}
		d.Close()
		if err != nil || !counts {
			return err
		}
	}
	for _, b := range slices.Backward(all[1:]) {
		if err := a.chmodUp(b, 0); err != nil {
			return err
		}
	}
	c.whole = true
	return nil
}

// readable lets this program read and write the folders from which things are moved: the
// command may have let nobody.
func (a *applying) readable() error {
	for _, c := range a.changes {
		if err := a.chmodUp(c, 0o700); err != nil {
			return err
		}
	}
	return nil
}

// chmodUp gives a folder from which things are moved, unless it is in the deed already, the
// permissions that the command gave it, and more.
func (a *applying) chmodUp(c *change, more uint32) error {
	if c.Kind == effect.Deleted || c.conflict || c.Type != effect.Folder {
		return nil
	}
	err := unix.Chmod(filepath.Join(a.upPath, c.name()), c.perm()|more)
	if a.again && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// oneMount reports whether an entry of a can be renamed into b.
func oneMount(a, b *tree.Folder) bool {
	x, err := a.Self()
	y, err2 := b.Self()
	return err == nil && err2 == nil && x.Dev == y.Dev && a.Mount() == b.Mount()
}

// stage is its name in the deed.
func (j *journal) stage() string {
	return disk.TempName(string(j.Root) + "\x00" + j.Project + "\x00" + j.Call.Dialog + "\x00" + j.Call.ID)
}

// unstage removes the folder.
func (p *Project) unstage(j *journal) error {
	deed, err := os.OpenRoot(j.Layer.Deed)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer deed.Close()
	return tree.Remove(deed, j.stage())
}

// stage copies all that is moved. What a copy that was ended left is removed.
func (a *applying) stage() (err error) {
	if err := a.p.unstage(a.j); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			a.p.unstage(a.j) // it would take the room that may be missing
		}
	}()
	if err := a.deed.Mkdir(a.j.stage(), 0o700); err != nil {
		return err
	}
	to, err := a.deed.Sub(a.j.stage())
	if err != nil {
		return err
	}
	from := a.up
	a.up, a.upPath, a.j.Staged = to, filepath.Join(a.j.Layer.Deed, a.j.stage()), true
	defer from.Close()
	err = a.fill(func(c *change) (io.ReadCloser, int64, error) {
		if err := a.p.halt("stage"); err != nil {
			return nil, 0, err
		}
		st, err := from.Stat(c.name())
		if err != nil || c.Type == effect.Link {
			return io.NopCloser(strings.NewReader(from.Readlink(c.name()))), 0, err
		}
		f, err := from.Read(c.name())
		if errors.Is(err, fs.ErrPermission) && unix.Chmod(filepath.Join(a.j.Layer.Up(), c.name()), 0o600) == nil { // the command let nobody; the copy gets what it gave
			f, err = from.Read(c.name())
		}
		return f, st.Mtime, err
	})
	if err != nil {
		return fmt.Errorf("copy what the command wrote to the deed's disk: %w", err)
	}
	return nil
}

// fill puts what comes with the changes into up, which is empty. open opens a file, and tells
// its time of change; of a link it opens the text.
func (a *applying) fill(open func(c *change) (io.ReadCloser, int64, error)) error {
	for _, c := range a.changes {
		if c.Kind == effect.Deleted || c.conflict {
			continue
		}
		if err := a.fillOne(c, open); err != nil {
			return err
		}
	}
	for _, c := range slices.Backward(a.changes) {
		if c.Type == effect.Folder && c.Kind != effect.Deleted && !c.conflict {
			if err := chmodBelow(a.up, c.name(), c.perm()); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *applying) fillOne(c *change, open func(c *change) (io.ReadCloser, int64, error)) error {
	if c.Type == effect.Folder {
		return makeAll(a.up, c.name())
	}
	r, mtime, err := open(c)
	if a.again && errors.Is(err, fs.ErrNotExist) {
		return nil // it is in the deed
	}
	if err != nil {
		return err
	}
	defer r.Close()
	if err := makeAll(a.up, path.Dir(c.name())); err != nil {
		return err
	}
	at, err := a.up.Sub(path.Dir(c.name()))
	if err != nil {
		return err
	}
	defer at.Close()
	if c.Type == effect.Link {
		to, err := io.ReadAll(r)
		if err == nil {
			err = at.Symlink(string(to), path.Base(c.name()))
		}
		return err
	}
	return copyTo(at, path.Base(c.name()), r, c.perm(), mtime)
}

// copyTo writes a file with those permissions and that time of change.
func copyTo(at *tree.Folder, base string, r io.Reader, perm uint32, mtime int64) error {
	w, err := at.Create(base, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	if err == nil {
		err = unix.Fchmod(int(w.Fd()), perm&^(unix.S_ISUID|unix.S_ISGID))
	}
	if err = errors.Join(err, w.Close()); err == nil {
		err = at.SetMtime(base, time.Unix(0, mtime))
	}
	return err
}

// makeAll makes a folder below top, and those above it, unless they are there.
func makeAll(top *tree.Folder, name string) error {
	if name == "." {
		return nil
	}
	err := makeAll(top, path.Dir(name))
	if err != nil {
		return err
	}
	at, err := top.Sub(path.Dir(name))
	if err != nil {
		return err
	}
	defer at.Close()
	if err = at.Mkdir(path.Base(name), 0o700); errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

func chmodBelow(top *tree.Folder, name string, perm uint32) error {
	d, err := top.Sub(name)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Chmod(perm)
}
