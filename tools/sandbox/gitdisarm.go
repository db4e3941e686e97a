package sandbox

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
	"strconv"
	"strings"
	"unicode"

	"vibey/tools/disk"
	"vibey/tools/disk/tree"
)

// disarm holds the folder against what stood there before: what was changed is
// put back, what is new and could run a program is taken away. It returns what
// it did, or could not do, each in a few words that begin with a path; nothing is
// lost but what a command wrote into a file that is put back twice. Where there
// is an error, some of it may stand, and the same call is to be made again.
func (k *gitKeeper) disarm(ctx context.Context, before standing) (undone []string, err error) {
	for range maxPasses {
		some, more, err := k.disarmSome(ctx, before)
		undone = append(undone, some[:min(len(some), maxUndone)]...)
		if err != nil || !more {
			return undone, err
		}
		if len(some) == 0 {
			return undone, errCrowded
		}
	}
	return undone, errChanging
}

// maxPasses is how often a folder is gone through that shows more each time.
const maxPasses = 100

// errChanging is why a disarming ends that shows more and more.
var errChanging = errors.New("there was more to undo each time")

// maxUndone is how much of what was undone is told.
const maxUndone = 1000

// errUndone is that of an item that was told of as such.
var errUndone = errors.New("not all of it could be disarmed")

// disarmSome is disarm for as much as is taken down in one look; more tells
// whether there is more.
func (k *gitKeeper) disarmSome(ctx context.Context, before standing) (undone []string, more bool, err error) {
	v, err := k.visit(ctx)
	if err != nil {
		return nil, false, err
	}
	defer v.close()
	m := &mending{gathering: v.gather(), before: before}
	m.retrace()
	m.closeExits(ctx)
	all := slices.Collect(maps.Keys(m.roles))
	for name, item := range before {
		if m.roles[name] == "" && item.Role != roleProgram {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	for _, name := range all {
		m.mend(name)
	}
	return m.undone, v.crowded || m.opened, cmp.Or(v.blind, m.err)
}

// mending is a gathering that is held against what stood there before.
type mending struct {
	*gathering
	before standing
	undone []string
	err    error
	aside  []string // links that were taken off a way
	opened bool     // a way was mended: what lies behind is known in the next look
}

// retrace follows the leads of what stood there before, as it was, should a
// command have changed it. Links that came to stand on a way are taken off it.
func (m *mending) retrace() {
	m.item = func(name string) (gitItem, bool) { i, ok := m.before[name]; return i, ok }
	m.meet, m.program = m.clear, m.tellProgram
	for name, item := range m.before {
		if m.texts[name] = item.Text; item.Role != roleProgram && m.roles[name] == "" && m.reaches(path.Dir(name)) {
			m.roles[name] = item.Role
		}
	}
	names := slices.Sorted(maps.Keys(m.before))
	for _, name := range names {
		if m.before[name].Role == roleWay {
			m.mend(name)
		}
	}
	for _, name := range names {
		switch item := m.before[name]; {
		case item.Role == roleProgram:
		case m.roles[name] == "":
			m.lost(path.Dir(name))
		case !item.Named:
			m.follow(name, item, gitOrigin{works: m.works(path.Dir(name))})
		}
	}
	m.outerSources()
}

// lost takes the link off the way to a folder that is no longer reached without one,
// if the link leads out of what is looked at.
func (m *mending) lost(dir string) {
	if w := m.way(m.dir, dir, pass); w.linked {
		if _, in := m.below(w.end); !in {
			m.way(m.dir, dir, m.clear)
		}
	}
}

// clear takes a link off a way on which none stood, or another.
func (m *mending) clear(name, to string) (again bool) {
	if was, old := m.before[name]; old && was.Link && string(was.Text) == to {
		return false
	}
	if m.roles[name] == "" {
		m.roles[name] = roleWay
	}
	if again = m.mend(name); again {
		m.aside, m.opened = append(m.aside, name), true
	}
	return again
}

// mend puts one item right and notes what it did. It reports whether that was
// something, and worked.
func (m *mending) mend(name string) bool {
	did, failed := m.putRight(name)
	if delete(m.failed, name); failed != nil {
		m.failed[name] = true
		m.err = errUndone
		did = fmt.Sprintf("could not be disarmed or put back (%v): don't use git there before you looked at it", disk.Cause(failed))
	}
	if did != "" {
		m.undone = append(m.undone, strings.Map(visible, name)+": "+did)
	}
	return did != "" && failed == nil
}

// putRight holds one item against what it was before, and returns what it did about it.
func (m *mending) putRight(name string) (did string, err error) {
	was, old := m.before[name]
	var is gitItem
	here := false
	if role := m.roles[name]; old && role != "" {
		is, here, err = m.readAgain(name, role, &was)
	} else if role != "" {
		is, here, err = m.readAgain(name, role, nil)
	}
	if err != nil {
		return "", err
	}
	switch {
	case !old && !here:
		return "", nil
	case !old && is.Role == roleHook && m.isCopy(name, is):
		return "", nil
	case !old:
		return m.refuse(name, is)
	case !here && m.misses(name, was):
		return m.putBack(name, was)
	case !here || was.same(is) || m.goesOn(name, was, is):
		return "", nil
	case was.Role == roleTodo || was.Role == roleDoor && was.Link == is.Link && string(was.Text) == string(is.Text):
		return m.refuse(name, is) // what a door leads through was changed, not the door
	}
	return m.putBack(name, was)
}

// isCopy reports whether a new hook, where a human's config wants one, is the one of
// that name that stood elsewhere, as a new worktree brings it.
func (m *mending) isCopy(name string, is gitItem) bool {
	if !m.named[name] || is.Link {
		return false
	}
	for at, was := range m.before {
		if was.Role == roleHook && was.Named && !was.Link && !was.Big && was.Stamp.Size == is.Stamp.Size && path.Base(at) == path.Base(name) && (was.Exec || !is.Exec) {
			if _, f, err := m.open(name, roleHook); err == nil && f != nil {
				here := gitItem{}
				kept := here.keep(f)
				f.Close()
				return kept && string(here.Text) == string(was.Text)
			}
		}
	}
	return false
}

// DisarmGit takes away what git would run in the repositories below a folder of
// unknown origin, such as an import. dir is absolute and free of links. It
// returns what it did, each in a few words that begin with a path in dir.
func DisarmGit(dir string) (undone []string, err error) {
	return newGitKeeper(dir).disarm(context.Background(), nil)
}

// goesOn reports whether what a command changed may stay so: what could run
// before is all that can run now.
func (v *gitVisit) goesOn(name string, was, is gitItem) bool {
	switch was.Role {
	case roleConfig:
		plain := !was.Link && !is.Link && !was.Big && !is.Big && is.Stamp.Links == 1
		return plain && armedConfig(string(was.Text)) == armedConfig(string(is.Text))
	case roleTodo:
		return harmlessState(name, was, is)
	case roleRemote:
		return harmlessRemote(is)
	case roleDoor, roleCommonDir:
		return harmlessWay(name, was) && harmlessWay(name, is)
	}
	return false
}

// harmlessWay reports whether a door or a commondir leads nowhere but to a
// repository below the folder, which is looked at like any other.
func harmlessWay(name string, is gitItem) bool {
	if is.Role == roleDoor {
		return !is.Link && !strings.HasPrefix(is.Leads, "out:")
	}
	dir := path.Dir(path.Dir(name)) // as git worktree makes it
	return !is.Link && strings.TrimSpace(string(is.Text)) == "../.." && path.Base(dir) == "worktrees"
}

// misses reports whether an item that is gone was taken out of a repository that
// is still there. A door into the folder may go: a command could have made it.
// Where a human may have worked there, so may a hook: git runs less then.
func (m *mending) misses(name string, was gitItem) bool {
	dir := path.Dir(name)
	switch was.Role {
	case roleTodo, roleRemote:
		return false // the rebase has ended
	case roleHook:
		if m.humans && !m.failed[name] {
			return false
		}
	case roleDoor:
		if harmlessWay(name, was) {
			return false
		}
		return m.reaches(dir)
	}
	if was.Named { // not where its folder was removed: git misses nothing then
		return m.reaches(dir) || slices.ContainsFunc(m.aside, func(link string) bool { return within(dir, link) })
	}
	for at := dir; was.Role == roleHook && at != "."; at = path.Dir(at) {
		if strings.EqualFold(path.Base(at), "hooks") {
			dir = path.Dir(at)
			break
		}
	}
	return slices.ContainsFunc(m.repos, func(r gitRepo) bool { return r.path == dir })
}

// reaches reports whether a path leads to a folder without a link on it.
func (v *gitVisit) reaches(dir string) bool {
	sub, ok := v.sub(dir)
	if ok {
		sub.Close()
	}
	return ok
}

// putBack makes a path what it was. What stands there now is kept beside it: a
// human could have written it meanwhile.
func (v *gitVisit) putBack(name string, was gitItem) (string, error) {
	if !was.Big {
		if err := v.root.MkdirAll(path.Dir(name), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	if was.Big {
		aside, err := v.aside(name)
		switch {
		case err != nil:
			return "", err
		case aside == "":
			return "is gone, and was too big to be put back", nil
		}
		return "was changed, and is now " + path.Base(aside) + "; what stood there was too big to be put back", nil
	}
	aside, err := v.replace(name, true, func(tmp string) error {
		if was.Link {
			return v.root.Symlink(string(was.Text), tmp)
		}
		return v.write(tmp, was.Text, fs.FileMode(was.Stamp.Mode).Perm())
	})
	if err != nil || aside == "" {
		return "put back, for it had been taken away", err
	}
	return "put back as it was; what had come in its place is " + path.Base(aside), nil
}

// replace gives a name to another file, made whole beside it before. What stood
// there is kept aside, if keep; it is taken away even where the other could not be
// made, for git would run it.
func (v *gitVisit) replace(name string, keep bool, make func(tmp string) error) (aside string, err error) {
	v.uncover(path.Dir(name))
	tmp := path.Join(path.Dir(name), ".new"+disarmed)
	v.root.RemoveAll(tmp)
	err = make(tmp)
	if keep || err != nil {
		var failed error
		aside, failed = v.aside(name)
		err = errors.Join(err, failed)
	}
	if err == nil {
		err = v.root.Rename(tmp, name)
	}
	if err != nil {
		v.root.Remove(tmp)
	}
	return aside, err
}

// write makes a file that a power cut does not take: what is known of it may be
// forgotten then.
func (v *gitVisit) write(name string, text []byte, mode fs.FileMode) error {
	f, err := v.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// refuse takes away what is new and could run a program.
func (v *gitVisit) refuse(name string, is gitItem) (string, error) {
	if is.Stamp.Kind() == tree.OtherKind {
		return "was a pipe, a socket or a device, for which git would wait, and is removed", v.root.Remove(name)
	}
	switch is.Role {
	case roleConfig:
		if !is.Link && !is.Big {
			return v.rewrite(name, is)
		}
	case roleDoor, roleCommonDir:
		if harmlessWay(name, is) {
			return "", nil
		}
	case roleTodo:
		if harmlessState(name, gitItem{}, is) {
			return "", nil
		}
	case roleRemote:
		if harmlessRemote(is) {
			return "", nil
		}
	}
	aside, err := v.aside(name)
	if err != nil || aside == "" {
		return "", err
	}
	return "is now " + path.Base(aside), nil
}

// rewrite leaves the harmless settings in a config, in a file of its own: by
// another name of the old one a command could still write it.
func (v *gitVisit) rewrite(name string, is gitItem) (string, error) {
	safe, taken := disarmConfig(string(is.Text))
	if len(taken) == 0 && is.Stamp.Links == 1 {
		return "", nil
	}
	aside, err := v.replace(name, len(taken) > 0, func(tmp string) error { return v.write(tmp, []byte(safe), 0o644) })
	if err != nil || aside == "" {
		return "", err
	}
	return "is now without " + listSome(taken) + ", and as it was in " + path.Base(aside), nil
}

// listSome lists what a command wrote, in a bounded number of words that can't
// look like anything else.
func listSome(words []string) string {
	const most, long = 8, 60
	var out []string
	for i, w := range words {
		if i == most {
			return strings.Join(out, ", ") + " and " + strconv.Itoa(len(words)-most) + " more"
		}
		if r := []rune(w); len(r) > long {
			w = string(r[:long]) + "…"
		}
		out = append(out, strings.Map(visible, w))
	}
	return strings.Join(out, ", ")
}

// visible draws what would look like nothing, or like something else.
func visible(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return '\uFFFD'
}

// aside renames what stands at a path to one that git does not know, and returns
// it; "" if nothing stands there.
func (v *gitVisit) aside(name string) (string, error) {
	v.uncover(path.Dir(name))
	const most = 20 // then the last is replaced each time
	to := name + disarmed
	for i := 2; i <= most; i++ {
		if _, err := v.root.Lstat(to); err != nil {
			break
		}
		to = fmt.Sprintf("%s-%d%s", name, i, disarmed)
	}
	err := v.root.Rename(name, to)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil { // a folder stands where it should go
		v.root.RemoveAll(to)
		err = v.root.Rename(name, to)
	}
	return to, err
}
