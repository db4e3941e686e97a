// Package git knows the files of a folder by which git runs programs or takes settings:
// hooks, configs, and what leads to others. A command may not give a human any of them.
//
//	verdicts := git.Judge(touched, git.Views{Before: lower, After: merged, Named: git.NamedIn(deed, human, names)})
//
// A git folder is what git takes for one: any that is called .git, however a disk spells
// it, and any that holds HEAD, objects and refs, or HEAD and commondir, wherever it lies.
//
// Begin with Judge; Folder does the same for what no layer keeps apart.
package git

import (
	"io/fs"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"vibey/tools/disk"
)

// View is a folder at one moment, by slash-separated names below it. *os.Root is one.
type View interface {
	Lstat(name string) (fs.FileInfo, error)
	ReadFile(name string) ([]byte, error)
}

// textLimit is how many bytes of one config, or of a file that leads elsewhere, are read.
const textLimit = 1 << 20

// text returns what a regular file holds, or false.
func text(v View, name string) (string, bool) {
	if v == nil {
		return "", false
	}
	info, err := v.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > textLimit {
		return "", false
	}
	b, err := v.ReadFile(name)
	return string(b), err == nil
}

// exists reports whether anything stands at a name, and isFolder whether that is a folder.
func exists(v View, name string) bool {
	if v == nil {
		return false
	}
	_, err := v.Lstat(name)
	return err == nil
}

func isFolder(v View, name string) bool {
	if v == nil {
		return false
	}
	info, err := v.Lstat(name)
	return err == nil && info.IsDir()
}

// isGit reports whether git takes a folder for a repository, or could once it is whole.
func isGit(v View, dir string) bool {
	return isFolder(v, dir) && (disk.IsGit(path.Base(dir)) || isRepository(func(name string) bool { return exists(v, path.Join(dir, name)) }))
}

// isRepository reports whether a folder with those names is one to git, whatever its name.
func isRepository(has func(name string) bool) bool {
	return has("HEAD") && (has("commondir") || has("objects") && has("refs")) || has("objects") && has("refs") && has("worktrees")
}

// Arms reports whether git would obey a file of that name, or one below a folder of it,
// in a folder that need not be called .git: where it is a repository, or becomes one by
// it. has reports whether a name stands in the folder.
func Arms(name string, has func(name string) bool) bool {
	word := fold(name)
	if !ruled[word] {
		return false
	}
	before := func(name string) bool { return has(name) || has(strings.ToLower(name)) || has(strings.ToUpper(name)) }
	after := func(name string) bool { return word == strings.ToLower(name) || before(name) }
	return isRepository(after) && !(marks[word] && isRepository(before))
}

// ruled are the names in a git folder that matter: the marks, by which git knows one, the
// folders, and single files.
var (
	marks   = wordSet("head objects refs worktrees")
	folders = wordSet("hooks info worktrees modules remotes branches rebase-merge rebase-apply sequencer")
	ruled   = wordSet("head objects refs worktrees modules hooks info remotes branches rebase-merge rebase-apply sequencer commondir config config.worktree")
)

func wordSet(text string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(text) {
		all[w] = true
	}
	return all
}

// fold is what tells names apart on no disk: case, dots and blanks at the end, characters
// that HFS+ ignores.
func fold(name string) string {
	if !strings.ContainsFunc(name, func(r rune) bool { return r >= utf8.RuneSelf || 'A' <= r && r <= 'Z' || r == '.' || r == ' ' }) {
		return name
	}
	return strings.TrimRight(strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf) {
			return -1
		}
		return unicode.ToLower(unicode.ToUpper(r))
	}, name), ". ")
}

// visible draws what would look like nothing, or like something else.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '\uFFFD'
	}, text)
}
