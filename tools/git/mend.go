package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"

	"vibey/tools/disk"
)

// Disarmed is the ending of a name at which something stands that git must not find.
const Disarmed = ".disarmed"

// passes are how often a folder is gone through that shows more each time.
const passes = 5

var (
	// ErrMended is that not all could be mended: of each it was told.
	ErrMended = errors.New("not all of it could be disarmed")
	// ErrOther is why a folder is not mended in whose place another one stands now.
	ErrOther    = errors.New("another folder stands at its path now")
	errChanging = errors.New("there was more to undo each time")
)

// Mend holds the folder against what stood there before, nil for nothing: what Judge
// refuses is put back or gets a name that git does not know, and nothing is lost. With
// shielded the git folders that stood there before could not be written, and are left alone.
// It returns what it did, each in words that begin with a name. With an error some of it may
// stand, and the same call is to be made again, but for ErrOther and fs.ErrNotExist.
func (f Folder) Mend(ctx context.Context, before *Standing, shielded bool) (told []string, err error) {
	for range passes {
		m := &mending{before: before}
		if before == nil {
			m.before = &Standing{}
		}
		now, failed := f.stand(ctx, m.before)
		if failed != nil && now.Inode == 0 { // it can't be opened
			return told, failed
		}
		if before != nil && (now.Dev != before.Dev || now.Inode != before.Inode) {
			return told, ErrOther
		}
		if m.root, err = openFolder(f.Dir); err != nil {
			return told, err
		}
		v := Views{After: m.root, Dir: f.Dir, Named: m.before.Named}
		if before != nil {
			v.Before = before
		}
		m.all(now, v, shielded)
		m.root.Close()
		if told = append(told, m.told...); failed != nil || m.err != nil || !m.did {
			return told, cmp.Or(failed, m.err)
		}
	}
	return told, errChanging
}

type mending struct {
	root   *os.Root
	before *Standing
	told   []string
	did    bool
	err    error
}

// all mends all that is touched.
func (m *mending) all(now *Standing, v Views, shielded bool) {
	var touched []Touched
	for name, is := range now.Items {
		if was, ok := m.before.Items[name]; !ok || !was.same(is, name) {
			touched = append(touched, Touched{name, false})
		}
	}
	for name := range m.before.Items {
		if _, ok := now.Items[name]; !ok {
			touched = append(touched, Touched{name, true})
		}
	}
	if shielded {
		touched = slices.DeleteFunc(touched, func(t Touched) bool {
			for at := t.Name; at != "."; at = path.Dir(at) {
				if is := now.Items[at].Inode; is != 0 && m.before.Items[at].Inode == is {
					return true
				}
			}
			return false
		})
	}
	verdicts := Judge(touched, v)
	for _, name := range slices.Sorted(maps.Keys(verdicts)) {
		did, err := "", error(nil)
		switch v := verdicts[name]; {
		case v.Text != nil:
			did, err = m.rewrite(name, v)
		case v.Why != "":
			did, err = m.refuse(name)
		}
		if err != nil {
			m.err = ErrMended
			did = fmt.Sprintf("could not be disarmed or put back (%v): don't use git there before you looked at it", disk.Cause(err))
		}
		if did != "" {
			m.did = true
			m.told = append(m.told, visible(name)+": "+did)
		}
	}
}

// refuse puts back what stood at a name; what stands there now gets another one.
func (m *mending) refuse(name string) (string, error) {
	was, old := m.before.Items[name]
	aside, err := m.aside(name)
	if err != nil || aside == "" && !old {
		return "", err
	}
	if !old {
		return "is now " + path.Base(aside), nil
	}
	switch kind := was.Mode.Type(); {
	case kind.IsDir():
		err = m.root.MkdirAll(name, 0o755)
	case kind&fs.ModeSymlink != 0:
		m.root.MkdirAll(path.Dir(name), 0o755)
		err = m.root.Symlink(string(was.Text), name)
	default:
		err = m.write(name, was.Text, was.Mode.Perm())
	}
	if aside == "" {
		return "put back, for it had been taken away", err
	}
	return "put back as it was; what had come in its place is " + path.Base(aside), err
}

// rewrite gives a config the text that it may have, in a file of its own.
func (m *mending) rewrite(name string, v Verdict) (kept string, err error) {
	if v.Why != "" {
		aside, err := m.aside(name)
		if err != nil {
			return "", err
		}
		kept = v.Why + ". As it was it is " + path.Base(aside)
	}
	return kept, m.write(name, v.Text, 0o644)
}

// write makes a file whole beside its name before it gets it.
func (m *mending) write(name string, text []byte, mode fs.FileMode) error {
	m.root.MkdirAll(path.Dir(name), 0o755)
	uncover(m.root, path.Dir(name))
	_, err := disk.ChangeWhen(m.root, name, mode, mode, func(*os.File) ([]byte, error) { return text, nil }, nil)
	return err
}

// aside renames what stands at a name, and returns the name that it has then; "" where
// nothing stands there. A pipe, for which git would wait, is removed.
func (m *mending) aside(name string) (string, error) {
	info, err := m.root.Lstat(name)
	if err != nil {
		return "", nil
	}
	uncover(m.root, path.Dir(name))
	if info.Mode().Type()&^(fs.ModeDir|fs.ModeSymlink) != 0 {
		return "removed", m.root.Remove(name)
	}
	to := name + Disarmed
	for n := 2; n < 20 && exists(m.root, to); n++ { // then the last is replaced each time
		to = fmt.Sprintf("%s-%d%s", name, n, Disarmed)
	}
	if err = m.root.Rename(name, to); err != nil { // a folder stands where it should go
		m.root.RemoveAll(to)
		err = m.root.Rename(name, to)
	}
	return to, err
}
