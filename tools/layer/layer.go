// Package layer keeps what a command writes to a project's deed apart from the deed until it
// counts. A Layer is a folder of ours: the command sees the deed through it, and what it
// changed is read from it as an effect (dialog/effect). server/project puts that into the
// deed; nothing else does.
//
//	l, err := layer.Make(dir, deed, layer.Overlay) // before the command; the sandbox mounts it
//	l.Begin()                                       // right before it runs
//	r, err := l.Read(ctx, layer.Options{})          // when all of its processes have ended
//	l.Drop()                                        // or Project.Apply, and then Drop
//
// Words of this package:
//
//   - layer: the folder above the deed; up: in it, what the command wrote; maker: how the
//     command comes to see both as one, Overlay (the kernel's) or Copy.
//   - lower: the deed below it, which the command does not write.
//   - refused: what a command wrote that never counts, such as a hook of git.
package layer

import (
	"io/fs"
	"time"

	"vibey/dialog/effect"
)

// By is a maker of layers.
type By string

// The makers.
const (
	Overlay By = "overlay" // the kernel's overlayfs, mounted by the command's first process
	Copy    By = "copy"    // a copy of the deed, bound in its place
)

// Layer is one command's.
type Layer struct {
	Dir  string // its folder, absolute: Up is below it
	Deed string // the deed's folder, absolute and free of links
	By   By
	// Began is by the clock that stamps files: what was touched in the deed at that time or
	// later, the command may not have seen.
	Began time.Time
}

// Reading is what a command left in its layer, held against the deed as it is now.
type Reading struct {
	Changes []Change // by path; what is refused is not among them
	Times   []string // names in the deed of what has another time of change and nothing else
	Refused []Refused
}

// Change is one path of the deed that is not as the command found it.
type Change struct {
	effect.Change
	Name       string      // in the deed, as the disk has it: Path is made from it, and UTF-8
	BeforeMode fs.FileMode // permissions of what stood there; 0 for none
	Git        bool        // it lies in a git folder
	// Conflict: what stands there now was touched since the command began, or is not what it
	// found. Before is then of what stands there now.
	Conflict bool
}

// Refused is a path that never counts, and why, within a sentence.
type Refused struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// Effect is what a human is asked about.
func (r *Reading) Effect() effect.Effect {
	all := make([]effect.Change, len(r.Changes))
	for i := range r.Changes {
		all[i] = r.Changes[i].Change
	}
	return effect.Of(all)
}
