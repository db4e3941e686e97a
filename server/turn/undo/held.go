package undo

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/dialog/change"
	"vibey/server/project"
	"vibey/tools"
	"vibey/tools/commit"
	"vibey/tools/disk/tree"
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

// Held is what files of a deed held before a command, for an undo of what it changes.
type Held struct {
	looked  func(after *tools.Sight) // takes the deed behind the command
	index   *commit.Index            // nil for none
	left    map[string]leftFile
	project *project.Project
	env     tools.Env
	log     *slog.Logger
}

// Hold reads what files of the deed held before a command: of those that the last
// sections of d left, the bytes, which no index of git may know yet; of others, what git
// saw unchanged.
func Hold(p *project.Project, d *dialog.Dialog, env tools.Env, log *slog.Logger, looked func(after *tools.Sight)) *Held {
	h := &Held{looked: looked, left: readLeft(env.DeedDir, d.Sections), project: p, env: env, log: log}
	h.index, _ = commit.OpenIndex(env.DeedDir) // a repository may have none
	return h
}

// leftFile is a file as it was read, with the stat that it had.
type leftFile struct {
	content []byte
	stamp   tree.Stamp
}

// readLeft reads the files of the deed that the last sections left.
func readLeft(dir string, secs []dialog.Section) map[string]leftFile {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	deed, err := tree.Open(root)
	if err != nil {
		return nil
	}
	defer deed.Close()
	found, size := map[string]leftFile{}, int64(0)
	for i := len(secs) - 1; i >= max(0, len(secs)-leftSections); i-- {
		for _, f := range change.Left(&secs[i]) {
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
func readStamped(deed *tree.Folder, name string, limit int64) (l leftFile, ok bool) {
	was, err := deed.Stat(name)
	if err != nil || was.Kind() != tree.FileKind || was.Size > limit {
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
func (h *Held) Left(after *tools.Sight) { h.looked(after) }

// Close lets go of the index.
func (h *Held) Close() { h.index.Close() }

// SHA256 keeps what changed files held, and returns the hashes.
func (h *Held) SHA256(ctx context.Context, changed map[string]tree.Stamp) map[string]string {
	shas, rest := map[string]string{}, map[string]tree.Stamp{}
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
func (h *Held) keep(b []byte) (sha string, ok bool) {
	if err := h.project.Keep(b); err != nil {
		h.log.Warn("what a command replaced could not be kept for an undo", "project", h.project.Name(), "err", err)
		return "", false
	}
	return dialog.SHA256(string(b)), true
}

// committed adds the hashes of changed files that were as the index says.
func (h *Held) committed(ctx context.Context, changed map[string]tree.Stamp, shas map[string]string) {
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
	found := commit.Blobs(ctx, h.env.Sandbox, commit.Spec{Project: h.env.ProjectDir, Deed: h.env.DeedDir, Home: h.env.Home}, names)
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
