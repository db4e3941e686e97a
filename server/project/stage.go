package project

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"vibey/dialog/effect"
	"vibey/tools/disk"
	"vibey/tools/disk/tree"
)

// Where a layer lies on another disk than the deed, or its bytes in .kept, they are copied to
// a folder in the deed first, so that each is put in its place by a rename. The folder's name
// is that of a file that is not written yet, which no list shows.

// stage is its name in the deed.
func (j *journal) stage() string {
	return disk.TempName(j.Root + "\x00" + j.Project + "\x00" + j.Call.Dialog + "\x00" + j.Call.ID)
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
	if from != nil {
		defer from.Close()
	}
	made := map[string]bool{".": true}
	for _, c := range a.changes {
		if c.Kind == effect.Deleted || c.conflict {
			continue
		}
		if err := a.p.halt("stage"); err != nil {
			return err
		}
		if err := a.copy(from, c, made); err != nil {
			return fmt.Errorf("copy what the command wrote to the deed's disk: %w", err)
		}
	}
	for i := len(a.changes) - 1; i >= 0; i-- {
		if c := a.changes[i]; made[c.name()] && c.Type == effect.Folder && c.Kind != effect.Deleted {
			if err := chmodBelow(to, c.name(), c.perm()); err != nil {
				return err
			}
		}
	}
	return nil
}

// copy copies one change to the stage.
func (a *applying) copy(from *tree.Folder, c *change, made map[string]bool) error {
	if c.Type == effect.Folder {
		return a.makeAll(c.name(), made)
	}
	if err := a.makeAll(path.Dir(c.name()), made); err != nil {
		return err
	}
	at, err := a.up.Sub(path.Dir(c.name()))
	if err != nil {
		return err
	}
	defer at.Close()
	base := path.Base(c.name())
	if from == nil {
		return a.copyKept(at, base, c)
	}
	st, err := from.Stat(c.name())
	if a.again && errors.Is(err, fs.ErrNotExist) {
		return nil // it is in the deed
	}
	if err != nil {
		return err
	}
	if c.Type == effect.Link {
		return at.Symlink(from.Readlink(c.name()), base)
	}
	f, err := from.Read(c.name())
	if err != nil {
		return err
	}
	defer f.Close()
	return copyTo(at, base, f, c.perm(), st.Mtime)
}

// copyKept is copy from .kept. Its bytes are checked to be those of the hash.
func (a *applying) copyKept(at *tree.Folder, base string, c *change) error {
	b, err := a.p.Kept(c.After)
	if err != nil {
		return err
	}
	if c.Type == effect.Link {
		return at.Symlink(string(b), base)
	}
	return copyTo(at, base, bytes.NewReader(b), c.perm(), c.New)
}

// copyTo writes a file with those permissions and that time of change, 0 for now.
func copyTo(at *tree.Folder, base string, r io.Reader, perm fs.FileMode, mtime int64) error {
	w, err := at.Create(base, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	if err == nil {
		err = w.Chmod(perm)
	}
	if err = errors.Join(err, w.Close()); err == nil && mtime != 0 {
		err = at.SetMtime(base, time.Unix(0, mtime))
	}
	return err
}

// makeAll makes a folder of the stage, and those above it.
func (a *applying) makeAll(name string, made map[string]bool) error {
	if made[name] {
		return nil
	}
	if err := a.makeAll(path.Dir(name), made); err != nil {
		return err
	}
	at, err := a.up.Sub(path.Dir(name))
	if err != nil {
		return err
	}
	defer at.Close()
	made[name] = true
	return at.Mkdir(path.Base(name), 0o700)
}

func chmodBelow(top *tree.Folder, name string, perm fs.FileMode) error {
	d, err := top.Sub(name)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Chmod(perm)
}
