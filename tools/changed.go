package tools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"vibey/dialog/change"
	"vibey/dialog/jsontext"
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

// Since returns the paths in the deed of the files that differ between then and s, sorted.
func (s Sight) Since(then Sight) (paths []string) {
	if s == nil || then == nil {
		return nil
	}
	for p, is := range s {
		if was, ok := then[p]; !ok || was != is {
			paths = append(paths, p)
		}
	}
	for p := range then {
		if _, ok := s[p]; !ok {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	return paths
}

// Hashes returns what files of the deed hold, at most listLimit of them; more counts the
// others. paths are as Since returns them, sorted.
func (s Sight) Hashes(ctx context.Context, env Env, paths []string) (files []change.FileHash, more int) {
	deed, err := openDeed(env, false)
	if err != nil {
		return nil, len(paths)
	}
	defer deed.Close()
	return s.hashes(ctx, deed, paths)
}

// survey walks the deed, if it has at most limit entries. Folders named .git and
// node_modules are left out; links are not followed. It returns nil if a path is longer than
// the system takes, or a folder can't be read.
func survey(deed *os.Root, limit int) Sight {
	top, err := tree.Open(deed)
	if err != nil {
		return nil
	}
	defer top.Close()
	found := Sight{}
	whole := walkFrom(deed, math.MaxInt, limit, func(e entry) bool {
		if e.kind == tree.DirKind {
			return true
		}
		st, err := top.Stat(e.path)
		if kind := st.Kind(); err == nil && (kind == tree.FileKind || kind == tree.LinkKind) {
			found[e.path] = st
		}
		return !errors.Is(err, unix.ENAMETOOLONG) // else it is gone meanwhile
	})
	if !whole {
		return nil
	}
	return found
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

// until surveys the deed once more, and lists what changed since s, sorted by path, with the
// hashes of what stands there now. Where there is nothing to hold that against it does not
// look: in a deed that is too large each look costs as much as one that is within the limit.
func (s Sight) until(ctx context.Context, deed *os.Root) changes {
	if s == nil {
		return changes{unknown: true}
	}
	now := survey(deed, walkLimit)
	if now == nil {
		return changes{unknown: true}
	}
	files, more := now.hashes(ctx, deed, now.Since(s))
	none := ""
	for i := range files {
		f := &files[i]
		if _, stood := s[strings.TrimPrefix(f.Path, "deed/")]; !stood && !strings.ContainsRune(f.Path, utf8.RuneError) { // else its own name is another
			f.Replaced = &none
		}
	}
	return changes{files: files, more: more}
}

// hashes returns what stands at those paths of the deed now, where s has a file; else it is
// gone. Of more than listLimit paths the others are counted.
func (s Sight) hashes(ctx context.Context, deed *os.Root, paths []string) (files []change.FileHash, more int) {
	more = max(0, len(paths)-listLimit)
	budget := int64(hashLimit)
	for _, p := range paths[:len(paths)-more] {
		f := change.FileHash{Path: "deed/" + strings.ToValidUTF8(p, "\uFFFD")}
		if st, ok := s[p]; ok {
			f = evidence(ctx, deed, p, st, f, &budget)
		} else {
			f.Deleted = true
		}
		files = append(files, f)
	}
	return files, more
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
