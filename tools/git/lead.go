package git

import (
	"io/fs"
	"maps"
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

// Named reports whether git runs the file at a name of the folder dir, or takes its
// settings from it, because a config, a hook or a link of a human's leads there. Both are
// free of links. Repositories are looked for above the name, and among the first searched
// folders.
func Named(dir, name string, human Human) bool {
	l := leadsTo(Views{Dir: dir, Human: human}, []Touched{{Name: name}})
	return l.named(name)
}

// searched is how many folders are searched for a repository whose settings lead
// elsewhere in the folder: some 10 ms' worth.
const searched = 500

// maxLeads is how many files that settings lead to are looked at.
const maxLeads = 2000

// leads are the names of a folder to which what a human has set leads git.
type leads struct {
	Files map[string]bool   // those, and the links on the ways to them
	Hooks map[string]bool   // folders of hooks, or where one could come to stand
	Runs  map[string]string // files that a setting names as a program, with that setting

	dir   string
	human Human
	above map[string]bool // the folders above Files and Hooks
	seen  map[string]bool
	works []string // where git may be run
}

func newLeads(dir string, human Human) *leads {
	return &leads{dir: dir, human: human, Files: map[string]bool{}, Hooks: map[string]bool{}, Runs: map[string]string{}, above: map[string]bool{}, seen: map[string]bool{}}
}

// join adds others.
func (l *leads) join(others *leads) {
	if others == nil {
		return
	}
	maps.Copy(l.Runs, others.Runs)
	for name := range others.Files {
		l.add(filepath.Join(l.dir, name))
	}
	for name := range others.Hooks {
		l.take(l.Hooks, filepath.Join(l.dir, name))
	}
}

// leadsTo finds what the repositories lead to in or around which the names lie.
func leadsTo(v Views, touched []Touched) *leads {
	l := newLeads(v.Dir, v.Human)
	if v.Before == nil && v.After != nil || len(touched) == 0 {
		return l
	}
	works := map[string]bool{}
	for up := filepath.Dir(v.Dir); up != filepath.Dir(up); up = filepath.Dir(up) {
		if l.work(up) {
			works[up] = true
			break
		}
	}
	for _, t := range touched {
		for at := path.Dir(t.Name); ; at = path.Dir(at) {
			full := filepath.Join(v.Dir, at)
			if works[full] {
				break
			}
			works[full] = true
			l.work(full)
			if at == "." {
				break
			}
		}
	}
	next := []string{v.Dir}
	for n := 0; n < len(next) && n < searched; n++ {
		entries, _ := os.ReadDir(next[n])
		for _, e := range entries {
			switch {
			case disk.IsGit(e.Name()):
				if !works[next[n]] {
					works[next[n]] = l.work(next[n])
				}
			case e.IsDir() && e.Name() != "node_modules" && len(next) < searched:
				next = append(next, filepath.Join(next[n], e.Name()))
			}
		}
	}
	for _, t := range touched {
		if !t.Gone && disk.IsGit(path.Base(t.Name)) {
			l.newWorktree(v, t.Name)
		}
	}
	for _, c := range v.Human.Configs {
		l.config(c, append(l.works, "/"))
	}
	return l
}

// work goes after the repository that has its work tree in a folder, if there is one.
func (l *leads) work(at string) bool {
	git := filepath.Join(at, ".git")
	info, err := os.Stat(git)
	if err != nil {
		return false
	}
	if !info.IsDir() {
		to, ok := strings.CutPrefix(read(git), "gitdir: ")
		if !ok {
			return false
		}
		git = from(at, strings.TrimRight(to, "\r\n"))
	}
	common := git
	if to := strings.TrimRight(read(filepath.Join(git, "commondir")), "\r\n"); to != "" {
		common = from(git, to)
	}
	l.repository(git, common, at)
	return true
}

// repository goes after what a repository names, in whose work tree at is.
func (l *leads) repository(git, common, at string) {
	config := filepath.Join(common, "config")
	works := []string{at, git}
	for _, s := range readSettings(read(config)) {
		if s.section+"."+s.name == "core.worktree" {
			works = append(works, l.way(from(git, s.value), l.add))
		}
	}
	l.works = append(l.works, works...)
	l.config(config, works)
	l.config(filepath.Join(git, "config.worktree"), works)
	l.hookFolder(filepath.Join(common, "hooks"))
}

// newWorktree goes after what a human's repository names in the new worktree with a .git
// of that name.
func (l *leads) newWorktree(v Views, name string) {
	now, _ := text(v.After, name)
	to, ok := strings.CutPrefix(now, "gitdir: ")
	git, in := (&judge{Views: v}).inside(path.Dir(name), strings.TrimRight(to, "\r\n"))
	if ok && in && parent(git) == "worktrees" {
		git = filepath.Join(l.dir, git)
		l.repository(git, filepath.Dir(filepath.Dir(git)), filepath.Join(l.dir, path.Dir(name)))
	}
}

// config goes after what a config names. Conditions of an include are taken to hold:
// they may, later. works are where relative paths of hooks begin.
func (l *leads) config(file string, works []string) {
	end := l.way(file, l.add)
	key := l.way(filepath.Dir(file), l.add) + "\x00" + end + "\x00" + works[0] // what it includes begins where its name does
	if l.seen[key] || len(l.seen) > maxLeads {
		return
	}
	l.seen[key] = true
	l.add(end)
	for _, s := range readSettings(read(end)) {
		to := l.human.expand(s.value)
		switch s.section + "." + s.name {
		case "include.path", "includeif.path":
			l.config(from(filepath.Dir(file), to), works)
		case "core.hookspath":
			for _, at := range works {
				l.hookFolder(from(at, to))
			}
		case "init.templatedir":
			for _, at := range works {
				t := from(at, to)
				l.hookFolder(t + "/hooks")
				l.config(t+"/config", works)
				l.config(t+"/config.worktree", works)
				l.add(l.way(t+"/commondir", l.add))
			}
		}
		if s.program() {
			l.programs(s, works)
		}
	}
}

// hookFolder goes after a folder of hooks, and the links in it.
func (l *leads) hookFolder(dir string) {
	key := "hooks\x00" + dir
	if l.seen[key] || len(l.seen) > maxLeads {
		return
	}
	l.seen[key] = true
	end := l.way(dir, l.add)
	l.take(l.Hooks, end)
	entries, _ := os.ReadDir(end)
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink != 0 && hookNames[fold(e.Name())] {
			l.add(l.way(filepath.Join(end, e.Name()), l.add))
		}
	}
}

// programs goes after the files of the folder that a setting's command names: the words
// of it, as a shell has them, that lead to one.
func (l *leads) programs(s setting, works []string) {
	for _, word := range strings.FieldsFunc(s.value, notInWord) {
		for _, at := range works {
			take := func(at string) {
				if name, in := l.below(at); in && !ofGit(name) && len(l.Runs) < maxLeads {
					l.Runs[name] = s.section + "." + s.name
				}
			}
			take(l.way(from(at, l.human.expand(word)), take))
		}
	}
}

// way walks a path as the system does, calls meet for the links on it, and returns where it
// comes out.
func (l *leads) way(to string, meet func(link string)) string {
	at, rest := "/", strings.Split(to, "/")
	if below, in := l.below(to); in { // the way to the folder is free of links
		at, rest = l.dir, strings.Split(below, "/")
	}
	for links := 0; len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		next := filepath.Join(at, part)
		link, err := os.Readlink(next)
		if part == "" || part == "." || part == ".." || err != nil {
			at = next
			continue
		}
		meet(next)
		if links++; links > tree.MaxLinks {
			return ""
		}
		if filepath.IsAbs(link) {
			at = "/"
		}
		rest = append(strings.Split(link, "/"), rest...)
	}
	return at
}

func (l *leads) add(at string) { l.take(l.Files, at) }

// take takes down a path, if it is below the folder. What lies in a .git is judged there.
func (l *leads) take(names map[string]bool, at string) {
	name, in := l.below(at)
	if !in || ofGit(name) {
		return
	}
	names[name] = true
	for at := path.Dir(name); at != "."; at = path.Dir(at) {
		l.above[at] = true
	}
}

func (l *leads) below(at string) (string, bool) {
	return strings.CutPrefix(at, strings.TrimSuffix(l.dir, "/")+"/")
}

// named reports whether git would run or obey a file of that name.
func (l *leads) named(name string) bool {
	return l.Files[name] || l.Hooks[name] || l.Hooks[path.Dir(name)] && hookNames[fold(path.Base(name))]
}

// why tells why a touched name must stay as it was, "" where it need not.
func (l *leads) why(t Touched, v Views) string {
	named := l.named(t.Name)
	if !named && !l.above[t.Name] {
		return "" // nearly always, and nothing is looked at
	}
	folder := !t.Gone && isFolder(v.After, t.Name)
	switch {
	case folder && (!l.Files[t.Name] || isFolder(v.Before, t.Name) || !exists(v.Before, t.Name)):
		return ""
	case named:
		return "a human's settings lead git there: only a human may change it"
	case !folder && !t.Gone && l.above[t.Name]:
		return "it would take the place of a folder to which a human's settings lead git"
	}
	return ""
}

// expand puts the home in the place of "~".
func (h Human) expand(to string) string {
	if rest, ok := strings.CutPrefix(to, "~/"); ok && h.Home != "" {
		return filepath.Join(h.Home, rest)
	}
	return to
}

// from returns a path that begins in a folder unless it is absolute; its ".." are not
// resolved, for there may be links before them.
func from(dir, to string) string {
	if filepath.IsAbs(to) {
		return to
	}
	return strings.TrimSuffix(dir, "/") + "/" + to
}

// ofGit reports whether a name is, or lies in, a .git.
func ofGit(name string) bool { return slices.ContainsFunc(strings.Split(name, "/"), disk.IsGit) }

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
