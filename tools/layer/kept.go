package layer

import (
	"io/fs"
	"os"
	"path"
	"time"

	"vibey/dialog/effect"
	"vibey/tools/disk/tree"
	"vibey/tools/git"
)

// Barred returns those of the changes that Read would not have let count. It is for an effect
// that comes from a text, and its bytes from elsewhere, which says nothing of who wrote them.
// after returns a file's new bytes, or where a new link leads.
func Barred(deed string, changes []Change, after func(*Change) []byte, o Options) (barred []effect.Refused, err error) {
	lower, err := os.OpenRoot(deed)
	if err != nil {
		return nil, err
	}
	defer lower.Close()
	v := told{lower, make(map[string]*Change, len(changes)), after}
	touched := make([]git.Touched, len(changes))
	for i := range changes {
		c := &changes[i]
		v.changes[c.Name] = c
		touched[i] = git.Touched{Name: c.Name, Gone: c.Kind == effect.Deleted}
	}
	ruled := rulesOf(touched, lower, v, o.Human)
	r := reader{Layer: &Layer{Deed: deed}, Options: o}
	for i := range changes {
		c := &changes[i]
		rule := ruled[c.Name]
		if c.Kind != effect.Deleted && !rule.Refused {
			rule.Why = r.never(c.Name, kinds[c.Type], c.Perm(), func() string { return string(after(c)) })
			rule.Refused = rule.Why != "" || rule.Text != nil && string(rule.Text) != string(after(c))
		}
		if rule.Refused {
			barred = append(barred, effect.Refused{Path: c.Path, Why: rule.Why})
		}
	}
	return barred, nil
}

var kinds = map[effect.Type]tree.Kind{effect.File: tree.FileKind, effect.Link: tree.LinkKind, effect.Folder: tree.DirKind}

// told is the deed as it would be with changes that are known by what is told of them.
type told struct {
	lower   *os.Root
	changes map[string]*Change
	after   func(*Change) []byte
}

func (v told) Lstat(name string) (fs.FileInfo, error) {
	c := v.changes[name]
	switch {
	case c == nil:
		return v.lower.Lstat(name)
	case c.Kind == effect.Deleted:
		return nil, fs.ErrNotExist
	}
	return info{c}, nil
}

func (v told) ReadFile(name string) ([]byte, error) {
	if c := v.changes[name]; c != nil {
		return v.after(c), nil
	}
	return v.lower.ReadFile(name)
}

// info is a change's.
type info struct{ *Change }

func (i info) Name() string { return path.Base(i.Change.Name) }
func (i info) Size() int64  { return i.Bytes }
func (i info) Mode() fs.FileMode {
	return map[effect.Type]fs.FileMode{effect.Link: fs.ModeSymlink, effect.Folder: fs.ModeDir}[i.Type]
}
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.Type == effect.Folder }
func (i info) Sys() any           { return nil }
