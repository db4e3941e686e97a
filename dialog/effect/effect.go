// Package effect is what a command changed below a project's deed, as text that a human is
// asked about: a sorted list of paths, each with what stood there and what stands there
// then, and the one hash that an approval binds to. It is pure: package layer (tools/layer)
// reads an effect from the disk, and server/project applies it.
//
// Begin with Change, Effect, Sum.
package effect

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// Kind is what happened at a path.
type Kind string

// The kinds.
const (
	Added   Kind = "added"
	Changed Kind = "changed"
	Deleted Kind = "deleted"
)

// Type is what stands at a path, or stood at one that was deleted.
type Type string

// The types.
const (
	File   Type = "file"
	Link   Type = "link"
	Folder Type = "folder"
)

// Change is one path that is not as it was. A renaming is a deletion and an addition, and a
// deleted folder is one Change beside one for all that it held.
type Change struct {
	Path   string `json:"path"` // in the project: "deed/a/b"
	Kind   Kind   `json:"kind"`
	Type   Type   `json:"type"`
	Before string `json:"before,omitempty"` // SHA-256 in lowercase hex of what stood there, of a link of its target; "" for none
	After  string `json:"after,omitempty"`  // of what stands there then
	Mode   string `json:"mode,omitempty"`   // permissions in octal, "755", of a file or folder; of one that was deleted, those that it had
	Bytes  int64  `json:"bytes,omitempty"`  // of a file; of one that was deleted, those that it had
}

// MarshalJSON writes a change as the hash is made of it: absent keys are left out, and a file
// always has its size.
func (c Change) MarshalJSON() ([]byte, error) { return c.canonical(nil), nil }

// Perm is Mode as chmod(2) takes it; 0 where there is none.
func (c *Change) Perm() uint32 {
	n, _ := strconv.ParseUint(c.Mode, 8, 32)
	return uint32(n)
}

// Refused is a path that a command wrote and that never counts, and why, within a sentence. It
// may lie in a folder that is new and does count. A path that is among the changes, too, counts
// in part: its Why says what does not, or what a human should know of it.
type Refused struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// Effect is all that one command changed, by path.
type Effect struct {
	SHA256  string   `json:"sha256"` // of Changes, see Sum
	Changes []Change `json:"changes"`
}

// Of returns the effect that has those changes, which it sorts.
func Of(changes []Change) Effect {
	changes = slices.Clone(changes)
	if changes == nil {
		changes = []Change{} // never null
	}
	slices.SortStableFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return Effect{Sum(changes), changes}
}

// Sum is the SHA-256, in lowercase hex, of the list as RFC 8785 writes it.
func Sum(changes []Change) string {
	b := []byte{'['}
	for i := range changes {
		if i > 0 {
			b = append(b, ',')
		}
		b = changes[i].canonical(b)
	}
	sum := sha256.Sum256(append(b, ']'))
	return hex.EncodeToString(sum[:])
}
