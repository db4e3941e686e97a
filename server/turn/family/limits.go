// Package family counts the dialogs of a family, all that go back to one that a human
// started, and passes mail between dialogs. It owns what a family may have at most.
package family

import (
	"vibey/dialog/grant"
)

// The ceilings of a family: all dialogs that go back to one that a human
// started, that one included.
const (
	Deepest    = 4                // a root has 0
	All        = grant.AgentsMost // ever
	tokensMost = 20_000_000       // in and out, of all of them
)
