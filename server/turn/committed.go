package turn

import (
	"context"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/server/turn/record"
	"vibey/tools"
	"vibey/tools/commit"
	"vibey/tools/sandbox"
)

// blobsMost is how many bytes of files that a command changed are read from git: they
// come as the output of one command, which has 1 MiB.
const blobsMost = 900 << 10

// The limits of what is read before a command, of the files that the last sections left.
const (
	leftSections = 60
	leftFiles    = 32
	leftBytes    = 2 << 20
	leftMost     = 256 << 10 // of one file
)

// committed is tools.Env's Committed, nil where the deed is no git work tree. Certain is
// what git has seen unchanged, by its index from before the command, and what the dialog's
// last calls and undos left, which is read before it: no index knows that yet. What others
// than the dialog left uncommitted is told first; c, for which that is asked, does not run
// where its approval is gone by then, since git may take a while.
func (t *turn) committed(c *dialog.Call, env tools.Env) func(before *tools.Sight) (tools.Held, *tools.Failure) {
	if !isRepository(filepath.Join(t.deed, ".git")) {
		return nil
	}
	return func(before *tools.Sight) (tools.Held, *tools.Failure) {
		asked, err := t.tellUncommitted(env, before)
		if err != nil {
			// Where the disk fails, the result can't be appended either.
			t.r.w.Log.Warn("it is not told what stood uncommitted in a deed before a command", "project", t.in.Project.Name(), "err", err)
		}
		if asked {
			if _, ok, err := t.stillApproved(c); err != nil || !ok {
				return nil, &tools.Failure{Error: record.ChangedCall}
			}
		}
		h := &heldFiles{t: t, home: env.Home, left: t.readLeft()}
		h.index, _ = commit.OpenIndex(t.deed) // a repository may have none
		return h, nil
	}
}

// heldFiles is what files of a deed held before a command.
type heldFiles struct {
	index *commit.Index // nil for none
	left  map[string]leftFile
	t     *turn
	home  string
}

// leftFile is a file as it was read, with the stat that it had.
type leftFile struct {
	content []byte
	stamp   sandbox.Stamp
}

// readLeft reads the files of the deed that the dialog's last sections left.
func (t *turn) readLeft() map[string]leftFile {
	root, err := os.OpenRoot(t.deed)
	if err != nil {
		return nil
	}
	defer root.Close()
	deed, err := sandbox.OpenFolder(root)
	if err != nil {
		return nil
	}
	defer deed.Close()
	found, size := map[string]leftFile{}, int64(0)
	secs := t.dialog().Sections
	for i := len(secs) - 1; i >= max(0, len(secs)-leftSections); i-- {
		for _, f := range secs[i].Left() {
			name, in := strings.CutPrefix(f.Path, "deed/")
			if _, had := found[name]; !in || had || len(found) >= leftFiles {
				continue
			}
			found[name] = leftFile{}
			if l, ok := readStamped(deed, name, min(leftMost, leftBytes-size)); ok {
				found[name] = l
				size += l.stamp.Size
			}
		}
	}
	return found
}

// readStamped reads a file of at most limit bytes, with its stat; ok is false for a larger
// one, for one that changes meanwhile, and for what is no file.
func readStamped(deed *sandbox.Folder, name string, limit int64) (l leftFile, ok bool) {
	was, err := deed.Stat(name)
	if err != nil || was.Kind() != sandbox.FileKind || was.Size > limit {
		return l, false
	}
	f, err := deed.Read(name)
	if err != nil {
		return l, false
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, was.Size+1))
	if err != nil || int64(len(b)) != was.Size {
		return l, false
	}
	is, err := deed.Stat(name)
	return leftFile{b, was}, err == nil && is == was
}

// Left takes what the deed has behind the command.
func (h *heldFiles) Left(after *tools.Sight) { h.t.r.setLooked(h.t.key(), after) }

// Close lets go of the index.
func (h *heldFiles) Close() error {
	if h.index == nil {
		return nil
	}
	h.index.Close()
	return nil
}

// SHA256 keeps what changed files held, and returns the hashes.
func (h *heldFiles) SHA256(ctx context.Context, changed map[string]sandbox.Stamp) map[string]string {
	shas, rest := map[string]string{}, map[string]sandbox.Stamp{}
	for name, st := range changed {
		if l, ok := h.left[name]; !ok || l.stamp != st {
			rest[name] = st
		} else if sha, ok := h.keep(l.content); ok {
			shas[name] = sha
		}
	}
	if h.index != nil && len(rest) > 0 {
		h.committed(ctx, rest, shas)
	}
	return shas
}

// keep keeps the bytes of a file for an undo, and returns their hash.
func (h *heldFiles) keep(b []byte) (sha string, ok bool) {
	p := h.t.in.Project
	if err := p.Keep(b); err != nil {
		h.t.r.w.Log.Warn("what a command replaced could not be kept for an undo", "project", p.Name(), "err", err)
		return "", false
	}
	return record.Hash(string(b)), true
}

// committed adds the hashes of changed files that were as the index says.
func (h *heldFiles) committed(ctx context.Context, changed map[string]sandbox.Stamp, shas map[string]string) {
	known, err := h.index.Blobs(changed)
	if err != nil {
		return
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
		return
	}
	t := h.t
	found := commit.Blobs(ctx, t.r.w.Sandbox, commit.Spec{Project: t.in.Project.Root().Name(), Deed: t.deed, Home: h.home}, names)
	for name, blob := range blobs {
		// A file that git converts, as its line ends, is not what it committed.
		b, ok := found[blob]
		if !ok || int64(len(b)) != changed[name].Size {
			continue
		}
		if sha, ok := h.keep(b); ok {
			shas[name] = sha
		}
	}
}
