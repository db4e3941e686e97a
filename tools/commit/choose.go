package commit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"unicode"

	"vibey/tools/disk"
	"vibey/tools/disk/tree"
	"vibey/tools/sandbox"
)

// choose takes those files of the Spec that still stand as the turn has left them. What
// a human, or a server, has changed since is not the turn's.
func (c *committer) choose() error {
	root, deed, err := c.open()
	if err != nil {
		return err
	}
	defer root.Close()
	defer deed.Close()
	size := 0
	for _, f := range c.spec.Files {
		name, ok := strings.CutPrefix(f.Path, "deed/")
		if !ok {
			continue
		}
		if why := c.unfit(root, deed, name, f); why != "" {
			c.left = append(c.left, LeftOut{f.Path, why})
			continue
		}
		if !slices.Contains(c.paths, name) {
			c.paths = append(c.paths, name)
			size += len(sandbox.Quote(name)) + 1
		}
	}
	if size > maxPaths {
		return &Error{TooMany, "this turn changed more files than one command line of git can name. They are in the deed, not committed: commit them with your own git."}
	}
	slices.Sort(c.paths)
	return c.over(false) // a file that could not be read in time is no changed one
}

// again leaves out the files that somebody saved since they were chosen: git has answered
// three times meanwhile, and takes each file as it stands when the commit is made.
func (c *committer) again() error {
	root, deed, err := c.open()
	if err != nil {
		return err
	}
	defer root.Close()
	defer deed.Close()
	for _, f := range c.spec.Files {
		if name := strings.TrimPrefix(f.Path, "deed/"); slices.Contains(c.changed, name) {
			if why := c.unfit(root, deed, name, f); why != "" {
				c.leave(name, why)
			}
		}
	}
	return c.over(false)
}

// leave leaves a changed file out.
func (c *committer) leave(name, why string) {
	c.left = append(c.left, LeftOut{"deed/" + name, why})
	here := func(other string) bool { return other == name }
	c.changed, c.new = slices.DeleteFunc(c.changed, here), slices.DeleteFunc(c.new, here)
}

// open opens the deed. The caller must close both.
func (c *committer) open() (*os.Root, *tree.Folder, error) {
	root, err := os.OpenRoot(c.spec.Deed)
	if err != nil {
		return nil, nil, &Error{None, "the deed can't be opened."}
	}
	deed, err := tree.Open(root)
	if err != nil {
		root.Close()
		return nil, nil, &Error{None, "the deed can't be opened."}
	}
	return root, deed, nil
}

// maxPaths is how many bytes the names have together: git gets them twice within one
// argument of a shell, which has 128 KiB.
const maxPaths = 48 << 10

// unfit says why a file is left out, "" where it is not.
func (c *committer) unfit(root *os.Root, deed *tree.Folder, name string, f File) string {
	if !fs.ValidPath(name) || name == "." || strings.ContainsRune(name, 0) {
		return "its path is none"
	}
	for at := path.Dir(name); at != "."; at = path.Dir(at) {
		if _, err := root.Lstat(path.Join(at, ".git")); err == nil || disk.IsGit(path.Base(at)) {
			return "it belongs to a repository of its own"
		}
	}
	if disk.IsGit(path.Base(name)) {
		return "it belongs to git"
	}
	st, err := deed.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && f.Deleted:
		return ""
	case err != nil:
		return "it is not there any more"
	case f.Deleted:
		return "it is there again"
	case f.Link != "":
		if to, err := root.Readlink(name); err != nil || to != f.Link {
			return "it was changed since"
		}
	case st.Kind() != tree.FileKind:
		return "it is no file any more"
	case f.SHA256 != "" && hash(c, deed, name) != f.SHA256:
		return "it was changed since"
	}
	return ""
}

// hash returns the SHA-256 of a file, "" where it can't be read in time.
func hash(c *committer, deed *tree.Folder, name string) string {
	f, err := deed.Read(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	h := sha256.New()
	for c.ctx.Err() == nil {
		if _, err := io.CopyN(h, f, 8<<20); err == io.EOF {
			return hex.EncodeToString(h.Sum(nil))
		} else if err != nil {
			return ""
		}
	}
	return ""
}

// plain makes a blank of each character that is not drawn.
func plain(r rune) rune {
	if !unicode.IsPrint(r) {
		return ' '
	}
	return r
}
