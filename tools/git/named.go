package git

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"vibey/tools/disk"
	"vibey/tools/disk/tree"
)

// Human is where a human has their own settings for git.
type Human struct {
	Home    string   // "~"
	Configs []string // absolute
}

// HumanOf finds it by the human's variables; home is "" where there is none.
func HumanOf(home string, getenv func(string) string) Human {
	h := Human{Home: home}
	if home != "" {
		xdg := getenv("XDG_CONFIG_HOME")
		if !filepath.IsAbs(xdg) {
			xdg = filepath.Join(home, ".config")
		}
		h.Configs = []string{filepath.Join(home, ".gitconfig"), filepath.Join(xdg, "git", "config")}
	}
	if only := getenv("GIT_CONFIG_GLOBAL"); filepath.IsAbs(only) { // in a shell without it git reads the others
		h.Configs = append(h.Configs, only)
	}
	return h
}

// Named are the names of a folder, free of links, to which the configs and hooks of a human
// lead git by a path, and how.
type Named map[string]role

type role int

const (
	onWay   role = iota + 1 // a folder or a link on the way
	aFile                   // the file
	hookDir                 // the folder of hooks
	nothing                 // it is not there: whatever comes, comes there or below
)

// hookNames are the names of hooks. Source: githooks(5), git 2.51.
var hookNames = wordSet(`
	applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase
	post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update reference-transaction push-to-checkout
	pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman p4-changelist p4-prepare-changelist p4-post-changelist p4-pre-submit
	post-index-change
`)

// Has reports whether git runs the file of that name, or takes its settings from it.
func (n Named) Has(name string) bool {
	if n[name] > onWay || n[path.Dir(name)] == hookDir && hookNames[fold(path.Base(name))] {
		return true
	}
	for at := path.Dir(name); at != "." && len(n) > 0; at = path.Dir(at) {
		if n[at] == nothing {
			return true
		}
	}
	return false
}

// refuses reports whether a touched name must stay as it was. A folder may come and go:
// what it holds is touched, too.
func (n Named) refuses(t Touched, v Views) bool {
	if !n.Has(t.Name) && n[t.Name] == 0 {
		return false // nearly always, and nothing is looked at
	}
	return !(t.Gone || isFolder(v.After, t.Name)) || exists(v.Before, t.Name) && !isFolder(v.Before, t.Name)
}

// The bounds of a search: folders of the deed in which it looks for repositories, some 10 ms'
// worth, and files that settings lead to.
const searched, maxLeads = 500, 2000

// NamedIn looks at the repositories above the names, above the folder dir, and in the first
// searched folders. dir is absolute and free of links.
func NamedIn(dir string, human Human, names []string) Named {
	n := &naming{Named: Named{}, dir: dir, human: human, looked: map[string]bool{}, seen: map[string]bool{}}
	for up := filepath.Dir(dir); !n.work(up) && up != filepath.Dir(up); up = filepath.Dir(up) {
	}
	n.work(dir)
	for _, name := range names {
		for at := path.Dir(name); at != "."; at = path.Dir(at) {
			n.work(filepath.Join(dir, at))
		}
	}
	for next, i := []string{dir}, 0; i < len(next) && i < searched; i++ {
		n.work(next[i])
		entries, _ := os.ReadDir(next[i])
		for _, e := range entries {
			if e.IsDir() && !disk.IsGit(e.Name()) && e.Name() != "node_modules" && len(next) < searched {
				next = append(next, filepath.Join(next[i], e.Name()))
			}
		}
	}
	for _, c := range human.Configs {
		n.config(c, append(n.works, "/"))
	}
	return n.Named
}

// naming is a NamedIn at work.
type naming struct {
	Named
	dir   string
	human Human
	works []string // where git may be run

	looked, seen map[string]bool // folders, and configs
}

// work goes after the repository that has its work tree in a folder, and reports whether
// there is one.
func (n *naming) work(at string) bool {
	git := filepath.Join(at, ".git")
	if n.looked[at] {
		return false
	}
	n.looked[at] = true
	if _, err := os.Stat(git); err != nil {
		return false
	}
	if to, ok := strings.CutPrefix(read(git), "gitdir: "); ok {
		git = from(at, strings.TrimRight(to, "\r\n"))
	}
	common := git
	if to := strings.TrimRight(read(filepath.Join(git, "commondir")), "\r\n"); to != "" {
		common = from(git, to)
	}
	n.works = append(n.works, at)
	n.config(filepath.Join(common, "config"), []string{at})
	n.config(filepath.Join(git, "config.worktree"), []string{at})
	n.hooks(filepath.Join(common, "hooks"))
	return true
}

// lead is a setting that leads git to files, in a config however it is written: one of
// another section is taken for it, which does no harm.
var lead = lazily(`(?im)(?:^|\])[ \t]*(path|hookspath|templatedir|attributesfile)[ \t]*=[ \t]*("[^"\n]*"|[^#;\n]*)`)

// config goes after what a config names. Conditions of an include are taken to hold:
// they may, later. works are where other relative paths begin.
func (n *naming) config(file string, works []string) {
	end, key := n.follow(file, aFile), file+"\x00"+works[0]
	if n.seen[key] || end == "" || len(n.seen) > maxLeads {
		return
	}
	n.seen[key] = true
	for _, m := range lead().FindAllStringSubmatch(read(end), -1) {
		to := strings.Trim(m[2], "\" \t\r")
		if rest, ok := strings.CutPrefix(to, "~/"); ok && n.human.Home != "" {
			to = filepath.Join(n.human.Home, rest)
		}
		if strings.EqualFold(m[1], "path") {
			n.config(from(filepath.Dir(file), to), works)
			continue
		}
		for _, at := range works {
			switch at = from(at, to); strings.ToLower(m[1]) {
			case "hookspath":
				n.hooks(at)
			case "templatedir":
				n.hooks(at + "/hooks")
				n.config(at+"/config", works)
				n.follow(at+"/config.worktree", aFile)
				n.follow(at+"/commondir", aFile)
			default:
				n.follow(at, aFile)
			}
		}
	}
}

// hooks goes after a folder of hooks, and the links in it.
func (n *naming) hooks(dir string) {
	end := n.follow(dir, hookDir)
	entries, _ := os.ReadDir(end)
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink != 0 && hookNames[fold(e.Name())] {
			n.follow(filepath.Join(end, e.Name()), aFile)
		}
	}
}

// follow takes down a path and all on the way to it, and returns where it leads, or "".
func (n *naming) follow(to string, as role) string {
	real, _, way, err := tree.Follow(to)
	for i, at := range way {
		if err != nil && i == len(way)-1 {
			n.take(at, nothing)
		}
		n.take(at, onWay)
	}
	n.take(real, as)
	return real
}

// take takes down a path, if it is below the folder. What lies in a .git is judged there.
func (n *naming) take(at string, as role) {
	name, in := strings.CutPrefix(at, strings.TrimSuffix(n.dir, "/")+"/")
	if in && !slices.ContainsFunc(strings.Split(name, "/"), disk.IsGit) && len(n.Named) < 10*maxLeads {
		n.Named[name] = max(n.Named[name], as)
	}
}

// from returns a path that begins in a folder unless it is absolute; its ".." are not
// resolved, for there may be links before them.
func from(dir, to string) string {
	if filepath.IsAbs(to) {
		return to
	}
	return strings.TrimSuffix(dir, "/") + "/" + to
}

// read reads a file of settings; "" where there is none.
func read(file string) string {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe may stand there
	if err != nil {
		return ""
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > textLimit {
		return ""
	}
	text := make([]byte, info.Size())
	n, _ := f.ReadAt(text, 0)
	return string(text[:n])
}
