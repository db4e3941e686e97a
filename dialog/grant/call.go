package grant

import (
	"slices"
	"strings"

	"vibey/dialog"
	"vibey/dialog/effect"
)

// Verdict is what may happen to a call that has no result yet.
type Verdict uint8

// The verdicts.
const (
	Wait    Verdict = iota // a human must decide
	Run                    // it may run now
	Refused                // a human, or a standing deny, said no
	Lapsed                 // the agent that asked has ended: it can't run any more
)

// Call is one Tool Request, and what the file says about it.
type Call struct {
	Section int // the request's index in the Sections of the dialog that was decided
	ID      string
	Parent  string // the Assistant that the request names
	Tool    string
	Input   string // the payload's bytes, "{}" for none
	SHA256  string // of Input
	Verdict Verdict
	Blanket bool // released by "allow <tool>", not by its id
	// Unlinked: it was released for the place that its path names. Where a link leads
	// it elsewhere by the time it runs, it must not run.
	Unlinked bool
	Started  bool   // it began to run, or may have: the file says so, or lost what could say it
	Decided  bool   // an Authorization decides it by its id
	By       string // that Authorization's id; one written by hand may have none
	Target   string // of the file that it writes, as that approval has it (Line.Target)
	Path     string // where that file lies, as that approval has it (Line.Path)
	Agent    bool   // the dialog's agent asked for it over ACP, and waits for the answer
	// Tried: it runs, or ran, where nothing of it counts, without the network.
	Tried bool
	// Effect is what it did, where it was tried and has ended. The verdict is about that:
	// Run puts it into the deed, Refused drops it, and the command does not run again.
	Effect *Tried
	// Since is the section since which it is as it is: the request, or the Note of its Effect.
	Since int
}

// Interrupted reports whether the call began to run, or may have, and did not come to its end.
func (c *Call) Interrupted() bool { return c.Started && c.Effect == nil }

// EffectSHA256 is Line.Effect of an approval of c, "" for one that has not run.
func (c *Call) EffectSHA256() string {
	if c.Effect == nil {
		return ""
	}
	return c.Effect.Effect.SHA256
}

// changes reports whether what c did is in a folder, or the folder itself, at least in part.
func (c *Call) changes(folder string) bool {
	return c.Effect != nil && slices.ContainsFunc(c.Effect.Effect.Changes, func(ch effect.Change) bool { return strings.HasPrefix(ch.Path+"/", folder) })
}

// EffectWaits reports whether what one of calls did waits for a human: then no other of
// them runs.
func EffectWaits(calls []Call) bool {
	return slices.ContainsFunc(calls, func(c Call) bool { return c.Effect != nil && c.Verdict == Wait })
}

// Find returns the one of calls with that id.
func Find(calls []Call, id string) (c Call, ok bool) {
	if i := slices.IndexFunc(calls, func(c Call) bool { return c.ID == id }); i >= 0 {
		return calls[i], true
	}
	return c, false
}

// Judge returns the call of the Tool Request in section i with its verdict, whether
// or not it has a result; Started is not set. Decide calls it for the calls without
// a result, and a check of the file for those that ran.
func (g Grants) Judge(d *dialog.Dialog, i int, p Policy) Call {
	c := callOf(d, i)
	c.Verdict, c.Blanket = g.verdict(d, &c, p)
	return c
}

// callOf is Judge without what is granted.
func callOf(d *dialog.Dialog, i int) Call {
	s := &d.Sections[i]
	c := Call{Section: i, ID: s.ID, Parent: s.Meta.Get("Parent"), Tool: s.Tool(), Input: s.Text(), Since: i}
	if c.Input == "" {
		c.Input = "{}"
	}
	c.SHA256 = InputHash(c.Input)
	c.Agent = dialog.AgentTool(c.Tool) || s.Meta.Get("Api") == dialog.APIAgent
	n, tried := d.Tried(c.ID)
	if c.Tried = tried && c.Tool == runCommand && !c.Agent; c.Tried && n >= 0 {
		if t, ok := TriedBy(&d.Sections[n]); ok {
			c.Effect, c.Since = &t, n
		}
	}
	return c
}
