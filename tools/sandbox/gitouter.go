package sandbox

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"vibey/tools/disk/tree"
)

// gitHuman is where a human has their own settings for git. They are not a
// command's to change, but may name what is, or be links to it.
type gitHuman struct {
	home    string   // "~"
	configs []string // absolute
}

// human returns where git looks for the settings of the human.
func (c Config) human() gitHuman {
	h := gitHuman{home: c.home()}
	if h.home != "" {
		xdg := c.getenv("XDG_CONFIG_HOME")
		if !filepath.IsAbs(xdg) {
			xdg = filepath.Join(h.home, ".config")
		}
		h.configs = []string{filepath.Join(h.home, ".gitconfig"), filepath.Join(xdg, "git", "config")}
	}
	if only := c.getenv("GIT_CONFIG_GLOBAL"); filepath.IsAbs(only) { // in a shell without it git reads the others
		h.configs = append(h.configs, only)
	}
	return h
}

// expand puts the home in the place of "~".
func (h gitHuman) expand(to string) string {
	if rest, ok := strings.CutPrefix(to, "~/"); ok && h.home != "" {
		return filepath.Join(h.home, rest)
	}
	return to
}

// outer is what a look has found outside of the folder. It is held to until the next
// look: what a human leads into the folder meanwhile was not looked at before, and
// would seem planted.
type outer struct {
	above string               // the folder above that is a repository's, "" where there is none
	texts map[string]string    // of configs, as they were read first
	spots map[string]outerSpot // on the ways of leads
	sure  bool                 // a look has begun, and above is known
}

// outerSpot is what stands at a path.
type outerSpot struct {
	kind tree.Kind
	to   string // where a link leads
}

// outerSources goes after what settings outside of the folder name in it: those of
// the human, and of the repository in which the folder lies. Where links lead to
// the settings themselves in the folder, they are a human's there.
func (g *gathering) outerSources() {
	everywhere := sync.OnceValue(g.everywhere)
	for _, c := range g.human.configs {
		g.lead(gitLead{"/", c, roleConfig, gitOrigin{works: everywhere}})
	}
	if !g.outer.sure {
		g.outer.sure, g.outer.above = true, ""
		for at := filepath.Dir(g.dir); at != "/" && at != "."; at = filepath.Dir(at) {
			if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
				g.outer.above = at
				break
			}
		}
	}
	if top := g.outer.above; top != "" {
		git := filepath.Join(top, ".git")
		if text, ok := strings.CutPrefix(readOuter(git), "gitdir: "); ok {
			git = strings.TrimRight(text, "\r\n")
			if !filepath.IsAbs(git) {
				git = filepath.Join(top, git)
			}
		}
		g.outerRepository(git, top)
	}
}

// outerRepository goes after what a repository outside of the folder names. work
// is where git works with it.
func (g *gathering) outerRepository(git, work string) {
	works := func() []string { return []string{git, work} }
	common := git
	if text := readOuter(filepath.Join(git, "commondir")); text != "" {
		if common = strings.TrimRight(text, "\r\n"); !filepath.IsAbs(common) {
			common = filepath.Join(git, common)
		}
	}
	for _, l := range []struct {
		to   string
		role gitRole
	}{{common + "/config", roleConfig}, {git + "/config.worktree", roleConfig}, {common + "/hooks", roleHook}} {
		g.lead(gitLead{"/", l.to, l.role, gitOrigin{works: works}})
	}
}

// outerConfig goes after what a config outside of the folder names.
func (g *gathering) outerConfig(file string, at gitOrigin) {
	key := "\x00" + file
	if g.seen[key] {
		return
	}
	g.seen[key] = true
	if at.base == "" {
		at.base = filepath.Dir(file)
	}
	g.settings(g.outerText(file), at)
}

// outerSpot tells what stands at a path outside of the folder.
func (k *gitKeeper) outerSpot(at string) outerSpot {
	spot, known := k.outer.spots[at]
	if known {
		return spot
	}
	switch info, err := os.Lstat(at); {
	case err != nil:
		spot.kind = tree.UnknownKind
	case info.IsDir():
		spot.kind = tree.DirKind
	case info.Mode()&fs.ModeSymlink != 0:
		spot.kind = tree.LinkKind
		spot.to, _ = os.Readlink(at)
	default:
		spot.kind = tree.FileKind
	}
	if len(k.outer.spots) < maxItems {
		k.outer.spots[at] = spot
	}
	return spot
}

// outerText reads a config outside of the folder.
func (k *gitKeeper) outerText(file string) string {
	text, known := k.outer.texts[file]
	if !known {
		text = readOuter(file)
		k.outer.texts[file] = text
	}
	return text
}

// forget lets the next look find out anew what stands outside of the folder.
func (o *outer) forget() {
	o.sure, o.spots, o.texts = false, map[string]outerSpot{}, map[string]string{}
}

// readOuter reads a file, as far as one is kept; "" where there is none.
func readOuter(file string) string {
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe may take its place
	if err != nil {
		return ""
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, keepLimit))
	return string(text)
}
