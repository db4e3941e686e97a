package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"vibey/tools/disk"
	"vibey/tools/disk/tree"
)

// settle is how old a change must be before its stamp tells that there was no
// other since: a clock that writes times into a file system ticks some hundred
// times a second at best, and every two seconds at worst.
const settle = 3 * time.Second

// stampAge is since when something is known to have a stamp.
type stampAge struct {
	stamp   tree.Stamp
	since   time.Time
	settled bool // the stamp was that old when what it is of was read
}

func (a *stampAge) known(stamp tree.Stamp) bool { return a.settled && a.stamp == stamp }

// take takes down the stamp that something had just before it is read. Where
// the file system's clock is another machine's, only our own waiting counts.
func (v *gitVisit) take(a *stampAge, stamp tree.Stamp) {
	now := v.now()
	if a.stamp != stamp {
		*a = stampAge{stamp: stamp, since: now}
	}
	changed := time.Unix(0, stamp.Ctime)
	a.settled = now.Sub(a.since) > settle || v.local && stamp.Dev == v.dev && now.Sub(changed) > settle
}

// gitNode is a folder as it was read.
type gitNode struct {
	name string
	stampAge
	kids  []*gitNode
	marks gitMarks
	own   []gitEntry // what a repository would be asked for
	doors []string   // entries named .git that are no folders
	exits []string   // links that leave
	files []string   // where it lies in one of fileFolders: those that git might use
	many  bool       // there are more than maxHooks of them

	crowded bool // there are more of own or doors than were taken down
}

// gitEntry is a file, or whatever is no folder, with a name that git knows.
type gitEntry struct {
	name string
	role gitRole
}

// gitRepo is a folder that git takes for a repository.
type gitRepo struct {
	path string
	*gitNode
}

// gitMarks are the names by which git knows a repository.
type gitMarks uint8

const (
	markHead gitMarks = 1 << iota
	markObjects
	markRefs
	markCommon
	markWorktrees
)

// gitWords are the names in a repository that matter, in lower case: some file
// systems don't tell cases apart.
var gitWords = map[string]struct {
	mark gitMarks
	role gitRole
}{
	"head": {mark: markHead}, "objects": {mark: markObjects}, "refs": {mark: markRefs}, "worktrees": {mark: markWorktrees},
	"commondir": {markCommon, roleCommonDir}, "config": {role: roleConfig}, "config.worktree": {role: roleConfig}, "hooks": {role: roleHook},
	"rebase-merge": {role: roleTodo}, "rebase-apply": {role: roleTodo}, "sequencer": {role: roleTodo},
	"remotes": {role: roleRemote}, "branches": {role: roleRemote},
}

// fileFolders are the folders in a repository of which every file matters.
var fileFolders = map[string]gitRole{"hooks": roleHook, "remotes": roleRemote, "branches": roleRemote}

// repository reports whether git takes the folder for a repository, or could once
// it is whole.
func (n *gitNode) repository() bool {
	has := func(m gitMarks) bool { return n.marks&m == m }
	return disk.IsGit(n.name) || has(markHead|markObjects|markRefs) || has(markHead|markCommon) || has(markObjects|markRefs|markWorktrees)
}

// ArmsGit reports whether git would obey a file of that name, or one below a folder
// of it, in a folder that need not be called .git: where it is a repository, or
// becomes one by it. has reports whether a name stands in the folder.
func ArmsGit(name string, has func(name string) bool) bool {
	word, known := gitWords[strings.ToLower(name)]
	if !known {
		return false
	}
	n := gitNode{}
	for w, is := range gitWords {
		if is.mark != 0 && (has(w) || has(strings.ToUpper(w))) {
			n.marks |= is.mark
		}
	}
	before := n.repository()
	n.marks |= word.mark
	return n.repository() && (word.role != "" || !before)
}

// gitSpot is a folder to look at.
type gitSpot struct {
	*gitNode
	path  string
	files bool // it is one of fileFolders, or lies in one
}

// maxFolders is how many folders a look goes through, some seconds' worth. maxNodes
// is how many are remembered until the next one, at some 200 bytes each.
const (
	maxFolders = 300_000
	maxNodes   = 200_000
)

// errFolders is why a look ends that finds more than maxFolders.
var errFolders = fmt.Errorf("it holds more than %d folders, too many to look for git's hooks and settings: remove some (caches, node_modules), or move them out", maxFolders)

// errSlow is why a look ends that is not done within its time.
var errSlow = errors.New("it holds more than can be looked at in the time that there is: remove some (caches, node_modules), or move them out")

// find walks through all folders and takes down the repositories and doors.
func (v *gitVisit) find(ctx context.Context) {
	if v.top == nil {
		v.top = &gitNode{name: "."}
	}
	count := 0
	for next := []gitSpot{{gitNode: v.top, path: "."}}; len(next) > 0; count++ {
		if v.stop(ctx, count) {
			return
		}
		p := next[len(next)-1]
		next = next[:len(next)-1]
		if !v.enter(ctx, p) {
			*p.gitNode = gitNode{name: p.name}
			continue
		}
		v.crowded = v.crowded || p.crowded
		if p.repository() {
			v.repos = append(v.repos, gitRepo{p.path, p.gitNode})
		}
		for _, d := range p.doors {
			if v.crowded = v.crowded || len(v.doors) >= maxItems; len(v.doors) < maxItems {
				v.doors = append(v.doors, path.Join(p.path, d))
			}
		}
		for _, e := range p.exits {
			if len(v.exits) <= v.links {
				v.exits = append(v.exits, path.Join(p.path, e))
			}
		}
		for _, kid := range p.kids {
			next = append(next, gitSpot{kid, path.Join(p.path, kid.name), p.files || fileFolders[strings.ToLower(kid.name)] != ""})
		}
		if count+len(next) > v.folders {
			count = v.folders // no need to go to all of them
		}
	}
	if len(v.exits) > v.links {
		v.blind = cmp.Or(v.blind, errExits)
	}
	if v.count = count; count > maxNodes || len(v.exits) > v.links {
		v.gitKeeper.top = nil
	}
}

// stop reports whether a walk has to end before its end.
func (v *gitVisit) stop(ctx context.Context, count int) bool {
	switch err := ctx.Err(); {
	case errors.Is(err, context.DeadlineExceeded):
		v.blind = errors.Join(v.blind, errSlow)
	case err != nil:
		v.blind = errors.Join(v.blind, err)
	case count > v.folders:
		v.blind = errors.Join(v.blind, errFolders)
		v.gitKeeper.top = nil
	default:
		return false
	}
	return true
}

// enter makes sure that the node is what the folder is now; false where there
// is no folder that git could work in, or it can't be looked at.
func (v *gitVisit) enter(ctx context.Context, p gitSpot) bool {
	if p.settled {
		if stamp, err := v.at.Stat(p.path); err == nil && p.known(stamp) {
			return true
		}
	}
	dir, ok := v.sub(p.path)
	if !ok {
		return false
	}
	defer dir.Close()
	stamp, err := dir.Self()
	if err == nil {
		if stamp.Mode&0o100 == 0 { // listed, but not entered
			v.uncover(p.path)
		}
		v.take(&p.stampAge, stamp)
		err = p.list(ctx, dir, v.leaves)
	}
	if err != nil && !absent(err) {
		v.fail(p.path, err)
	}
	return err == nil
}

// list reads the folder's entries into the node. The nodes of folders that were
// there before stay.
func (p gitSpot) list(ctx context.Context, dir *tree.Folder, leaves func(dir, to string) bool) error {
	n := p.gitNode
	var old map[string]*gitNode
	if len(n.kids) > 0 {
		old = make(map[string]*gitNode, len(n.kids))
		for _, k := range n.kids {
			old[k.name] = k
		}
	}
	*n = gitNode{name: n.name, stampAge: n.stampAge}
	count, failed := 0, error(nil)
	err := dir.Each(func(b []byte, kind tree.Kind) bool {
		if count++; count%1024 == 0 {
			failed = ctx.Err()
		}
		if len(n.kids) > maxFolders {
			failed = errFolders
		}
		if kind == tree.UnknownKind {
			st, err := dir.Stat(string(b))
			if err != nil && !absent(err) {
				failed = err
			}
			kind = st.Kind()
		}
		if kind == tree.DirKind {
			kid := old[string(b)]
			if kid == nil {
				kid = &gitNode{name: string(b)}
			}
			n.kids = append(n.kids, kid)
		}
		if kind == tree.LinkKind && len(n.exits) <= maxExits && leaves(p.path, dir.Readlink(string(b))) {
			n.exits = append(n.exits, string(b))
		}
		n.mark(b, kind, p.files)
		return failed == nil
	})
	return cmp.Or(failed, err)
}

// mark takes down a name that matters.
func (n *gitNode) mark(b []byte, kind tree.Kind, files bool) {
	if files && kind != tree.DirKind && runs(string(b)) {
		if n.many = n.many || len(n.files) >= maxHooks; !n.many {
			n.files = append(n.files, string(b))
		}
	}
	if kind != tree.DirKind && strings.IndexByte(".gG\xe2\xef", b[0]) >= 0 && disk.IsGit(string(b)) {
		if n.crowded = n.crowded || len(n.doors) >= maxHooks; len(n.doors) < maxHooks {
			n.doors = append(n.doors, string(b))
		}
	}
	if len(b) > len("config.worktree") {
		return
	}
	name := string(b)
	if w, ok := gitWords[strings.ToLower(name)]; ok {
		n.marks |= w.mark
		if w.role != "" && kind != tree.DirKind {
			if n.crowded = n.crowded || len(n.own) >= maxHooks; len(n.own) < maxHooks {
				n.own = append(n.own, gitEntry{name, w.role})
			}
		}
	}
}

// disarmed is the ending that a hook gets which is not to run.
const disarmed = ".disarmed"

// runs reports whether git would run a hook of that name.
func runs(name string) bool {
	return !strings.HasSuffix(name, ".sample") && !strings.HasSuffix(name, disarmed)
}
