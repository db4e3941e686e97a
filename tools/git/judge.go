package git

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"vibey/tools/disk"
)

// Views are a folder before and after a command.
type Views struct {
	Before, After View   // Before is nil where all is new
	Dir           string // where the folder is, absolute and free of links
	Named         Named
}

// Touched is a name in the folder at which something is not as it was. What a new or a
// deleted folder holds is touched, too.
type Touched struct {
	Name string
	Gone bool // nothing stands there after
}

// Verdict is about one touched name.
type Verdict struct {
	Refused bool   // it must stay as it was
	Text    []byte // where it is not: what the file has to hold instead, in a new inode
	Why     string // within a sentence; "" is worth no word
}

const (
	whyHook    = "git runs what lies there: only a human puts a hook there"
	whySetting = "git takes its settings from it: only a human changes them"
	whyLeads   = "it leads git to where anything could stand: only a human may do that"
	whyTurned  = "it would make a repository of a folder that holds hooks or settings already"
	whyNamed   = "a human's settings lead git there: only a human may change it"
)

// Judge says of what a command touched which must stay as it was, and which must hold
// other text: names without a verdict may be as they are. Below a refused name that is no
// folder, before or after, nothing counts; and a folder in which something stays does.
//
// What a repository had before is a human's: its hooks and settings stay. A new one gets
// the settings that are known to name no program and no file.
func Judge(touched []Touched, v Views) map[string]Verdict {
	j := &judge{Views: v, repos: map[string]repository{}, verdicts: map[string]Verdict{}}
	for _, t := range touched {
		if !t.Gone && disk.IsGit(path.Base(t.Name)) && !isFolder(v.After, t.Name) && !j.leadsWithin(t.Name) {
			j.refuse(t.Name, whyLeads)
		}
		j.look(t)
		if v.Named.refuses(t, v) {
			j.refuse(t.Name, whyNamed)
		}
	}
	return j.verdicts
}

type judge struct {
	Views
	repos    map[string]repository
	verdicts map[string]Verdict
}

func (j *judge) refuse(name, why string) { j.verdicts[name] = Verdict{Refused: true, Why: why} }

// repository is what a folder is to git.
type repository struct {
	is     bool // a git folder, before or after, that still stands there
	stood  bool // it was one before, and not just a .git that is not filled yet
	turned bool // it becomes one, of a folder that held hooks or settings before
}

func (j *judge) repository(dir string) repository {
	r, known := j.repos[dir]
	if known {
		return r
	}
	before, after := isGit(j.Before, dir), isGit(j.After, dir)
	r.is = isFolder(j.After, dir) && (before || after)
	whole := before && exists(j.Before, path.Join(dir, "HEAD"))
	armed := !whole && r.is && j.armedBefore(dir)
	r.stood = whole || before && armed
	r.turned = after && !before && armed
	j.repos[dir] = r
	return r
}

// armedBefore reports whether a folder that was no repository held what git would run or
// obey in one.
func (j *judge) armedBefore(dir string) bool {
	for _, name := range []string{"config", "config.worktree", "commondir", "info/attributes"} {
		if exists(j.Before, path.Join(dir, name)) {
			return true
		}
	}
	for name := range hookNames {
		if exists(j.Before, path.Join(dir, "hooks", name)) {
			return true
		}
	}
	return exists(j.Before, path.Join(dir, "hooks")) && !isFolder(j.Before, path.Join(dir, "hooks"))
}

// look judges a name by each folder above it.
func (j *judge) look(t Touched) {
	for at, rest := 0, t.Name; ; {
		part, below, more := strings.Cut(rest, "/")
		if word := fold(part); ruled[word] {
			dir := cmp.Or(strings.TrimSuffix(t.Name[:at], "/"), ".")
			if r := j.repository(dir); r.is {
				j.own(t, r, dir, word, fold(below))
			}
		}
		if !more {
			return
		}
		at, rest = at+len(part)+1, below
	}
}

// own judges a name in the git folder dir: word is the name there, and in what is below that.
func (j *judge) own(t Touched, r repository, dir, word, in string) {
	file := !t.Gone && !isFolder(j.After, t.Name)
	switch {
	case r.turned && !t.Gone && (marks[word] || word == "commondir"):
		j.refuse(t.Name, whyTurned)
	case r.stood && t.Gone && marks[word] && word != "worktrees" && in == "":
		j.refuse(t.Name, "a repository that stays needs it")
	case file && in == "" && folders[word]:
		j.refuse(t.Name, whyLeads)
	case word == "hooks" && in != "" && (r.stood || !t.Gone):
		if !t.Gone && strings.HasSuffix(in, ".sample") && !exists(j.Before, t.Name) {
			j.refuse(t.Name, "") // git's own, which it never runs
		} else {
			j.refuse(t.Name, whyHook)
		}
	case strings.HasPrefix(word, "config") && in == "" && (file || t.Gone):
		j.config(t, r)
	case word == "info" && in == "attributes" && (r.stood || !t.Gone), (word == "remotes" || word == "branches") && file:
		j.refuse(t.Name, whySetting)
	case word == "commondir" && in == "":
		now, _ := text(j.After, t.Name)
		if t.Gone && r.stood || !t.Gone && (strings.TrimSpace(now) != "../.." || path.Base(path.Dir(dir)) != "worktrees") {
			j.refuse(t.Name, whyLeads)
		}
	case steps[in] && file && !j.sameSteps(t.Name):
		j.refuse(t.Name, "a rebase would run what it names")
	}
}

// steps are the files in which a rebase, or a sequence of picks, says how it goes on, and
// runs the lines by which git runs something: a command, or a strategy that is a program.
// Source: sequencer.c and builtin/rebase.c of git 2.51.
var (
	steps = wordSet("git-rebase-todo strategy opts")
	runs  = lazily(`(?m)^[ \t]*(?:x|exec)\b.*|^.*\bstrategy\b.*/.*|^[\w-]+/.*`)
)

// sameSteps reports whether git runs nothing by a file of steps that it would not have run before.
func (j *judge) sameSteps(name string) bool {
	now, ok := text(j.After, name)
	was, _ := text(j.Before, name)
	return ok && !slices.ContainsFunc(runs().FindAllString(now, -1), func(s string) bool { return !strings.Contains(was, s) })
}

// made begins the config of a repository that a command made: in those, and where nothing
// else came to stand in them, commands may go on changing the harmless settings.
const made = "# A command made this: what it may not set does not count.\n"

func (j *judge) config(t Touched, r repository) {
	was, _ := text(j.Before, t.Name)
	now, ok := text(j.After, t.Name)
	if _, taken := Disarm(was); r.stood && (t.Gone || !strings.HasPrefix(was, made) || len(taken) > 0) || !t.Gone && !ok {
		j.refuse(t.Name, whySetting)
		return
	}
	safe, taken := Disarm(strings.TrimPrefix(now, made))
	if t.Gone || j.Before == nil && len(taken) == 0 {
		return
	}
	v := Verdict{Text: []byte(made + safe)}
	if more := len(taken) - 8; more > 0 {
		taken = append(taken[:8], fmt.Sprintf("%d more", more))
	}
	if len(taken) > 0 {
		v.Why = "it counts without " + visible(strings.Join(taken, ", ")) + ": only a human may set that"
	}
	j.verdicts[t.Name] = v
}

// leadsWithin reports whether a .git that is no folder leads nowhere, or to where Judge
// finds the folder.
func (j *judge) leadsWithin(name string) bool {
	now, ok := text(j.After, name)
	to, leads := strings.CutPrefix(now, "gitdir: ")
	if !ok || !leads {
		return ok
	}
	to = strings.TrimRight(to, "\r\n")
	in, err := filepath.Rel(j.Dir, filepath.Clean(from(filepath.Join(j.Dir, path.Dir(name)), to)))
	if err != nil || !filepath.IsLocal(in) {
		return false
	}
	if disk.Climbs(to) {
		return false
	}
	for at := in; at != "."; at = path.Dir(at) { // no link on the way
		if exists(j.After, at) && !isFolder(j.After, at) {
			return false
		}
	}
	return true
}
