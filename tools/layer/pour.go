package layer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"vibey/dialog/effect"
	"vibey/tools/disk/tree"
)

// Pour puts what is in the layer into the folder below it, entry by entry and without a
// journal: that is for a folder which holds no human's work, such as the HOME of commands. What
// was touched there meanwhile stays.
func (l *Layer) Pour(ctx context.Context) error {
	r, err := l.Read(ctx, Options{Hash: -1, Plain: true, LinkOK: func(string, string) bool { return true }})
	if err != nil || len(r.Changes) == 0 {
		return err
	}
	p := pouring{}
	if p.up, err = tree.OpenDir(l.Up()); err == nil {
		defer p.up.Close()
		p.below, err = tree.OpenDir(l.Deed)
	}
	if err != nil {
		return fmt.Errorf("pour a layer: %w", err)
	}
	defer p.below.Close()
	r.Changes = slices.DeleteFunc(r.Changes, func(c Change) bool { return c.Conflict })
	for _, c := range slices.Backward(r.Changes) { // what a folder holds stands behind it
		if c.Kind == effect.Deleted || c.Stood.Kind() == tree.DirKind && c.Type != effect.Folder {
			err = errors.Join(err, p.remove(c.Name))
		}
	}
	for _, c := range r.Changes {
		if c.Kind != effect.Deleted {
			err = errors.Join(err, p.put(&c))
		}
	}
	for _, c := range slices.Backward(r.Changes) { // only now: one may not be written to any more
		if c.Kind != effect.Deleted && c.Type == effect.Folder {
			err = errors.Join(err, p.chmod(&c))
		}
	}
	return err
}

// pouring is one Pour at work.
type pouring struct{ up, below *tree.Folder }

func (p pouring) remove(name string) error {
	at, err := p.below.Sub(path.Dir(name))
	if err != nil {
		return err
	}
	defer at.Close()
	if err = at.Unlink(path.Base(name)); err != nil {
		err = at.Rmdir(path.Base(name))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (p pouring) put(c *Change) error {
	at, err := p.below.Sub(path.Dir(c.Name))
	if err != nil {
		return err
	}
	defer at.Close()
	base := path.Base(c.Name)
	if c.Type == effect.Folder {
		if c.Stood.Kind() == tree.FileKind || c.Stood.Kind() == tree.LinkKind {
			at.Unlink(base)
		}
		if err = at.Mkdir(base, fs.FileMode(c.Perm()&0o777|0o700)); errors.Is(err, fs.ErrExist) {
			return nil
		}
		return err
	}
	from, err := p.up.Sub(path.Dir(c.Name))
	if err != nil {
		return err
	}
	defer from.Close()
	return from.Move(base, at, base, false)
}

func (p pouring) chmod(c *Change) error {
	at, err := p.below.Sub(c.Name)
	if err != nil {
		return err
	}
	defer at.Close()
	return at.Chmod(c.Perm() & 0o777)
}
