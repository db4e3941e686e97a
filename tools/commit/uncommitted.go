package commit

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"vibey/tools/disk/tree"
	"vibey/tools/sandbox"
)

// uncommittedMost is how many files and bytes are named and hashed.
const (
	uncommittedMost  = 500
	uncommittedBytes = 64 << 20
)

// NotRead stands for the hash of a file that was too large to be read: it is no file's.
const NotRead = "not read"

// Uncommitted returns the files of a deed that differ from its last commit, staged or not,
// those that git knows first: at most 500, without links and what git ignores. Its errors
// are of type *Error.
func Uncommitted(ctx context.Context, r *sandbox.Runner, s Spec) ([]File, error) {
	c, cancel := begin(ctx, r, s)
	defer cancel()
	if err := c.repository(); err != nil {
		return nil, err
	}
	if err := c.readConfig(); err != nil {
		return nil, err
	}
	out, err := c.run("export GIT_OPTIONAL_LOCKS=0\ngit status --porcelain=v1 -z --untracked-files=all --ignored=no --no-renames --ignore-submodules=all")
	if err != nil {
		return nil, err
	}
	var known, untracked []string
	for entry := range strings.SplitSeq(out, "\x00") {
		if len(entry) < 4 || strings.HasSuffix(entry, "/") {
			continue
		}
		if entry[:2] == "??" {
			untracked = append(untracked, entry[3:])
		} else {
			known = append(known, entry[3:])
		}
	}
	names := slices.Concat(known, untracked)
	return c.read(names[:min(len(names), uncommittedMost)])
}

// read hashes files of the deed.
func (c *committer) read(names []string) (files []File, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	root, deed, err := c.open()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	defer deed.Close()
	var size int64
	for _, name := range names {
		f := File{Path: "deed/" + name}
		switch st, err := deed.Stat(name); {
		case err != nil:
			f.Deleted = true
		case st.Kind() != tree.FileKind:
			f.SHA256 = NotRead
		case size+st.Size > uncommittedBytes:
			f.SHA256 = NotRead
		default:
			size += st.Size
			f.SHA256 = cmp.Or(hash(c, deed, name), NotRead)
		}
		files = append(files, f)
	}
	return files, c.over(false)
}
