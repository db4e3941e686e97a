package turn

import (
	"context"
	"maps"
	"path/filepath"
	"slices"

	"vibey/tools/commit"
	"vibey/tools/sandbox"
)

// blobsMost is how many bytes of files that a command changed are read from git: they
// come as the output of one command, which has 1 MiB.
const blobsMost = 900 << 10

// committed is tools.Env's Committed, nil where the deed is no git work tree. Only what
// git has seen unchanged, by its index from before the command, is certain.
func (t *turn) committed(home string) func() func(context.Context, map[string]sandbox.Stamp) map[string]string {
	if !isRepository(filepath.Join(t.deed, ".git")) {
		return nil
	}
	return func() func(context.Context, map[string]sandbox.Stamp) map[string]string {
		index, err := commit.ReadIndex(t.deed)
		if err != nil {
			index = &commit.Index{} // as of a repository without one: nothing is certain
		}
		return func(ctx context.Context, changed map[string]sandbox.Stamp) map[string]string {
			return t.keepCommitted(ctx, home, index, changed)
		}
	}
}

// keepCommitted keeps what changed files held by the index, and returns the hashes.
func (t *turn) keepCommitted(ctx context.Context, home string, index *commit.Index, changed map[string]sandbox.Stamp) map[string]string {
	blobs, size := map[string]string{}, int64(0)
	var names []string
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		st := changed[name]
		if blob, ok := index.Blob(name, st); ok && size+st.Size <= blobsMost {
			blobs[name], names = blob, append(names, blob)
			size += st.Size
		}
	}
	if len(names) == 0 {
		return nil
	}
	p, shas := t.in.Project, map[string]string{}
	found := commit.Blobs(ctx, t.r.w.Sandbox, commit.Spec{Project: p.Root().Name(), Deed: t.deed, Home: home}, names)
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
