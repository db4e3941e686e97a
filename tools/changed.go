package tools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"vibey/dialog/change"
	"vibey/dialog/jsontext"
	"vibey/tools/disk"
	"vibey/tools/disk/tree"
)

// The bounds of the list of what a command changed. A deed of more than walkLimit
// entries gives "unknown"; changed files beyond listLimit are only counted (each costs
// a model some 45 tokens); those beyond hashLimit bytes have a size and no hash.
const (
	walkLimit = 20_000
	listLimit = 200
	hashLimit = 256 << 20
)

// Sight is which files the deed had at one moment, by their stats: of what has no layer, a
// server or a command, it tells what changed. It is nil where one of them is missing.
type Sight map[string]tree.Stamp

// See returns what the deed has now. A deed of more files than are looked through, or one
// that can't be opened, gives a Sight that differs from none.
func See(env Env) Sight {
	deed, err := openDeed(env, false)
	if err != nil {
		return nil
	}
	defer deed.Close()
	return survey(deed, walkLimit)
}

// Since returns the paths in the deed of the files that differ between then and s.
func (s Sight) Since(then Sight) (paths []string) {
	if s == nil || then == nil {
		return nil
	}
	return differ(then, s)
}

// Hashes returns what files of the deed hold, at most listLimit of them; more counts the
// others. paths are as Since returns them, sorted.
func (s Sight) Hashes(ctx context.Context, env Env, paths []string) (files []change.FileHash, more int) {
	deed, err := openDeed(env, false)
	if err != nil {
		return nil, len(paths)
	}
	defer deed.Close()
	return hashes(ctx, deed, s, paths)
}

// again surveys the deed once more, unless there is nothing to hold that against: in a deed
// that is too large each look costs as much as one that is within the limit.
func (s Sight) again(deed *os.Root) Sight {
	if s == nil {
		return nil
	}
	return survey(deed, walkLimit)
}

// survey walks the deed, if it has at most limit entries. Folders named .git and
// node_modules are left out; links are not followed. It keeps one folder open at a
// time. It returns nil if a path is longer than the system takes.
func survey(deed *os.Root, limit int) Sight {
	top, err := tree.Open(deed)
	if err != nil {
		return nil
	}
	defer top.Close()
	found := Sight{}
	for next := []string{"."}; len(next) > 0; {
		at := next[len(next)-1]
		below, ok := found.read(top, at, &limit)
		if !ok {
			return nil
		}
		next = append(next[:len(next)-1], below...)
	}
	return found
}

// read adds the files of one folder, and returns the folders in it. ok is false if
// there are too many, or the folder can't be read.
func (s Sight) read(top *tree.Folder, at string, left *int) (below []string, ok bool) {
	dir, err := top.Sub(at)
	if err != nil {
		return nil, goneMeanwhile(err)
	}
	defer dir.Close()
	err = dir.Each(func(b []byte, _ tree.Kind) bool {
		if *left--; *left < 0 {
			return false
		}
		name := string(b)
		st, err := dir.Stat(name)
		if err != nil {
			return true // gone meanwhile
		}
		switch st.Kind() {
		case tree.DirKind:
			if name != ".git" && name != "node_modules" {
				below = append(below, path.Join(at, name))
			}
		case tree.FileKind, tree.LinkKind:
			if !disk.IsTemp(name) {
				s[path.Join(at, name)] = st
			}
		}
		return true
	})
	return below, *left >= 0 && (err == nil || errors.Is(err, fs.ErrNotExist))
}

// goneMeanwhile reports whether a folder could not be opened because it was removed,
// or another thing took its place, since it was listed.
func goneMeanwhile(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENOTDIR)
}

// changes are the differences of two surveys. In JSON they are the list of files, or the
// word "unknown", which counts as changed.
type changes struct {
	files   []change.FileHash
	more    int // changed files that are not listed
	unknown bool
}

func (c changes) mask(m func(string) string) {
	for i := range c.files {
		f := &c.files[i]
		f.Path, f.Link, f.ReplacedLink = m(f.Path), m(f.Link), m(f.ReplacedLink)
	}
}

func (c changes) MarshalJSON() ([]byte, error) {
	if c.unknown {
		return []byte(`"unknown"`), nil
	}
	return jsontext.Marshal(append([]change.FileHash{}, c.files...)) // never null
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (c *changes) UnmarshalJSON(b []byte) error {
	if c.unknown = string(b) == `"unknown"`; c.unknown {
		return nil
	}
	return json.Unmarshal(b, &c.files)
}

// compare lists what changed from before to after, sorted by path, with the
// hashes of what stands there now.
func compare(ctx context.Context, deed *os.Root, before, after Sight) changes {
	if before == nil || after == nil {
		return changes{unknown: true}
	}
	files, more := hashes(ctx, deed, after, differ(before, after))
	none := ""
	for i := range files {
		f := &files[i]
		if _, stood := before[strings.TrimPrefix(f.Path, "deed/")]; !stood && !strings.ContainsRune(f.Path, utf8.RuneError) { // else its own name is another
			f.Replaced = &none
		}
	}
	return changes{files: files, more: more}
}

// hashes returns what stands at those paths of the deed now, where after has a file; else
// it is gone. Of more than listLimit paths the others are counted.
func hashes(ctx context.Context, deed *os.Root, after Sight, paths []string) (files []change.FileHash, more int) {
	more = max(0, len(paths)-listLimit)
	budget := int64(hashLimit)
	for _, p := range paths[:len(paths)-more] {
		f := change.FileHash{Path: "deed/" + strings.ToValidUTF8(p, "\uFFFD")}
		if s, ok := after[p]; ok {
			f = evidence(ctx, deed, p, s, f, &budget)
		} else {
			f.Deleted = true
		}
		files = append(files, f)
	}
	return files, more
}

// differ returns the paths of the files that changed from before to after, sorted.
func differ(before, after Sight) (paths []string) {
	for p, s := range after {
		if old, ok := before[p]; !ok || old != s {
			paths = append(paths, p)
		}
	}
	for p := range before {
		if _, ok := after[p]; !ok {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	return paths
}

// evidence adds to f what a file of the deed holds.
func evidence(ctx context.Context, deed *os.Root, p string, s tree.Stamp, f change.FileHash, budget *int64) change.FileHash {
	if s.Kind() == tree.LinkKind {
		to, _ := deed.Readlink(p)
		f.Link = strings.ToValidUTF8(to, "\uFFFD")
		return f
	}
	if s.Size > *budget || ctx.Err() != nil {
		f.Bytes = s.Size
		return f
	}
	*budget -= s.Size
	// A pipe could have taken its place: never wait for one.
	in, err := deed.OpenFile(p, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return f
	}
	defer in.Close()
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(in, s.Size)); err == nil {
		f.SHA256 = hex.EncodeToString(h.Sum(nil))
	}
	return f
}

// topNames are the entries of the project's folder that are neither docs nor
// dialogs nor the server's: a command that adds one wrote beside the deed.
func topNames(project *os.Root) (names []string) {
	entries, _ := fs.ReadDir(project.FS(), ".")
	for _, e := range entries {
		if n := e.Name(); !strings.HasPrefix(n, ".") && !strings.HasSuffix(n, ".md") {
			names = append(names, n)
		}
	}
	return names
}
