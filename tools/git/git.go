// Package git knows the files of a folder by which git runs programs or takes settings:
// hooks, configs, and what leads to others. A command may not give a human any of them.
//
//	verdicts := git.Judge(touched, git.Views{Before: lower, After: merged, Dir: deed, Human: human})
//
// A git folder is what git takes for one: any that is called .git, however a disk spells
// it, and any that holds HEAD, objects and refs, or HEAD and commondir, wherever it lies.
// Links are not followed on the search for one: whatever a link within the folder leads
// to is judged where it lies, and links out of it are not git's concern alone.
//
// Begin with Judge.
package git

import (
	"io/fs"
	"path"
	"path/filepath"
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

// Views are a folder before and after a command.
type Views struct {
	Before, After View   // Before is nil where all is new
	Dir           string // where the folder is, absolute and free of links
	Human         Human
	// Shared: a human may have worked there meanwhile. What is changed by which git runs no
	// more than before may stay.
	Shared bool

	named *leads // to which the settings before led, beside those that are found
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
	Text    []byte // where it is not: what the file has to hold instead, in a new inode; nil for as it is
	Why     string // within a sentence; "" is worth no word
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

// stat returns the type of what stands at a name, and whether anything does.
func stat(v View, name string) (fs.FileMode, bool) {
	if v == nil {
		return 0, false
	}
	info, err := v.Lstat(name)
	if err != nil {
		return 0, false
	}
	return info.Mode().Type(), true
}

func exists(v View, name string) bool { _, ok := stat(v, name); return ok }

func isFolder(v View, name string) bool {
	kind, ok := stat(v, name)
	return ok && kind.IsDir()
}

// IsFolder reports whether git takes a folder for a repository, or could once it is whole.
func IsFolder(v View, dir string) bool {
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

// marks are the ruled names by which git knows a repository, and no more.
var marks = wordSet("head objects refs worktrees")

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

// parent is the folder in which a folder lies; both are names.
func parent(dir string) string { return path.Base(path.Dir(dir)) }

// inside returns the name below the folder to which a path in its folder at leads by its
// letters, and without a link of v on the way; false where it leads out of it.
func (j *judge) inside(at, to string) (string, bool) {
	if !filepath.IsAbs(to) {
		to = filepath.Join(j.Dir, at, to)
	}
	name, err := filepath.Rel(j.Dir, filepath.Clean(to))
	if err != nil || !filepath.IsLocal(name) {
		return "", false
	}
	for at := name; at != "."; at = path.Dir(at) {
		if kind, ok := stat(j.After, at); ok && kind&fs.ModeSymlink != 0 {
			return "", false
		}
	}
	return name, true
}
