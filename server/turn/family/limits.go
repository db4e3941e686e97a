// Package family counts the dialogs of a family, all that go back to one that a human
// started, and passes mail between dialogs. It owns what a family may have at most.
package family

import (
	"cmp"

	"vibey/dialog/grant"
)

// The ceilings of a family: all dialogs that go back to one that a human
// started, that one included.
const (
	live       = 4                // active at a time, unless doc-main.md says "agents N"
	Deepest    = 4                // a root has 0
	All        = grant.AgentsMost // ever
	tokensMost = 20_000_000       // in and out, of all of them
)

// LiveMost is how many dialogs of a family may work at a time.
func LiveMost(r grant.Rules) int { return cmp.Or(r.Agents, live) }
