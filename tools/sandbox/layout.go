package sandbox

import (
	"slices"

	"vibey/tools/layer"
	"vibey/tools/sandbox/helper"
)

// layout is what a command's walls are to be made of. Two that are equal make the
// same walls, as long as the same files and folders are at the paths of basis. It does not
// change: a command's and those of the spares behind it are made of one.
type layout struct {
	folders folders
	args    []string // bubblewrap's
	plan    helper.Plan
	env     []string
	waits   bool     // spares can be made of it
	layer   layer.By // what makes the layers of the command; "" for none
	below   []string // what it sees through a layer
	// basis are the paths of this machine that the walls are made from or lie in.
	basis  []string
	mounts string // the mounts of this machine, where the walls have copies of them
}

// equal reports whether two layouts make the same walls.
func (l *layout) equal(m *layout) bool {
	return slices.Equal(l.args, m.args) && l.plan.String() == m.plan.String() && slices.Equal(l.env, m.env) && slices.Equal(l.basis, m.basis) && l.mounts == m.mounts
}

// identities returns those of the basis, zero for what is not there.
func (l *layout) identities() (all []identity) {
	for _, path := range l.basis {
		all = append(all, identityOf(path))
	}
	return all
}
