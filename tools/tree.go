package tools

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"vibey/dialog"
	"vibey/tools/disk"
	"vibey/tools/disk/tree"
)

// entry is a file or folder found on a walk, by its path below where the walk began.
type entry struct {
	path string
	kind tree.Kind
}

// walkFrom visits what lies below a folder, its own entries first, then those of the
// folders in it, depth levels at most; in each folder by name. A folder that .git or
// node_modules is called is visited and not entered; links are not followed. It holds
// one folder open at a time. whole is false if there are more than limit entries, or
// a folder could not be read.
func walkFrom(top *os.Root, depth, limit int, visit func(entry) (goOn bool)) (whole bool) {
	begin, err := tree.Open(top)
	if err != nil {
		return false
	}
	defer begin.Close()
	whole = true
	level := []string{"."}
	for ; depth > 0 && len(level) > 0; depth-- {
		var next []string
		for _, at := range level {
			found, ok := entriesOf(begin, at, &limit)
			whole = whole && ok
			for _, e := range found {
				if !visit(e) {
					return false
				}
				if name := path.Base(e.path); e.kind == tree.DirKind && !disk.IsGit(name) && name != "node_modules" {
					next = append(next, e.path)
				}
			}
			if limit < 0 {
				return false
			}
		}
		level = next
	}
	return whole
}

// entriesOf lists one folder, as far as limit goes. A folder that is gone meanwhile
// is empty.
func entriesOf(top *tree.Folder, at string, limit *int) (found []entry, ok bool) {
	dir, err := top.Sub(at)
	if err != nil {
		return nil, goneMeanwhile(err)
	}
	defer dir.Close()
	err = dir.Each(func(b []byte, kind tree.Kind) bool {
		name := string(b)
		if disk.IsTemp(name) {
			return true
		}
		if *limit--; *limit < 0 {
			return false
		}
		if kind == tree.UnknownKind {
			if st, err := dir.Stat(name); err == nil {
				kind = st.Kind()
			}
		}
		found = append(found, entry{path.Join(at, name), kind})
		return true
	})
	slices.SortFunc(found, func(a, b entry) int { return strings.Compare(a.path, b.path) })
	return found, *limit >= 0 && (err == nil || errors.Is(err, fs.ErrNotExist))
}

// goneMeanwhile reports whether a folder could not be opened because it was removed,
// or another thing took its place, since it was listed.
func goneMeanwhile(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENOTDIR)
}

// topFiles lists the docs and the dialogs that lie in the project's folder, by name.
func topFiles(project *os.Root) (docs, dialogs []string, err error) {
	dir, err := tree.Open(project)
	if err != nil {
		return nil, nil, err
	}
	defer dir.Close()
	err = dir.Each(func(b []byte, _ tree.Kind) bool {
		if !bytes.HasSuffix(b, []byte(".md")) {
			return true
		}
		switch name := string(b); {
		case !dialog.ListedFile(name):
		case dialogName.MatchString(name):
			dialogs = append(dialogs, name)
		default:
			docs = append(docs, name)
		}
		return true
	})
	slices.Sort(docs)
	slices.Sort(dialogs)
	return docs, dialogs, err
}
