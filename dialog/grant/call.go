package grant

import "vibey/dialog"

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
}

// Judge returns the call of the Tool Request in section i with its verdict, whether
// or not it has a result; Started is not set. Decide calls it for the calls without
// a result, and a check of the file for those that ran.
func (g Grants) Judge(d *dialog.Dialog, i int, p Policy) Call {
	s := &d.Sections[i]
	c := Call{Section: i, ID: s.ID, Parent: s.Meta.Get("Parent"), Tool: s.Tool(), Input: s.Text()}
	if c.Input == "" {
		c.Input = "{}"
	}
	c.SHA256 = InputHash(c.Input)
	c.Agent = dialog.AgentTool(c.Tool) || s.Meta.Get("Api") == dialog.APIAgent
	c.Verdict, c.Blanket = g.verdict(&c, p)
	return c
}
