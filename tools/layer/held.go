package layer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"vibey/dialog/effect"
	"vibey/tools/disk"
	"vibey/tools/disk/tree"
)

// Against holds changes that waited against the deed as it is. Of each, sorted by path, what an
// effect says must be set, Name, and BeforeMode if it is known. Against sets the rest: there is
// a Conflict where what stands in the deed has another hash than Before. It reads all files
// that are changed or deleted.
func Against(ctx context.Context, deed string, changes []Change) (err error) {
	r := reader{ctx: ctx}
	if r.low, err = tree.OpenDir(deed); err != nil {
		return disk.Cause(err)
	}
	defer r.low.Close()
	made := map[string]*Change{} // folders that come with the changes
	for i := range changes {
		c := &changes[i]
		c.Git = slices.ContainsFunc(strings.Split(c.Name, "/"), disk.IsGit)
		if above := made[path.Dir(c.Name)]; above != nil && c.Kind == effect.Added {
			c.Conflict = above.Conflict
		} else {
			c.Conflict = r.conflicts(c)
		}
		if c.Type == effect.Folder && c.Kind != effect.Deleted && c.Stood.Kind() != tree.DirKind {
			made[c.Name] = c
		}
	}
	r.remains(changes)
	return ctx.Err()
}

// remains marks as conflicts the folders that can't go for what has to stay in them, also what
// came there meanwhile.
func (r *reader) remains(changes []Change) {
	names := make(map[string]bool, len(changes))
	for i := range changes {
		names[changes[i].Name] = true
	}
	r.Changes, r.stay = changes, map[string]bool{}
	for i := range changes {
		c := &changes[i]
		if c.Stood.Kind() != tree.DirKind || c.Kind != effect.Deleted && c.Type == effect.Folder {
			continue
		}
		d, err := r.low.Sub(c.Name)
		if err != nil {
			continue // what removes it finds that
		}
		d.Each(func(name []byte, _ tree.Kind) bool {
			at := below(c.Name, string(name))
			if !names[at] {
				r.stay[at] = true
			}
			return names[at]
		})
		d.Close()
	}
	r.spread()
}

// conflicts looks at what stands in the deed, and reports whether that is not what the command saw.
func (r *reader) conflicts(c *Change) bool {
	at, err := r.low.Sub(path.Dir(c.Name)) // over no link
	if err == nil {
		c.Stood, err = at.Stat(path.Base(c.Name))
		at.Close()
	}
	known := c.BeforeMode != 0
	if !known {
		c.BeforeMode = modeOf(c.Stood)
	}
	is := c.Stood.Kind()
	switch {
	case err != nil && c.Kind == effect.Added:
		return at == nil || !errors.Is(err, fs.ErrNotExist)
	case err != nil:
		return c.Kind == effect.Changed || !errors.Is(err, fs.ErrNotExist)
	case c.Kind == effect.Added:
		return c.Type != effect.Folder || is != tree.DirKind
	case c.Before == "":
		return is != tree.DirKind
	}
	sha, err := r.sum(r.low, c.Name, c.Stood)
	return err != nil || sha != c.Before || known && is == tree.FileKind && modeOf(c.Stood).Perm() != c.BeforeMode.Perm()
}

// Barred returns those of changes that waited, but for conflicts, which may not come from the
// layer into the deed: what it has is not what they say, or Read would not have let it count.
// Who wrote what they say need not be this program.
func (l *Layer) Barred(ctx context.Context, changes []Change, o Options) (barred []effect.Refused, err error) {
	r := reader{Layer: l, Options: o, ctx: ctx}
	defer r.close()
	if err := r.open(); err != nil {
		return nil, err
	}
	changes = slices.DeleteFunc(slices.Clone(changes), func(c Change) bool { return c.Conflict })
	for i := range changes {
		c := &changes[i]
		e := entry{name: c.Name, path: c.Path, low: c.Stood}
		if c.Kind != effect.Deleted {
			e.up = stampIn(r.up, c.Name)
		}
		if e.up.Kind() == tree.DirKind {
			if d, err := r.openUp(spot{name: c.Name, stamp: e.up}); err == nil {
				d.Close()
			}
		}
		r.entries = append(r.entries, e)
	}
	if err := r.rule(false); err != nil {
		return nil, err
	}
	for i := range r.entries {
		if why, is := r.bars(&r.entries[i], &changes[i]); is {
			barred = append(barred, effect.Refused{Path: changes[i].Path, Why: why})
		}
	}
	return barred, ctx.Err()
}

// bars reports whether an entry may not come into the deed as the change c, and why.
func (r *reader) bars(e *entry, c *Change) (why string, is bool) {
	rule := r.ruled[e.name]
	if c.Kind == effect.Deleted || rule.Refused {
		return rule.Why, rule.Refused
	}
	has := changeOf(e)
	sha, err := r.sum(r.up, e.name, e.up)
	if err != nil || e.up == (tree.Stamp{}) || sha != c.After || has.Type != c.Type || has.Mode != c.Mode {
		return "which is not what was allowed", true
	}
	if ours := sha256.Sum256(rule.Text); rule.Text != nil && sha != hex.EncodeToString(ours[:]) {
		return "", true
	}
	why = r.refuses(e)
	return why, why != ""
}
