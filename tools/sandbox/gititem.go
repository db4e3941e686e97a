package sandbox

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// standing is what stands in the repositories below a folder at one moment and
// could make git run a program, by its path in the folder.
type standing map[string]gitItem

// gitItem is one such file or link.
type gitItem struct {
	Role  gitRole `json:"role"`
	Link  bool    `json:"link,omitempty"`
	Exec  bool    `json:"exec,omitempty"`
	Text  []byte  `json:"text,omitempty"`  // of a file, or where a link points
	Leads string  `json:"leads,omitempty"` // of a door: where git comes out
	// Big: the file is too big to be kept. Then its stamp stands for its text.
	Big   bool  `json:"big,omitempty"`
	Stamp Stamp `json:"stamp"`
}

// gitRole is what git uses an item for.
type gitRole string

// The roles.
const (
	roleConfig    gitRole = "config"    // config, config.worktree
	roleCommonDir gitRole = "commondir" // names the folder of another config and other hooks
	roleHook      gitRole = "hook"      // below hooks, or a hooks that is no folder
	roleDoor      gitRole = "door"      // a .git that is no folder
	roleTodo      gitRole = "todo"      // the steps of a rebase that goes on some time
)

// same tells whether git would do the same with both.
func (a gitItem) same(b gitItem) bool {
	if a.Role != b.Role || a.Link != b.Link || a.Exec != b.Exec || a.Leads != b.Leads || a.Big != b.Big {
		return false
	}
	if a.Big {
		return a.Stamp == b.Stamp
	}
	return bytes.Equal(a.Text, b.Text)
}

// keepLimit is how much of one file is kept, so that it can be put back.
const keepLimit = 1 << 20

// gitKeeper keeps the git repositories below one folder from running what a
// command has put there. Whoever calls git in a folder, a human or an editor that
// does it unasked, runs the hooks of the repository that the folder belongs to
// and the programs that its config names.
//
//	k := newGitKeeper(deed)
//	before, err := k.look()
//	… a command runs …
//	undone, err := k.disarm(before)
//
// What stood there before is put back where it was changed. What is new stays as
// far as it is harmless: a config keeps the settings that are known to name no
// program, hooks are renamed. So git init, clone, commit, remote and worktree go
// on working.
//
// A repository is what git takes for one, and some more: any folder named .git,
// and any folder that holds HEAD, objects and refs, wherever it lies. A path
// beyond PATH_MAX is not read, for git can't work there either. Links are never
// followed.
//
// It remembers what it read, so that a folder that did not change since is not
// read again. It is not safe for concurrent use.
type gitKeeper struct {
	dir  string // absolute, free of links
	top  *gitNode
	seen map[string]readItem
	now  func() time.Time
}

// readItem is an item as it was read.
type readItem struct {
	item gitItem
	stampAge
}

// newGitKeeper returns a keeper of an absolute path without links. Nothing is read.
func newGitKeeper(dir string) *gitKeeper {
	return &gitKeeper{dir: dir, now: time.Now}
}

// gitVisit is one look at the folder, which it holds open.
type gitVisit struct {
	*gitKeeper
	root  *os.Root
	at    *Folder
	local bool // the file system of the device dev has this machine's clock
	dev   uint64
	repos []gitRepo
	doors []string
	named []string // by configs and links
}

func (k *gitKeeper) visit() (*gitVisit, error) {
	root, err := os.OpenRoot(k.dir)
	if err != nil {
		return nil, err
	}
	at, err := OpenFolder(root)
	if err != nil {
		root.Close()
		return nil, err
	}
	v := &gitVisit{gitKeeper: k, root: root, at: at, local: at.Local()}
	if self, err := at.Self(); err == nil {
		v.dev = self.Dev
	}
	v.find()
	return v, nil
}

func (v *gitVisit) close() {
	v.at.Close()
	v.root.Close()
}

// look returns what stands there now.
func (k *gitKeeper) look() (standing, error) {
	v, err := k.visit()
	if err != nil {
		return nil, err
	}
	defer v.close()
	g := v.gather()
	for name, item := range maps.Clone(g.found) {
		g.follow(name, item)
	}
	return g.found, nil
}

// gather reads what stands in the repositories that were found.
func (v *gitVisit) gather() *gathering {
	g := &gathering{gitVisit: v, found: standing{}, old: v.seen}
	v.seen = map[string]readItem{}
	for _, r := range v.repos {
		for _, e := range r.own {
			g.add(path.Join(r.path, e.name), e.role)
		}
		for _, kid := range r.kids {
			switch {
			case strings.EqualFold(kid.name, "hooks"):
				kid.eachFile(path.Join(r.path, kid.name), func(name string) { g.add(name, roleHook) })
			case strings.EqualFold(kid.name, "rebase-merge"):
				g.add(path.Join(r.path, kid.name+"/git-rebase-todo"), roleTodo)
			}
		}
	}
	for _, name := range v.doors {
		g.add(name, roleDoor)
	}
	return g
}

// gathering is the reading of one standing.
type gathering struct {
	*gitVisit
	found standing
	old   map[string]readItem
}

func (g *gathering) add(name string, role gitRole) {
	if _, ok := g.found[name]; ok {
		return
	}
	if item, ok := g.read(name, role, g.old); ok {
		g.found[name] = item
	}
}

// follow adds what an item of a human's names in the folder: the files that a
// config includes, its core.hooksPath, and what a link points at. What a command
// made so is taken away itself.
func (g *gathering) follow(name string, item gitItem) {
	dir := path.Dir(name)
	if item.Link && item.Role != roleDoor {
		g.point(dir, string(item.Text), item.Role)
	}
	if item.Link || item.Role != roleConfig || item.Big || !bytes.Contains(bytes.ToLower(item.Text), []byte("path")) {
		return
	}
	for _, l := range parseConfig(string(item.Text)) {
		switch l.section + "." + l.name {
		case "include.path", "includeif.path":
			g.point(dir, l.value, roleConfig)
		case "core.hookspath": // from where git works: the folder above, or itself where it is bare
			if IsGit(path.Base(dir)) {
				g.point(path.Dir(dir), l.value, roleHook)
			} else {
				g.point(dir, l.value, roleHook)
			}
		}
	}
}

// point adds what a path leads to from dir, in the folder: a file, or the hooks
// in a folder, which may hold other things too.
func (g *gathering) point(dir, to string, role gitRole) {
	name, ok := g.inside(dir, to)
	if !ok {
		return
	}
	sub, err := g.at.Sub(name)
	if err != nil || role != roleHook {
		g.name(name, role)
		return
	}
	defer sub.Close()
	sub.Each(func(b []byte, kind Kind) bool {
		if file := string(b); kind != DirKind && hookNames[file] {
			g.name(path.Join(name, file), roleHook)
		}
		return true
	})
}

func (g *gathering) name(name string, role gitRole) {
	g.named = append(g.named, name)
	g.add(name, role)
	if item, ok := g.found[name]; ok && len(g.named) < maxNamed {
		g.follow(name, item)
	}
}

// maxNamed is how many files are followed from one to the next: configs may
// include each other.
const maxNamed = 100

// hookNames are the names of hooks. Source: githooks(5), git 2.51.
var hookNames = wordSet(`
	applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase
	post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update reference-transaction push-to-checkout
	pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman p4-changelist p4-prepare-changelist p4-post-changelist p4-pre-submit
	post-index-change
`)

// read returns the item at a path, if there is a file or a link.
func (v *gitVisit) read(name string, role gitRole, old map[string]readItem) (gitItem, bool) {
	stamp, err := v.at.Stat(name)
	if err != nil || stamp.Kind() != FileKind && stamp.Kind() != LinkKind {
		return gitItem{}, false
	}
	s := old[name]
	if !(s.item.Role == role && s.known(stamp)) {
		v.take(&s.stampAge, stamp)
		s.item = v.fresh(name, role, stamp)
	}
	if role == roleDoor { // what lies on its way may have changed, though it has not
		s.item.Leads = v.leads(name, s.item)
	}
	v.seen[name] = s
	return s.item, true
}

func (v *gitVisit) fresh(name string, role gitRole, stamp Stamp) gitItem {
	item := gitItem{Role: role, Stamp: stamp, Link: stamp.Kind() == LinkKind, Exec: role == roleHook && stamp.Mode&0o111 != 0}
	if item.Link {
		to, _ := v.root.Readlink(name)
		item.Text, item.Exec = []byte(to), false
		return item
	}
	item.Big = true // until it was read whole
	f, err := v.at.Read(name)
	if err != nil {
		return item
	}
	defer f.Close()
	if text, err := io.ReadAll(io.LimitReader(f, keepLimit+1)); err == nil && len(text) <= keepLimit {
		item.Text, item.Big = text, false
	}
	return item
}

// leads tells where git comes out that goes through a door: "in:" and a path of
// ours, that no link stands on; "nowhere"; or "out:" and what the system says.
func (v *gitVisit) leads(name string, door gitItem) string {
	dir := path.Dir(name)
	if door.Link {
		real, _ := filepath.EvalSymlinks(filepath.Join(v.dir, name))
		return "out:" + real
	}
	to, ok := strings.CutPrefix(string(door.Text), "gitdir: ")
	if !ok || door.Big {
		return "nowhere" // git does not follow it
	}
	to = strings.TrimRight(to, "\r\n")
	abs := to
	if !filepath.IsAbs(to) {
		abs = filepath.Join(v.dir, dir, to)
	}
	if in, ok := v.inside(dir, to); ok {
		sub, err := v.at.Sub(in)
		if err == nil {
			sub.Close()
			return "in:" + in
		}
		if errors.Is(err, fs.ErrNotExist) {
			return "nowhere"
		}
	}
	real, _ := filepath.EvalSymlinks(abs)
	return "out:" + real
}

// inside returns the path in the folder that git reaches from dir by a path, if
// its letters alone lead there: up first, then down.
func (v *gitVisit) inside(dir, to string) (string, bool) {
	down := to
	if rest, ok := strings.CutPrefix(to, v.dir+"/"); ok {
		dir, down = ".", rest
	} else if filepath.IsAbs(to) {
		return "", false
	}
	for {
		rest, ok := strings.CutPrefix(down, "../")
		if !ok {
			break
		}
		if dir == "." {
			return "", false
		}
		dir, down = path.Dir(dir), rest
	}
	if strings.Contains("/"+down+"/", "/../") {
		return "", false
	}
	return path.Join(dir, down), true
}

// uncover lets the owner of a folder list and write it. Git does not list a
// repository, it knows the names in it, so one could be hidden behind that.
func (v *gitVisit) uncover(name string) {
	stamp, err := v.at.Stat(name)
	if me := unix.Geteuid(); err == nil && stamp.Mode&0o700 != 0o700 && me != 0 && int(stamp.Owner) == me {
		v.root.Chmod(name, fs.FileMode(stamp.Mode).Perm()|0o700)
	}
}
