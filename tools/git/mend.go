package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"vibey/tools/disk"
)

// Disarmed is the ending of a name at which something stands that git must not find.
const Disarmed = ".disarmed"

// passes are how often a folder is gone through that shows more each time.
const passes = 5

// maxTold is how much of what was done is told.
const maxTold = 1000

var (
	// ErrMended is that not all could be mended: of each it was told.
	ErrMended    = errors.New("not all of it could be disarmed")
	errChanging  = errors.New("there was more to undo each time")
	whyHomeLinks = "was a link into the HOME of commands, where git could find a repository"
)

// Mending says how a folder is mended.
type Mending struct {
	Shared   bool // see Views
	Shielded bool // the git folders that stood there before could not be written
}

// Mend holds the folder against what stood there before, nil for nothing: what Judge
// refuses is put back or gets a name that git does not know, and nothing is lost. It
// returns what it did, each in words that begin with a name. With an error some of it may
// stand, and the same call is to be made again, but for ErrOther and fs.ErrNotExist.
func (f Folder) Mend(ctx context.Context, before *Standing, how Mending) (told []string, err error) {
	for range passes {
		now, failed := f.stand(ctx, before)
		if failed != nil && now.Inode == 0 { // it can't be opened
			return told, failed
		}
		if before != nil && (now.Dev != before.Dev || now.Inode != before.Inode) {
			return told, ErrOther
		}
		root, err := openFolder(f.Dir)
		if err != nil {
			return told, err
		}
		m := &mending{root: root, before: before, now: now}
		m.all(f, how)
		root.Close()
		told = append(told, m.told[:min(len(m.told), maxTold-len(told))]...)
		if failed != nil {
			return told, errors.Join(failed, m.err)
		}
		if m.err != nil || !m.did {
			return told, m.err
		}
	}
	return told, errChanging
}

// With is how to mend after both.
func (h Mending) With(o Mending) Mending {
	return Mending{Shared: h.Shared || o.Shared, Shielded: h.Shielded && o.Shielded}
}

type mending struct {
	root   *os.Root
	before *Standing
	now    *Standing
	told   []string
	did    bool
	err    error
}

// all mends all that is touched.
func (m *mending) all(f Folder, how Mending) {
	v := Views{After: m.root, Dir: f.Dir, Human: f.Human, Shared: how.Shared}
	if m.before != nil {
		v.Before, v.named = m.before, m.before.Leads
	}
	var touched []Touched
	for name, is := range m.now.Items {
		if was, ok := m.was(name); !ok || !was.same(is) {
			touched = append(touched, Touched{name, false})
		}
	}
	if m.before != nil {
		for name := range m.before.Items {
			if _, ok := m.now.Items[name]; !ok {
				touched = append(touched, Touched{name, true})
			}
		}
	}
	if how.Shielded {
		touched = slices.DeleteFunc(touched, func(t Touched) bool { return m.shielded(t.Name) })
	}
	verdicts := Judge(touched, v)
	for _, t := range touched {
		if m.now.exits[t.Name] && !t.Gone && !verdicts[t.Name].Refused {
			verdicts[t.Name] = Verdict{Refused: true, Why: whyHomeLinks}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(verdicts)) {
		m.mend(name, verdicts[name])
	}
	for _, name := range slices.Sorted(maps.Keys(verdicts)) {
		if v := verdicts[name]; v.runs() && !m.did && m.before != nil { // once, and only if no config of a command's says so
			m.before.Items[name] = m.now.Items[name]
			m.told = append(m.told, strings.Map(visible, name)+": "+v.Why)
		}
	}
}

// runs reports whether a verdict does no more than tell of a program.
func (v Verdict) runs() bool { return !v.Refused && v.Text == nil }

func (m *mending) was(name string) (item Item, ok bool) {
	if m.before != nil {
		item, ok = m.before.Items[name]
	}
	return item, ok
}

// shielded reports whether a name is, or lies in, a git folder that stood there before.
func (m *mending) shielded(name string) bool {
	for at := name; at != "."; at = path.Dir(at) {
		if was, ok := m.was(at); ok && was.Inode != 0 && was.Inode == m.now.Items[at].Inode {
			return true
		}
	}
	return false
}

// mend does what a verdict says, and tells it.
func (m *mending) mend(name string, v Verdict) {
	did, err := "", error(nil)
	switch {
	case v.Refused && v.Why != "":
		did, err = m.refuse(name)
	case v.Text != nil:
		did, err = m.rewrite(name, v)
	}
	if err != nil {
		m.err = ErrMended
		did = fmt.Sprintf("could not be disarmed or put back (%v): don't use git there before you looked at it", disk.Cause(err))
	}
	if did != "" {
		m.did = true
		m.told = append(m.told, strings.Map(visible, name)+": "+did)
	}
}

// refuse puts back what stood at a name; what stands there now gets another one.
func (m *mending) refuse(name string) (string, error) {
	was, old := m.was(name)
	aside, err := m.aside(name)
	if err != nil || aside == "" && !old {
		return "", err
	}
	switch {
	case !old && m.now.exits[name]:
		return whyHomeLinks + ", and was removed", nil
	case was.Sum != nil && aside == "":
		return "", nil
	case !old:
		return "is now " + path.Base(aside), nil
	case was.Sum != nil:
		return "was changed, and what stood there was too big to be put back", nil
	}
	switch kind := was.Mode.Type(); {
	case kind.IsDir():
		err = m.root.MkdirAll(name, 0o755)
	case kind&fs.ModeSymlink != 0:
		m.root.MkdirAll(path.Dir(name), 0o755)
		err = m.root.Symlink(string(was.Text), name)
	default:
		if err = m.write(name, was.Text, was.Mode.Perm()); err != nil {
			m.root.WriteFile(name, nil, 0o600) // else nothing would tell the next one that it is missing
		}
	}
	if aside == "" {
		return "put back, for it had been taken away", err
	}
	return "put back as it was; what had come in its place is " + path.Base(aside), err
}

// rewrite gives a config the text that it may have, in a file of its own.
func (m *mending) rewrite(name string, v Verdict) (string, error) {
	if item := m.now.Items[name]; bytes.Equal(item.Text, v.Text) && !item.linked {
		return "", nil
	}
	kept := ""
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
	tmp := path.Join(path.Dir(name), ".new"+Disarmed)
	m.root.RemoveAll(tmp)
	f, err := m.root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = m.root.Rename(tmp, name)
	}
	if err != nil {
		m.root.Remove(tmp)
	}
	return err
}

// aside renames what stands at a name, and returns the name that it has then; "" where
// nothing stands there. A pipe, for which git would wait, is removed, and a link that leads into a HOME by each name.
func (m *mending) aside(name string) (string, error) {
	info, err := m.root.Lstat(name)
	if err != nil {
		return "", nil
	}
	uncover(m.root, path.Dir(name))
	if info.Mode().Type()&^(fs.ModeDir|fs.ModeSymlink) != 0 || m.now.exits[name] {
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
