package git

import (
	"cmp"
	"io/fs"
	"path"
	"strings"

	"vibey/tools/disk"
)

// Judge says of what a command touched which must stay as it was, and which must hold
// other text: names without a verdict may be as they are. It opens no file but those that
// git would read for settings.
//
// What a repository had before is a human's: its hooks and settings stay. A new one gets
// the settings that are known to name no program and no file.
func Judge(touched []Touched, v Views) map[string]Verdict {
	j := &judge{Views: v, repos: map[string]repository{}, verdicts: map[string]Verdict{}}
	for _, t := range touched {
		j.look(t)
	}
	named := leadsTo(v, touched)
	named.join(v.named)
	for _, t := range touched {
		if why := named.why(t, v); why != "" {
			j.refuse(t.Name, why)
		} else if by := named.Runs[t.Name]; by != "" && !t.Gone && j.verdicts[t.Name].Why == "" {
			j.verdicts[t.Name] = Verdict{Why: "a human's git runs it, as " + by + ": tell them that it changed"}
		}
	}
	for _, t := range touched {
		j.keepWay(t)
	}
	return j.verdicts
}

type judge struct {
	Views
	repos    map[string]repository
	verdicts map[string]Verdict
}

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
	before, after := IsFolder(j.Before, dir), IsFolder(j.After, dir)
	r.is = isFolder(j.After, dir) && (before || after)
	head := exists(j.Before, path.Join(dir, "HEAD"))
	armed := !(before && head) && (before || after) && j.armedBefore(dir)
	r.stood = before && (head || armed)
	r.turned = after && armed
	j.repos[dir] = r
	return r
}

// armedBefore reports whether a folder that was no repository held what git would run or
// obey in one.
func (j *judge) armedBefore(dir string) bool {
	for _, name := range []string{"config", "config.worktree"} {
		name = path.Join(dir, name)
		if kind, ok := stat(j.Before, name); !ok || kind.IsDir() {
			continue
		}
		now, ok := text(j.Before, name)
		if _, taken := Disarm(now); !ok || len(taken) > 0 {
			return true
		}
	}
	for _, name := range []string{"commondir", "info/attributes", "objects/info/alternates", "objects/info/http-alternates"} {
		if exists(j.Before, path.Join(dir, name)) {
			return true
		}
	}
	for name := range hookNames {
		if exists(j.Before, path.Join(dir, "hooks", name)) {
			return true
		}
	}
	kind, ok := stat(j.Before, path.Join(dir, "hooks"))
	return ok && !kind.IsDir()
}

func (j *judge) refuse(name, why string) {
	if v := j.verdicts[name]; !v.Refused || v.Why == "" {
		j.verdicts[name] = Verdict{Refused: true, Why: why}
	}
}

// look judges a name by each folder above it.
func (j *judge) look(t Touched) {
	if !t.Gone && disk.IsGit(path.Base(t.Name)) && !isFolder(j.After, t.Name) {
		j.door(t.Name)
	}
	for at, rest := 0, t.Name; ; {
		part, below, more := strings.Cut(rest, "/")
		if word := fold(part); ruled[word] {
			dir := cmp.Or(strings.TrimSuffix(t.Name[:at], "/"), ".")
			if r := j.repository(dir); r.is {
				var in []string
				if more {
					in = strings.Split(fold(below), "/")
				}
				j.own(&entry{Touched: t, repository: r, dir: dir, word: word, in: in, folder: !t.Gone && isFolder(j.After, t.Name)})
			}
		}
		if !more {
			return
		}
		at, rest = at+len(part)+1, below
	}
}

// entry is a name in a git folder, or below a name in one.
type entry struct {
	Touched
	repository
	dir    string   // the git folder
	word   string   // the name in it, folded
	in     []string // the names below that
	folder bool     // one stands there
}

// ruled are the names in a git folder that matter, as own judges them.
var ruled = wordSet(`head objects refs worktrees commondir gitdir config config.worktree hooks info remotes branches rebase-merge rebase-apply sequencer`)

const (
	whyHook    = "git runs what lies there: only a human puts a hook there"
	whySetting = "git takes its settings from it: only a human changes them"
	whyLeads   = "it leads git to where anything could stand: only a human may do that"
	whyTurned  = "it would make a repository of a folder that holds hooks or settings already"
)

// own judges a name in a git folder.
func (j *judge) own(e *entry) {
	top := len(e.in) == 0
	switch e.word {
	case "head", "objects", "refs", "worktrees", "commondir":
		if e.turned && !e.Gone {
			j.refuse(e.Name, whyTurned)
		} else if e.stood && e.Gone && top && e.word != "worktrees" {
			j.refuse(e.Name, "a repository that stays needs it")
		}
	}
	if top && !e.Gone && !e.folder && folders[e.word] {
		j.refuse(e.Name, whyLeads)
		return
	}
	switch e.word {
	case "config", "config.worktree":
		if top && !e.folder {
			j.config(e)
		}
	case "hooks":
		j.hook(e)
	case "commondir":
		if text, _ := text(j.After, e.Name); top && (e.Gone && e.stood || !e.Gone && (strings.TrimSpace(text) != "../.." || parent(e.dir) != "worktrees")) {
			j.refuse(e.Name, whyLeads)
		}
	case "gitdir":
		if text, _ := text(j.After, e.Name); top && !e.Gone && parent(e.dir) == "worktrees" {
			if _, in := j.inside(e.dir, strings.TrimRight(text, "\r\n")); !in {
				j.refuse(e.Name, whyLeads)
			}
		}
	case "info":
		if len(e.in) == 1 && e.in[0] == "attributes" && (e.stood || !e.Gone) {
			j.refuse(e.Name, whySetting)
		}
	case "objects":
		if len(e.in) > 0 && e.in[0] == "info" && !e.Gone && !e.folder && (len(e.in) == 1 || strings.HasSuffix(e.in[1], "alternates")) {
			j.refuse(e.Name, whyLeads)
		}
	case "remotes", "branches":
		if !e.Gone && !e.folder {
			j.refuse(e.Name, whySetting)
		}
	case "rebase-merge", "rebase-apply", "sequencer":
		if len(e.in) == 1 && !e.Gone && !j.harmlessState(e) {
			j.refuse(e.Name, "a rebase would run what it names")
		}
	}
}

// folders are those of the ruled names that must be no links or files.
var folders = wordSet(`hooks info objects remotes branches rebase-merge rebase-apply sequencer`)

func (j *judge) hook(e *entry) {
	switch {
	case len(e.in) == 0 && e.folder, e.Gone && (!e.stood || j.Shared):
	case !e.Gone && strings.HasSuffix(e.Name, ".sample") && !exists(j.Before, e.Name):
		j.refuse(e.Name, "") // git's own, which it never runs
	default:
		j.refuse(e.Name, whyHook)
	}
}

// made begins the config of a repository that a command made: in those, and where nothing
// else came to stand in them, commands may go on changing the harmless settings.
const made = "# A command made this: what it may not set does not count.\n"

func isMade(text string) bool {
	_, taken := Disarm(text)
	return strings.HasPrefix(text, made) && len(taken) == 0
}

func (j *judge) config(e *entry) {
	was, _ := text(j.Before, e.Name)
	now, ok := text(j.After, e.Name)
	switch {
	case e.stood && !e.Gone && j.Shared && ok && armed(was) == armed(now):
		return
	case e.stood && (e.Gone || !isMade(was)):
		j.refuse(e.Name, whySetting)
		return
	case e.Gone:
		return
	}
	if !ok {
		j.refuse(e.Name, whySetting)
		return
	}
	safe, taken := Disarm(strings.TrimPrefix(now, made))
	why := ""
	if len(taken) > 0 {
		why = "it counts without " + list(taken) + ": only a human may set that"
	}
	switch {
	case j.Before != nil:
		safe = made + safe
	case len(taken) == 0:
		safe = now
	}
	j.verdicts[e.Name] = Verdict{Text: []byte(safe), Why: why}
}

// door judges a .git that is no folder: a file may lead to a git folder below the folder.
func (j *judge) door(name string) {
	now, ok := text(j.After, name)
	to, leads := strings.CutPrefix(now, "gitdir: ")
	if !ok {
		j.refuse(name, whyLeads)
	} else if leads {
		if _, in := j.inside(path.Dir(name), strings.TrimRight(to, "\r\n")); !in {
			j.refuse(name, whyLeads)
		}
	}
}

// keepWay refuses that a folder goes, or becomes something else, with what is kept in it,
// and that anything comes into a folder that may not come.
func (j *judge) keepWay(t Touched) {
	if len(j.verdicts) == 0 {
		return
	}
	refused := j.verdicts[t.Name].Refused
	for at := path.Dir(t.Name); at != "."; at = path.Dir(at) {
		switch {
		case refused && exists(j.Before, t.Name) && !isFolder(j.After, at):
			j.refuse(at, "it holds what only a human may change")
		case !refused && j.verdicts[at].Refused && !isFolder(j.Before, at):
			j.refuse(t.Name, "")
		}
	}
}

// isLink reports whether a link stands at a name.
func isLink(v View, name string) bool {
	kind, ok := stat(v, name)
	return ok && kind&fs.ModeSymlink != 0
}
