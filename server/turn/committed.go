package turn

import (
	"context"
	"maps"
	"path/filepath"
	"slices"

	"vibey/tools"
	"vibey/tools/commit"
	"vibey/tools/sandbox"
)

// blobsMost is how many bytes of files that a command changed are read from git: they
// come as the output of one command, which has 1 MiB.
const blobsMost = 900 << 10

// committed is tools.Env's Committed, nil where the deed is no git work tree. Only what
// git has seen unchanged, by its index from before the command, is certain.
func (t *turn) committed(home string) func() tools.Held {
	if !isRepository(filepath.Join(t.deed, ".git")) {
		return nil
	}
	return func() tools.Held {
		index, err := commit.OpenIndex(t.deed)
		if err != nil {
			return nil // as of a repository without one: nothing is certain
		}
		return &committedFiles{index, t, home}
	}
}

// committedFiles are the files of a deed that were as its index says.
type committedFiles struct {
	*commit.Index
	t    *turn
	home string
}

// SHA256 keeps what changed files held by the index, and returns the hashes.
func (c *committedFiles) SHA256(ctx context.Context, changed map[string]sandbox.Stamp) map[string]string {
	t := c.t
	known, err := c.Blobs(changed)
	if err != nil {
		return nil
	}
	blobs, size := map[string]string{}, int64(0)
	var names []string
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if st := changed[name]; size+st.Size <= blobsMost {
			blobs[name], names = known[name], append(names, known[name])
			size += st.Size
		}
	}
	if len(names) == 0 {
		return nil
	}
	p, shas := t.in.Project, map[string]string{}
	found := commit.Blobs(ctx, t.r.w.Sandbox, commit.Spec{Project: p.Root().Name(), Deed: t.deed, Home: c.home}, names)
	for name, blob := range blobs {
		// A file that git converts, as its line ends, is not what it committed.
		b, ok := found[blob]
		if !ok || int64(len(b)) != changed[name].Size {
			continue
		}
		if err := p.Keep(b); err != nil {
			t.r.w.Log.Warn("what a command replaced could not be kept for an undo", "project", p.Name(), "err", err)
			continue
		}
		shas[name] = textHash(string(b))
	}
	return shas
}
