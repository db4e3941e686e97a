package git

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A line of a config that git can read in one way only: a comment, a section, or
// a setting with a value that is plain or quoted as a whole. Nothing of it
// reaches into the next line. Source: git-config(1), "Syntax".
var (
	commentLine = lazily(`^[ \t]*([#;].*)?$`)
	sectionLine = lazily(`^\[([a-zA-Z0-9-]+)(?: "([^"\\\x00-\x1f\x7f]+)")?\][ \t]*$`)
	settingLine = lazily(`^[ \t]*([a-zA-Z][a-zA-Z0-9-]*)(?:[ \t]*=[ \t]*(?:([^"\\#;\x00-\x08\x0a-\x1f\x7f]*)|"((?:[^"\\\x00-\x1f\x7f]|\\["\\])*)"[ \t]*))?$`)
)

// lazily makes an expression when it is first asked for: else each start of this program
// would pay for it, the one within a command's walls as well.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// configLine is one line of a config.
type configLine struct {
	text               string
	strict             bool   // it is one of those above
	section, sub, name string // of a setting; section and name in lower case
	value              string
	harmless           bool
}

// key is the setting's name as git writes it.
func (l configLine) key() string {
	if l.sub == "" {
		return l.section + "." + l.name
	}
	return l.section + "." + l.sub + "." + l.name
}

// parseConfig splits a config into lines, each judged.
func parseConfig(text string) (lines []configLine) {
	if text == "" {
		return nil
	}
	in, known := configLine{}, false // the section that git is in, if that is certain
	remotes := map[string]bool{}
	for t := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		l := configLine{text: t}
		if m := sectionLine().FindStringSubmatch(t); m != nil {
			in, known = configLine{section: strings.ToLower(m[1]), sub: m[2]}, true
			l.strict = true
		} else if commentLine().MatchString(t) {
			l.strict = true
		} else if m := settingLine().FindStringSubmatch(t); m != nil && known {
			l.strict, l.section, l.sub, l.name = true, in.section, in.sub, strings.ToLower(m[1])
			l.value = strings.TrimRight(m[2], " \t") + strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(m[3])
			if l.section == "remote" && l.name == "url" && remoteAddress().MatchString(l.value) {
				remotes[l.sub] = true
			}
		} else {
			known = false
		}
		lines = append(lines, l)
	}
	for i := range lines {
		lines[i].harmless = lines[i].isHarmless(remotes)
	}
	return lines
}

// harmlessSettings are those that name no program, no file and no other
// repository, by section, or by section and name. What git learns to do later is
// none of them.
var harmlessSettings = wordSet(`
	core.repositoryformatversion core.bare core.filemode core.symlinks core.ignorecase core.precomposeunicode core.logallrefupdates
	core.autocrlf core.eol core.safecrlf core.quotepath core.abbrev core.compression core.longpaths core.whitespace
	core.sparsecheckout core.sparsecheckoutcone core.preloadindex core.untrackedcache
	extensions.objectformat extensions.compatobjectformat extensions.refstorage extensions.worktreeconfig
	index.sparse index.version init.defaultbranch
	user.name user.email author.name author.email committer.name committer.email
	remote.fetch remote.tagopt remote.prune branch.merge branch.rebase branch.description submodule.active submodule.branch
	pull.rebase pull.ff push.default push.autosetupremote push.followtags fetch.prune fetch.prunetags merge.conflictstyle merge.ff
	rebase.autosquash rebase.autostash rerere.enabled commit.gpgsign tag.gpgsign tag.sort branch.autosetuprebase branch.autosetupmerge
	diff.renames diff.algorithm diff.colormoved status.short status.branch color.ui log.date gc.auto gc.autodetach
`)

// remoteAddress is a repository on another machine. One on this could be a folder that
// a command fills with hooks, and a push would run them.
var remoteAddress = lazily(`^(?:(?:https?|git|ssh)://[a-zA-Z0-9\[]\S*|(?:[a-zA-Z0-9_][\w.-]*@)?[a-zA-Z0-9][a-zA-Z0-9.-]*:[^:\s-]\S*)$`)

// isHarmless reports whether a line may stand in a config that a command wrote.
// remotes are those that have an address.
func (l configLine) isHarmless(remotes map[string]bool) bool {
	switch name := l.section + "." + l.name; {
	case !l.strict || l.name == "":
		return l.strict
	case name == "remote.url" || name == "submodule.url":
		return remoteAddress().MatchString(l.value)
	case name == "branch.remote": // what is no remote's name is a path
		return l.value == "." || remotes[l.value]
	default:
		return harmlessSettings[name]
	}
}

// Disarm returns the harmless lines of a config, and what the others were.
func Disarm(text string) (safe string, taken []string) {
	var b strings.Builder
	for _, l := range parseConfig(text) {
		if l.harmless {
			b.WriteString(l.text + "\n")
			continue
		}
		what := "a line that can be read in two ways"
		if l.strict {
			what = l.key()
		}
		if !slices.Contains(taken, what) {
			taken = append(taken, what)
		}
	}
	return b.String(), taken
}

// armed returns the lines of a config that are not harmless, with their sections: where they
// are the same, git runs the same. A config that can be read in two ways is returned whole.
func armed(text string) string {
	var b strings.Builder
	for _, l := range parseConfig(text) {
		if !l.strict {
			return text
		}
		if !l.harmless {
			b.WriteString(l.key() + "\x00" + l.text + "\n")
		}
	}
	return b.String()
}
