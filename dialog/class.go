package dialog

// Class is what a call does to the world, as the governor counts it.
type Class uint8

// The classes of tools.
const (
	Read   Class = iota + 1 // changes nothing
	Verify                  // looks at a result: its success is evidence
	Mutate                  // may change something
)
