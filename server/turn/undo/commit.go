package undo

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/dialog/change"
	"vibey/server/project"
	"vibey/tools/commit"
)

// Changed returns the files that the last turn of d left as they are, by its results and by
// the Notes of what a server changed meanwhile. If a human took a change back since, the
// file is the turn's only if an earlier call of the turn left it so. unnamed reports that
// calls changed files which their results do not name.
func Changed(d *dialog.Dialog) (all []commit.File, unnamed bool) {
	files := map[string]commit.File{}
	undone := map[string]string{} // the hash that the last undo of a file left
	i, inherited := len(d.Sections)-1, d.Inherited()
	for ; i >= inherited && d.Sections[i].Role != dialog.User; i-- {
		s := &d.Sections[i]
		for _, f := range slices.Backward(change.Left(s)) {
			_, later := files[f.Path]
			sha, taken := undone[f.Path]
			undo := s.Role == dialog.Note && s.Kind() == dialog.UndoNote
			switch {
			case later:
			case undo && !taken:
				undone[f.Path] = f.SHA256
			case undo, taken && (sha != f.SHA256 || sha == "" && !f.Deleted):
			default:
				files[f.Path] = commit.File{Path: f.Path, SHA256: f.SHA256, Link: f.Link, Deleted: f.Deleted}
			}
		}
	}
	changes := change.Of(d)
	for path, f := range files {
		f.From = []string{} // what no commit has: it is not known whose lines stood there
		if from, known := changes.Leads(path, f.SHA256); known {
			f.From = from
		}
		files[path] = f
	}
	return slices.SortedFunc(maps.Values(files), func(a, b commit.File) int { return strings.Compare(a.Path, b.Path) }), changes.Unnamed(i)
}

// LedByOthers adds to the hashes that a file had before the changes of dialog id those from
// which other dialogs' changes led to them.
func LedByOthers(p *project.Project, id, path string, from []string) []string {
	for _, text := range Others(p, id) {
		if !slices.ContainsFunc(from, func(sha string) bool { return sha != "" && strings.Contains(text, sha) }) {
			continue
		}
		if more, known := change.Of(dialog.Parse(text)).Leads(path, from...); known {
			from = more
		}
	}
	return from
}

// LeftOut says which files of the turn are not in its commit.
func LeftOut(files []commit.LeftOut) string {
	if len(files) == 0 {
		return ""
	}
	var listed []string
	for _, f := range files {
		listed = append(listed, f.Path+" ("+f.Why+")")
	}
	return " Not in it: " + dialog.List(listed, 10, ", ", "%d more") + "."
}

// IsRepository reports whether git may keep a repository in a deed. An empty folder is none.
func IsRepository(deed string) bool {
	git := filepath.Join(deed, ".git")
	fi, err := os.Lstat(git)
	if err != nil || !fi.IsDir() {
		return err == nil
	}
	_, err = os.Lstat(filepath.Join(git, "HEAD"))
	return err == nil
}
