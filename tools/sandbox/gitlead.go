package sandbox

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"vibey/tools/disk"
	"vibey/tools/disk/tree"
)

// gitLead is a path by which git comes to a file: what a config or a commondir
// names, or a link says. The same path comes out elsewhere once a folder on the way
// is replaced, so every name on it is looked at.
type gitLead struct {
	from string // where a relative path begins; absolute, free of links
	to   string
	role gitRole // of what stands at its end; roleWay: only the way to it matters
	gitOrigin
}

// gitOrigin is where git stands when it reads a config.
type gitOrigin struct {
	base  string          // of the paths that it includes; "" is the folder of the name by which it was found
	works func() []string // where relative paths of programs and hooks begin
}

// gitWay is where a lead comes out.
type gitWay struct {
	end    string // absolute, free of links
	dir    bool   // a folder stands there
	base   string // the folder in which the lead's last name was looked up, link or not
	linked bool   // a link below the folder stands on it
}

// follow goes after what an item of a human's names: the files that a config
// includes, hooks that are elsewhere, the repositories on this machine, and what a
// link leads to. What a command made so is taken away itself.
func (g *gathering) follow(name string, item gitItem, at gitOrigin) {
	dir := g.abs(path.Dir(name))
	switch {
	case item.Role == roleDoor:
		if to, ok := strings.CutPrefix(item.Leads, "out:"); ok && to != "" && !within(to, g.dir) {
			g.outerRepository(to, dir)
		}
	case item.Link:
		if at.base == "" {
			at.base = dir
		}
		g.lead(gitLead{dir, string(item.Text), item.Role, at})
	case item.Big:
	case item.Role == roleCommonDir:
		g.lead(gitLead{dir, strings.TrimRight(string(item.Text), "\r\n"), roleCommonDir, at})
	case item.Role == roleConfig:
		if at.base == "" {
			at.base = dir
		}
		g.settings(string(item.Text), at)
	}
}

// settings goes after what a config names. Conditions of an include are taken to
// hold: they may, later.
func (g *gathering) settings(text string, at gitOrigin) {
	for _, l := range readSettings(text) {
		role, from := roleWay, at.works
		switch l.section + "." + l.name {
		case "include.path", "includeif.path":
			role, from = roleConfig, func() []string { return []string{at.base} }
		case "core.hookspath":
			role = roleHook
		case "init.templatedir":
			g.template(l.value, at)
			continue
		case "remote.url", "remote.pushurl", "branch.remote":
			l.value = strings.TrimPrefix(l.value, "file://")
			if !strings.Contains(l.value, "/") || remoteAddress.MatchString(l.value) {
				continue
			}
		default:
			if l.program() {
				g.programs(l, at)
			}
			continue
		}
		g.leadFrom(l.value, role, from, at)
	}
}

// leadFrom goes after a path of a config, from each folder in which it may begin.
func (g *gathering) leadFrom(to string, role gitRole, from func() []string, at gitOrigin) {
	to = g.human.expand(to)
	dirs := []string{"/"}
	if !filepath.IsAbs(to) {
		dirs = from()
	}
	for _, dir := range dirs {
		g.lead(gitLead{dir, to, role, gitOrigin{works: at.works}})
	}
}

// templateFiles are what git copies into each new repository and would use there.
// A commondir is like a hook: whatever comes there has to go.
var templateFiles = []struct {
	name string
	role gitRole
}{{"hooks", roleHook}, {"config", roleConfig}, {"config.worktree", roleConfig}, {"commondir", roleHook}}

func (g *gathering) template(dir string, at gitOrigin) {
	if dir == "" {
		return
	}
	for _, f := range templateFiles {
		g.leadFrom(dir+"/"+f.name, f.role, at.works, at)
	}
}

// lead takes down what a lead comes to, and the links on the way.
func (g *gathering) lead(l gitLead) {
	key := l.from + "\x00" + l.to + "\x00" + string(l.role)
	if g.crowded = g.crowded || len(g.seen) >= maxItems; g.crowded || g.seen[key] || l.to == "" || strings.Contains(l.to, "\x00") {
		return
	}
	g.seen[key] = true
	w := g.way(l.from, l.to, g.meet)
	if l.base == "" {
		l.base = w.base
	}
	name, in := g.below(w.end)
	switch {
	case l.role == roleWay || w.end == "":
	case !in && l.role == roleConfig && !w.dir:
		g.outerConfig(w.end, l.gitOrigin)
	case l.role == roleCommonDir && w.dir:
		g.lead(gitLead{w.end, "config", roleConfig, gitOrigin{works: l.works}})
		g.lead(gitLead{w.end, "hooks", roleHook, l.gitOrigin})
	case l.role == roleHook && w.dir:
		g.hooksIn(w.end, l.gitOrigin)
	case !in:
	case l.role == roleHook:
		g.hooks[name] = true // a folder may come there
		g.name(name, roleHook)
		g.item(name)
	case !w.dir && l.role != roleCommonDir:
		g.name(name, l.role)
		if item, ok := g.item(name); ok && item.Role == l.role {
			g.follow(name, item, l.gitOrigin)
		}
	}
	if !in && w.end != "" {
		g.outside = append(g.outside, w.end)
	}
}

// names reports whether a lead comes to a path, or would if a file stood there.
func (k *gitKeeper) names(ctx context.Context, name string) (bool, error) {
	g, err := k.gatherAnew(ctx)
	if err != nil {
		return false, err
	}
	named := g.named[name] || g.hooks[name] || g.hooks[path.Dir(name)] && hookNames[strings.ToLower(path.Base(name))]
	return named, g.blind
}

// hooksIn takes down the hooks in a folder, which may hold other things too. Of
// one outside only links matter.
func (g *gathering) hooksIn(at string, origin gitOrigin) {
	name, in := g.below(at)
	if !in {
		entries, _ := os.ReadDir(at)
		for _, e := range entries {
			if e.Type()&fs.ModeSymlink != 0 && hookNames[e.Name()] {
				g.lead(gitLead{at, e.Name(), roleHook, origin})
			}
		}
		return
	}
	g.hooks[name] = true
	dir, ok := g.sub(name)
	if !ok {
		return
	}
	defer dir.Close()
	err := dir.Each(func(b []byte, kind tree.Kind) bool {
		if file := string(b); kind != tree.DirKind && hookNames[strings.ToLower(file)] {
			g.lead(gitLead{at, file, roleHook, origin})
		}
		return true
	})
	if err != nil && !absent(err) {
		g.fail(name, err)
	}
}

// name takes down a file that something names.
func (g *gathering) name(name string, role gitRole) {
	g.named[name] = true
	g.add(name, role)
}

// way walks a lead one name at a time, as the system does. It calls meet for each
// link below the folder; where that has replaced the link, it walks again.
func (g *gathering) way(from, to string, meet func(name, to string) (replaced bool)) gitWay {
	for range tree.MaxLinks {
		if w, again := g.walkOnce(from, to, meet); !again {
			return w
		}
	}
	return gitWay{}
}

func (g *gathering) walkOnce(from, to string, meet func(name, to string) bool) (w gitWay, again bool) {
	at, rest := from, strings.Split(strings.TrimRight(to, "/"), "/")
	if filepath.IsAbs(to) {
		at = "/"
		if below, ok := strings.CutPrefix(to, g.dir+"/"); ok { // its own way is free of links
			at, rest = g.dir, strings.Split(below, "/")
		}
	}
	inserted := 0 // how many of the rest are a link's
	for links := 0; len(rest) > 0; {
		part := rest[0]
		if rest = rest[1:]; inserted > 0 {
			inserted--
		} else if len(rest) == 0 {
			w.base = at
		}
		if part == "" || part == "." {
			continue
		}
		if part == ".." {
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, part)
		kind, link := g.kindOf(next)
		switch kind {
		case tree.DirKind:
			at = next
			continue
		case tree.LinkKind:
			if name, in := g.below(next); in {
				if w.linked = true; meet(name, link) {
					return w, true
				}
			}
			if links++; links > tree.MaxLinks {
				return gitWay{}, false
			}
			if filepath.IsAbs(link) {
				at = "/"
			}
			more := strings.Split(link, "/")
			inserted += len(more)
			rest = append(more, rest...)
			continue
		}
		w.end = filepath.Join(append([]string{next}, rest...)...)
		return w, false
	}
	w.end, w.dir = at, true
	return w, false
}

// apart reports whether all that git comes to outside of the folder is out of reach
// for a command with that HOME.
func (k *gitKeeper) apart(home string) error {
	if len(k.outside) == 0 || home == "" {
		return nil
	}
	home, err := filepath.EvalSymlinks(home)
	if err == nil && slices.ContainsFunc(k.outside, func(at string) bool { return within(at, home) }) {
		err = errors.New("a config, a hook or a remote of a repository in it leads into the HOME of commands, which they may write: lead it elsewhere")
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// kindOf tells what stands at an absolute path, and of a link where it leads.
func (g *gathering) kindOf(at string) (kind tree.Kind, to string) {
	name, in := g.below(at)
	if !in {
		spot := g.outerSpot(at)
		if spot.kind == tree.LinkKind {
			g.outside = append(g.outside, at)
		}
		return spot.kind, spot.to
	}
	stamp, err := g.at.Stat(name)
	if errors.Is(err, fs.ErrPermission) {
		g.uncover(path.Dir(name))
		stamp, err = g.at.Stat(name)
	}
	if err != nil && !absent(err) && !errors.Is(err, fs.ErrPermission) {
		g.fail(name, err)
	}
	if kind = stamp.Kind(); err != nil {
		kind = tree.UnknownKind
	} else if kind == tree.LinkKind {
		to, _ = g.root.Readlink(name)
	}
	return kind, to
}

// abs is the absolute path of a name in the folder.
func (k *gitKeeper) abs(name string) string { return filepath.Join(k.dir, name) }

// below is the name in the folder of an absolute path, if it has one.
func (k *gitKeeper) below(at string) (name string, ok bool) {
	if at == k.dir {
		return ".", true
	}
	return strings.CutPrefix(at, strings.TrimSuffix(k.dir, "/")+"/")
}

// works returns where git may stand when it works with the repository of that
// name: the folder above its .git, its worktrees, and itself.
func (g *gathering) works(repo string) func() []string {
	return sync.OnceValue(func() []string {
		dirs := []string{g.abs(repo)}
		if disk.IsGit(path.Base(repo)) {
			dirs = append(dirs, g.abs(path.Dir(repo)))
		}
		dirs = append(dirs, g.doorways()[repo]...)
		for _, s := range readSettings(string(g.texts[path.Join(repo, "config")])) {
			if s.section+"."+s.name == "core.worktree" {
				dirs = append(dirs, g.way(g.abs(repo), s.value, pass).end)
			}
		}
		return compact(dirs...)
	})
}

// everywhere returns the folders in which git may be run.
func (g *gathering) everywhere() (dirs []string) {
	for _, r := range g.repos {
		dirs = append(dirs, g.works(r.path)()...)
	}
	for _, at := range g.doorways() {
		dirs = append(dirs, at...)
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// pass is the meet of a walk that goes over each link.
func pass(string, string) bool { return false }

// doorways are the folders of the doors that stand there now, by the repository to
// which they lead, or whose worktree; "" is another.
func (g *gathering) doorways() map[string][]string {
	if g.doorsTo == nil {
		g.doorsTo = map[string][]string{}
		for _, name := range g.doors {
			if item, f, err := g.open(name, roleDoor); err == nil && item.Role != "" {
				if f != nil {
					item.keep(f)
					f.Close()
				}
				g.doorway(g.abs(path.Dir(name)), g.leads(name, item))
			}
		}
	}
	return g.doorsTo
}

func (g *gathering) doorway(dir, leads string) {
	to, in := strings.CutPrefix(leads, "in:")
	if !in {
		if to, in = g.below(strings.TrimPrefix(leads, "out:")); !in {
			to = ""
		}
	}
	g.doorsTo[to] = append(g.doorsTo[to], dir)
	if trees := path.Dir(to); path.Base(trees) == "worktrees" {
		g.doorsTo[path.Dir(trees)] = append(g.doorsTo[path.Dir(trees)], dir)
	}
}
