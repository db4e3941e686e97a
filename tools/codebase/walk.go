package codebase

import (
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"vibey/tools/disk"
	"vibey/tools/disk/tree"
)

// bounds are those of a walk. What is beyond them is told as not listed: a folder as a
// whole, so that the summary does not depend on the order in which a disk lists names.
type bounds struct {
	entries int // in all folders
	inOne   int // entries in one folder
	folders int
	depth   int
}

var usual = bounds{entries: 20_000, inOne: 5_000, folders: 2_000, depth: 12}

const (
	maxManifest  = 256 << 10 // bytes of one
	maxManifests = 12        // that are read
)

// left out are the folders that hold no work of the project's own: what was installed
// or built. So are all whose names begin with a dot.
var leftOut = words("node_modules bower_components vendor target dist build out coverage __pycache__ venv env site-packages Pods _site")

// listing is what a walk has found. Paths are relative to the deed, "." being its top.
type listing struct {
	files     []string          // shallow ones first, then by name
	text      map[string]string // of the manifests that were read
	closed    []string          // folders that were not walked, "src/"
	rest      bool              // the walk ended before all folders were read
	stamps    []stamped         // of all that the summary depends on
	manifests []string
}

type stamped struct {
	path  string
	stamp tree.Stamp
}

// walk reads the names in a deed, and its manifests. It follows no link.
func walk(root *os.Root, max bounds) (*listing, error) {
	top, err := tree.Open(root)
	if err != nil {
		return nil, err
	}
	defer top.Close()
	t := &listing{text: map[string]string{}}
	left := max.entries
	for next := []string{"."}; len(next) > 0; next = next[1:] {
		if len(t.stamps) >= max.folders {
			t.rest = true
			break
		}
		below, err := t.read(top, next[0], max, &left)
		if err != nil && next[0] == "." {
			return nil, err
		}
		if left < 0 {
			t.rest = true
			break
		}
		next = append(next, below...)
	}
	t.readManifests(top)
	return t, nil
}

// read takes down the files of one folder and returns the folders in it.
func (t *listing) read(top *tree.Folder, at string, max bounds, left *int) (below []string, err error) {
	dir, err := top.Sub(at)
	if err != nil {
		return nil, err // gone, or swapped for a link
	}
	defer dir.Close()
	self, err := dir.Self()
	if err != nil {
		return nil, err
	}
	t.stamps = append(t.stamps, stamped{at, self})
	var files []string
	n := 0
	err = dir.Each(func(b []byte, k tree.Kind) bool {
		if n++; n > max.inOne || n > *left {
			return false
		}
		name := string(b)
		if strings.HasPrefix(name, ".") || disk.IsTemp(name) {
			return true
		}
		if k == tree.UnknownKind {
			if st, err := dir.Stat(name); err == nil {
				k = st.Kind()
			}
		}
		switch {
		case k == tree.FileKind:
			files = append(files, path.Join(at, name))
		case k == tree.DirKind && !leftOut[name]:
			below = append(below, path.Join(at, name))
		}
		return true
	})
	switch *left -= n; {
	case *left < 0:
		return nil, err
	case n > max.inOne:
		t.closed = append(t.closed, strings.TrimPrefix(at+"/", "./"))
		return nil, err
	}
	slices.SortFunc(files, natural)
	slices.SortFunc(below, natural)
	t.files = append(t.files, files...)
	if len(below) > 0 && strings.Count(at, "/") >= max.depth {
		for _, b := range below {
			t.closed = append(t.closed, b+"/")
		}
		below = nil
	}
	return below, err
}

// readManifests reads those manifests that lie least deep.
func (t *listing) readManifests(top *tree.Folder) {
	for _, f := range t.files {
		if ecosystemOf(f) == nil {
			continue
		}
		t.manifests = append(t.manifests, f)
		if len(t.manifests) > maxManifests {
			continue
		}
		st, err := top.Stat(f)
		if err != nil {
			continue
		}
		t.stamps = append(t.stamps, stamped{f, st})
		if st.Kind() == tree.FileKind && st.Size <= maxManifest {
			t.text[f] = readText(top, f)
		}
	}
}

// readText reads a file that is no link and no pipe, up to maxManifest bytes.
func readText(top *tree.Folder, name string) string {
	f, err := top.Read(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	b, err := io.ReadAll(io.LimitReader(f, maxManifest))
	if err != nil {
		return ""
	}
	return string(b)
}

// words returns the set of the words of a text.
func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}
